// The shapes of received messages, numbers and keywords in responses.
import { type Static, Type } from "typebox";
import {
  Instant,
  orNull,
  Phone,
  PhoneShown,
  shape,
  TextShown,
  Timestamp,
} from "../../platform/http/schemas.ts";

const Encoding = Type.Enum(["GSM-7", "UCS-2", "LATIN-1"]);
export type InboundEncoding = Static<typeof Encoding>;

const MESSAGE = {
  id: Type.String(),
  from: PhoneShown,
  to: Type.String({ examples: ["98765"] }),
  /** Null after its retention period: see docs/data.md. */
  text: orNull(TextShown),
  keyword: orNull(Type.String({ examples: ["PROMO"] })),
  encoding: Encoding,
  segments: Type.Integer(),
  missingSegments: Type.Integer({ examples: [0] }),
  campaignId: orNull(Type.String()),
};
const receivedAt = Timestamp;

/** A message that a handset sent to a company. `contact`: the sender's name in the phone book, if present. */
export const InboundMessage = shape("InboundMessage", {
  ...MESSAGE,
  campaignName: orNull(Type.String({ examples: ["Rentrée"] })),
  contact: Type.Optional(Type.String({ examples: ["Awa Koné"] })),
  receivedAt,
});
export type InboundMessage = Static<typeof InboundMessage>;

/** The same for administrators, with the company: null if none was found. */
export const InboundMessageOfAll = shape("InboundMessageOfAll", {
  companyId: orNull(Type.String()),
  companyName: orNull(Type.String({ examples: ["Boutique"] })),
  ...MESSAGE,
  receivedAt,
});
export type InboundMessageOfAll = Static<typeof InboundMessageOfAll>;

/** A number that receives messages, as administrators see it. Without a company it is shared. */
export const InboundNumber = shape("InboundNumber", {
  id: Type.String(),
  number: Type.String({ examples: ["98765"] }),
  companyId: orNull(Type.String()),
  operatorId: orNull(Type.String()),
  createdAt: Timestamp,
});
export type InboundNumber = Static<typeof InboundNumber>;

/** A first word that assigns messages to a number to a company. */
export const InboundKeyword = shape("InboundKeyword", {
  id: Type.String(),
  numberId: Type.String(),
  keyword: Type.String({ examples: ["PROMO"] }),
  companyId: Type.String(),
  createdAt: Timestamp,
});
export type InboundKeyword = Static<typeof InboundKeyword>;

/** A number on which a company receives: all messages (`isShared` false), or those that start with its keywords. */
export const OwnNumber = shape("OwnNumber", {
  id: Type.String(),
  number: Type.String({ examples: ["98765"] }),
  isShared: Type.Boolean(),
  keywords: Type.Array(Type.String({ examples: ["PROMO"] })),
});
export type OwnNumber = Static<typeof OwnNumber>;

/** A number, a keyword or a sender as a filter of a list. */
export const Written = Type.Optional(Type.String({ maxLength: 30 }));

/** The filters of the lists of received messages. */
export const receivedFilter = { phone: Type.Optional(Phone), number: Written, from: Instant, to: Instant };
