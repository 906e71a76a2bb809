// The shapes of messages in searches, and of one with its life.
import { type Static, Type } from "typebox";
import { Message, STATUSES } from "../../delivery/sends/record/shapes.ts";
import { Movement } from "../../ledger/credits/shapes.ts";
import {
  CHOSEN,
  Instant,
  idOf,
  orNull,
  Phone,
  shape,
  TextShown,
  Timestamp,
} from "../../platform/http/schemas.ts";

const { id, phone, status, segments, credits, error, errorReason, sentAt, deliveredAt } = Message.properties;

/** A found message. The text is that of the campaign, before variables are replaced; codes have none. */
export const FoundMessage = shape("FoundMessage", {
  id,
  kind: Type.Enum(["campaign", "application", "otp"], { examples: ["campaign"] }),
  campaignId: orNull(Type.String()),
  campaignName: orNull(Type.String({ examples: ["Rentrée"] })),
  phone,
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

/** The same for administrators, with the account that sent it; `companyName` is null for a reseller's customer. */
export const FoundMessageOfAll = shape("FoundMessageOfAll", {
  companyId: Type.String(),
  companyName: orNull(Type.String({ examples: ["Boutique"] })),
  ...FoundMessage.properties,
});
export type FoundMessageOfAll = Static<typeof FoundMessageOfAll>;

/** An event of a message and its time; null: not recorded. */
const MessageEvent = Type.Object({ status, at: orNull(Timestamp) });

/** One message and its life: `events` in chronological order, the last with its current status. */
export const MessageLife = shape("MessageLife", {
  ...FoundMessage.properties,
  operatorMessageId: orNull(Type.String({ examples: ["4f2a9c01"] })),
  events: Type.Array(MessageEvent),
});
export type MessageLife = Static<typeof MessageLife>;

/** A movement of a company's balance, with the campaign that held its credits, if any. */
export const NamedMovement = shape("NamedMovement", {
  ...Movement.properties,
  campaignId: Type.Optional(Type.String()),
  campaignName: Type.Optional(orNull(Type.String({ examples: ["Rentrée"] }))),
});
export type NamedMovement = Static<typeof NamedMovement>;

/** The filters of the searches for messages. */
export const messageFilter = {
  phone: Type.Optional(Phone),
  status: Type.Optional(Type.Enum([...STATUSES])),
  campaignId: Type.Optional(idOf("campaign")),
  from: Instant,
  to: Instant,
  afterId: Type.Optional(idOf(CHOSEN)),
};

/** The extent of a search: `queueSearched` is false if only the newest queued messages were searched. */
export const searchReach = {
  queueSearched: Type.Boolean(),
  next: Type.Union([Type.String(), Type.Null()], { examples: [null] }),
};
