// The shapes of received messages, numbers and keywords in responses.
import { type Static, Type } from "typebox";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { timesOfPeriod } from "../../platform/http/periods.ts";
import { orNull, PhoneShown, shape, TextShown, Timestamp } from "../../platform/http/responseschemas.ts";
import { Phone } from "../../platform/http/schemas.ts";

/** The meanings of the members that several schemas of this capability have. */
export const inboundMeanings = {
  number: {
    fr: "Numéro court ou long de réception, en chiffres",
    en: "Short code or long number that receives messages, in digits",
  },
  keyword: {
    fr: "Mot-clé, premier mot du message, qui a déterminé l’entreprise, en majuscules sans accents. STOP ou START pour une désinscription ou une réinscription effectuée. null s’il n’y en a pas",
    en: "Keyword, the first word of the message, that determined the company, in uppercase without accents. STOP or START for an opt-out or opt-in that was carried out. null if there is none",
  },
  contact: { fr: "Contact qui a ce numéro, s’il existe", en: "Contact with this number, if there is one" },
  operatorId: {
    fr: "Opérateur qui transmet les messages reçus par ce numéro. Sans valeur, tous les opérateurs",
    en: "Operator that delivers the messages received by this number. If not set, all operators",
    sample: "<operatorId>",
  },
  numberId: { fr: "Identifiant du numéro", en: "Number ID", sample: "66f0c0ffee00000000000001" },
} satisfies Record<string, Meaning>;

const Encoding = Type.Enum(["GSM-7", "UCS-2", "LATIN-1"]);
export type InboundEncoding = Static<typeof Encoding>;

const MESSAGE = {
  id: Type.String(),
  from: member(PhoneShown, {
    fr: "Numéro du téléphone qui a écrit",
    en: "Number of the phone that sent the message",
    sample: "2250102030405",
  }),
  to: member(Type.String({ examples: ["98765"] }), {
    fr: "Nom d’expéditeur ou numéro auquel le téléphone a écrit",
    en: "Sender name or number that the message was sent to",
  }),
  /** Null after its retention period: see docs/data.md. */
  text: member(orNull(TextShown), {
    fr: "Texte du message reçu",
    en: "Text of the incoming message",
    sample: "Bonjour @name",
  }),
  keyword: member(orNull(Type.String({ examples: ["PROMO"] })), inboundMeanings.keyword),
  encoding: Encoding,
  segments: Type.Integer(),
  missingSegments: member(Type.Integer({ examples: [0] }), {
    fr: "Nombre de parties jamais reçues d’un message long. Leur place est marquée […] dans le texte",
    en: "Number of parts of a long message that were never received. Their place is marked […] in the text",
  }),
  campaignId: member(orNull(Type.String()), {
    fr: "Campagne à laquelle le message répond, ou null",
    en: "Campaign that the message replies to, or null",
    sample: "66f0c0ffee00000000000001",
  }),
};
const receivedAt = Timestamp;

/** A message that a handset sent to a company. `contact`: the sender's name in the phone book, if present. */
export const InboundMessage = shape("InboundMessage", {
  ...MESSAGE,
  campaignName: orNull(Type.String({ examples: ["Rentrée"] })),
  contact: member(Type.Optional(Type.String({ examples: ["Awa Koné"] })), inboundMeanings.contact),
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
  number: member(Type.String({ examples: ["98765"] }), inboundMeanings.number),
  companyId: orNull(Type.String()),
  operatorId: member(orNull(Type.String()), inboundMeanings.operatorId),
  createdAt: Timestamp,
});
export type InboundNumber = Static<typeof InboundNumber>;

/** A first word that assigns messages to a number to a company. */
export const InboundKeyword = shape("InboundKeyword", {
  id: Type.String(),
  numberId: member(Type.String(), inboundMeanings.numberId),
  keyword: member(Type.String({ examples: ["PROMO"] }), inboundMeanings.keyword),
  companyId: Type.String(),
  createdAt: Timestamp,
});
export type InboundKeyword = Static<typeof InboundKeyword>;

/** A number on which a company receives: all messages (`isShared` false), or those that start with its keywords. */
export const OwnNumber = shape("OwnNumber", {
  id: Type.String(),
  number: member(Type.String({ examples: ["98765"] }), inboundMeanings.number),
  isShared: member(Type.Boolean(), {
    fr: "false : l’entreprise reçoit tous les messages envoyés à ce numéro, sauf ceux des mots-clés d’autres entreprises. true : elle reçoit seulement ceux de ses mots-clés",
    en: "false: the company receives all messages sent to this number, except those for keywords of other companies. true: it receives only those for its own keywords",
    sample: false,
  }),
  keywords: member(Type.Array(Type.String({ examples: ["PROMO"] })), {
    fr: "Mots-clés de l’entreprise sur ce numéro",
    en: "Keywords of the company on this number",
    sample: ["PROMO"],
  }),
});
export type OwnNumber = Static<typeof OwnNumber>;

/** A number, a keyword or a sender as a filter of a list. */
export const Written = Type.Optional(Type.String({ maxLength: 30 }));

/** The filters of the lists of received messages. */
export const receivedFilter = {
  phone: Type.Optional(Phone),
  number: member(Written, inboundMeanings.number),
  ...timesOfPeriod,
};
