// The shapes of the simulated operator in responses.
import { type Static, Type } from "typebox";
import { member } from "../../platform/http/meanings.ts";
import { shape, Timestamp } from "../../platform/http/responseschemas.ts";

/** A whole message that a simulated handset received. */
export const InboxMessage = shape("InboxMessage", {
  id: Type.String(),
  to: member(Type.String({ examples: ["2250102030405"] }), { fr: "Numéro du téléphone", en: "Phone number" }),
  from: member(Type.String({ examples: ["ATUMPAN"] }), {
    fr: "Expéditeur affiché sur le téléphone",
    en: "Sender shown on the phone",
  }),
  text: member(Type.String({ examples: ["Bonjour Awa"] }), {
    fr: "Texte reçu par le téléphone",
    en: "Text that the phone received",
  }),
  encoding: Type.Enum(["GSM-7", "UCS-2"]),
  segments: Type.Integer(),
  receivedAt: Timestamp,
});
export type InboxMessage = Static<typeof InboxMessage>;

export const Reply = shape("Reply", { delivered: Type.Boolean({ examples: [true] }) });
