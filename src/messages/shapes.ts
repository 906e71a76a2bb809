// The shapes of messages that a search by phone finds.
import { type Static, Type } from "typebox";
import { Movement } from "../credits/credits.ts";
import { orNull, shape, TextShown, Timestamp } from "../kernel/schemas.ts";
import { Message } from "../sends/sends.ts";

const { status, segments, credits, error, errorReason, sentAt, deliveredAt } = Message.properties;

/** A message to a phone. The text is that of the campaign, before variables are filled in; codes have none. */
export const FoundMessage = shape("FoundMessage", {
  id: Type.String(),
  kind: Type.Enum(["campaign", "application", "otp"], { examples: ["campaign"] }),
  campaignId: orNull(Type.String()),
  campaignName: orNull(Type.String({ examples: ["Rentrée"] })),
  text: orNull(TextShown),
  sender: orNull(Type.String({ examples: ["BOUTIQUE"] })),
  status,
  segments,
  credits,
  operator: orNull(Type.String({ examples: ["Opérateur 07"] })),
  error,
  errorReason,
  createdAt: Timestamp,
  sentAt,
  deliveredAt,
});
export type FoundMessage = Static<typeof FoundMessage>;

/** The same for administrators: with the account whose message it is; `companyName` null: a reseller's customer. */
export const FoundMessageOfAll = shape("FoundMessageOfAll", {
  companyId: Type.String(),
  companyName: orNull(Type.String({ examples: ["Boutique"] })),
  ...FoundMessage.properties,
});
export type FoundMessageOfAll = Static<typeof FoundMessageOfAll>;

/** A movement of a company's balance, with the campaign that held its credits, if one did. */
export const NamedMovement = shape("NamedMovement", {
  ...Movement.properties,
  campaignId: orNull(Type.String()),
  campaignName: orNull(Type.String({ examples: ["Rentrée"] })),
});
export type NamedMovement = Static<typeof NamedMovement>;
