// The shapes of the simulated operator in responses.
import { type Static, Type } from "typebox";
import { shape, Timestamp } from "../../platform/http/schemas.ts";

/** A whole message that a simulated handset received. */
export const InboxMessage = shape("InboxMessage", {
  id: Type.String(),
  to: Type.String({ examples: ["2250102030405"] }),
  from: Type.String({ examples: ["ATUMPAN"] }),
  text: Type.String({ examples: ["Bonjour Awa"] }),
  encoding: Type.Enum(["GSM-7", "UCS-2"]),
  segments: Type.Integer(),
  receivedAt: Timestamp,
});
export type InboxMessage = Static<typeof InboxMessage>;

export const Reply = shape("Reply", { delivered: Type.Boolean({ examples: [true] }) });
