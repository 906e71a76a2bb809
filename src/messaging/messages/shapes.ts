// The shapes of messages in searches, and of one with its life.
import { type Static, Type } from "typebox";
import { Message, STATUSES } from "../../delivery/sends/record/shapes.ts";
import { Movement } from "../../ledger/credits/shapes.ts";
import { CHOSEN, idOf } from "../../platform/http/idschemas.ts";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { timesOfPeriod } from "../../platform/http/periods.ts";
import { orNull, shape, TextShown, Timestamp } from "../../platform/http/responseschemas.ts";
import { Phone } from "../../platform/http/schemas.ts";

/** The meanings of the members that several schemas of this capability have. */
export const messageMeanings = {
  next: {
    fr: "Point où continuer, ou null à la fin. Dans une liste de messages, donnez-le dans afterNumber ou afterId",
    en: "Where to continue, or null at the end. In a list of messages, pass it as afterNumber or afterId",
    sample: null,
  },
} satisfies Record<string, Meaning>;

const { id, phone, status, segments, credits, error, errorReason, sentAt, deliveredAt } = Message.properties;

/** A found message. The text is that of the campaign, before variables are replaced; codes have none. */
export const FoundMessage = shape("FoundMessage", {
  id,
  kind: member(Type.Enum(["campaign", "application", "otp"], { examples: ["campaign"] }), {
    fr: "Type de message",
    en: "Type of message",
  }),
  campaignId: orNull(Type.String()),
  campaignName: orNull(Type.String({ examples: ["Rentrée"] })),
  phone,
  text: member(orNull(TextShown), {
    fr: "Texte de la campagne, sans remplacement des variables",
    en: "Text of the campaign, with its variables not replaced",
    sample: "Bonjour @name",
  }),
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
  events: member(Type.Array(MessageEvent), {
    fr: "Événements du message, dans l’ordre. L’heure d’un échec n’est pas conservée",
    en: "Events of the message, in order. The time of a failure is not stored",
  }),
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
  ...timesOfPeriod,
  afterId: member(Type.Optional(idOf(CHOSEN)), {
    fr: "Curseur de page : renvoie les messages qui suivent celui-ci. Donnez la valeur de next. Avec status, une page incomplète n’est pas toujours la dernière, car 100 000 messages au plus sont parcourus",
    en: "Page cursor: returns the messages after this one. Pass the value of next. With status, a short page is not always the last one, because at most 100,000 messages are searched",
  }),
};

/** The extent of a search: `queueSearched` is false if only the newest queued messages were searched. */
export const searchReach = {
  queueSearched: member(Type.Boolean(), {
    fr: "Indique si toute la file d’attente a été parcourue. false si elle est trop longue : seuls les messages les plus récents ont été parcourus",
    en: "Whether the whole queue was searched. false if it is too long: only the newest messages were searched",
    sample: true,
  }),
  next: member(Type.Union([Type.String(), Type.Null()], { examples: [null] }), messageMeanings.next),
};
