// Every event of webhooks, with its data. The compiler checks its emitters, and the reference is derived from it.
import { type Static, Type } from "typebox";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { Timestamp } from "../../platform/http/responseschemas.ts";

/** The meanings of the members that several schemas of this capability have. */
export const webhookMeanings = {
  url: {
    fr: "Adresse https qui reçoit les événements. Les valeurs de ses paramètres sont affichées masquées (?token=••••)",
    en: "https URL that receives the events. The values of its query parameters are shown masked (?token=••••)",
  },
  events: { fr: "Événements choisis", en: "Selected events" },
  campaignId: {
    fr: "Identifiant de l’envoi. Absent pour un mot de passe à usage unique",
    en: "ID of the send. Absent for a one-time password",
    sample: "66f0c0ffee00000000000001",
  },
  messageId: { fr: "Identifiant du message", en: "Message ID", sample: "66f0c0ffee00000000000001-1" },
  error: {
    fr: "Raison : le code de l’opérateur, s’il en a donné un",
    en: "Reason: the operator’s code, if it gave one",
    sample: null,
  },
  eventId: {
    fr: "Identifiant de l’événement, identique à webhook-id",
    en: "Event ID, same as webhook-id",
    sample: "66f0c0ffee00000000000003",
  },
  eventType: { fr: "Type d’événement", en: "Event type" },
  eventData: { fr: "Données de l’événement", en: "Event data" },
} satisfies Record<string, Meaning>;

const Text = Type.String();
const Count = Type.Integer();
const SenderName = Type.String({ examples: ["BOUTIQUE"] });

const ConnectionId = member(Text, {
  fr: "Connexion de l’application qui a fait l’envoi. Absent pour un envoi de l’entreprise elle-même",
  en: "Connection of the application that made the send. Absent for a send by the company itself",
  sample: "66f0c0ffee00000000000001",
});

const ExternalAccountId = member(Text, {
  fr: "Compte dans l’application qui a fait l’envoi. Absent pour un envoi de l’entreprise elle-même",
  en: "Account in the application that made the send. Absent for a send by the company itself",
  sample: "client-42",
});

/** The first members of every event about a send. Two of them are present only if an application sent it. */
const about = {
  connectionId: Type.Optional(ConnectionId),
  externalAccountId: Type.Optional(ExternalAccountId),
  campaignId: member(Text, webhookMeanings.campaignId),
  callbackData: member(Type.Optional(Text), {
    fr: "Valeur donnée lors de l’envoi. Absent si aucune n’a été donnée",
    en: "Value given with the send. Absent if none was given",
    sample: "commande-42",
  }),
};
/** A message belongs to a campaign, or is a one-time password, which has a token. */
const aboutMessage = {
  ...about,
  campaignId: member(Type.Optional(Text), webhookMeanings.campaignId),
  token: member(Type.Optional(Text), {
    fr: "Jeton du mot de passe à usage unique envoyé par ce message, jamais le code",
    en: "Token of the one-time password sent by this message, never the code",
    sample: "<token>",
  }),
  messageId: member(Type.String({ examples: ["66f0c0ffee00000000000001-1"] }), webhookMeanings.messageId),
  phone: Text,
};
const totals = {
  total: Count,
  sent: member(Count, { fr: "Messages acceptés par l’opérateur", en: "Messages accepted by the operator" }),
  failed: member(Count, { fr: "Messages non acceptés", en: "Messages not accepted" }),
};

/** The data of each event type, as it is sent. */
export const events = {
  "application.approved": Type.Object({
    appId: member(Text, {
      fr: "Identifiant de l’application",
      en: "Application ID",
      sample: "66f0c0ffee00000000000001",
    }),
    slug: Text,
    name: Type.String({ examples: ["Boutique"] }),
    status: Type.Enum(["ACTIVE"]),
  }),
  "connection.paired": Type.Object({
    connectionId: ConnectionId,
    connectionToken: Text,
    status: Type.Enum(["CONNECTED"]),
    target: Type.Enum(["company"]),
    senderAssigned: Type.Boolean(),
    externalAccountId: ExternalAccountId,
  }),
  "connection.revoked": Type.Object({
    connectionId: ConnectionId,
    externalAccountId: ExternalAccountId,
    status: Type.Enum(["REVOKED"]),
    target: Type.Enum(["company", "partnerCustomer"]),
  }),
  "campaign.completed": Type.Object({ ...about, status: Type.Enum(["SENT"]), ...totals }),
  "campaign.failed": Type.Object({ ...about, status: Type.Enum(["FAILED"]), ...totals }),
  "campaign.lost": Type.Object({
    connectionId: Type.Optional(ConnectionId),
    externalAccountId: Type.Optional(ExternalAccountId),
    campaignId: member(Text, webhookMeanings.campaignId),
    status: Type.Enum(["LOST"]),
    total: Count,
    acceptedAt: Text,
  }),
  "message.delivered": Type.Object({
    ...aboutMessage,
    status: Type.Enum(["DELIVERED"]),
    error: member(Type.Null(), webhookMeanings.error),
    errorReason: Type.Null(),
    deliveredAt: Text,
  }),
  "message.failed": Type.Object({
    ...aboutMessage,
    status: Type.Enum(["UNDELIVERED", "EXPIRED", "REJECTED", "CANCELED", "UNKNOWN"]),
    error: member(Type.Union([Text, Type.Null()]), webhookMeanings.error),
    errorReason: Type.Union([Text, Type.Null()]),
  }),
  "message.received": Type.Object({
    messageId: member(Text, webhookMeanings.messageId),
    from: member(Text, {
      fr: "Numéro qui a écrit",
      en: "Number that sent the message",
      sample: "2250102030405",
    }),
    to: member(Type.String({ examples: ["98765"] }), {
      fr: "Numéro qui a reçu le message",
      en: "Number that received the message",
    }),
    text: member(Type.String({ examples: ["INFO horaires"] }), {
      fr: "Texte du message",
      en: "Message text",
    }),
    keyword: member(Type.Union([Text, Type.Null()]), {
      fr: "Mot-clé de l’entreprise au début du message, ou null",
      en: "Keyword of the company at the start of the message, or null",
      sample: "INFO",
    }),
    campaignId: member(Type.Union([Text, Type.Null()]), webhookMeanings.campaignId),
    receivedAt: member(Text, {
      fr: "Date de réception",
      en: "Time received",
      sample: "2026-11-21T09:00:02.000Z",
    }),
  }),
  "optout.created": Type.Object({
    phone: Text,
    source: Type.Enum(["COMPANY", "HANDSET"]),
    createdAt: Text,
  }),
  "credit.low": Type.Object({
    balance: member(Count, { fr: "Crédits restants", en: "Remaining credits", sample: 480 }),
    lowBalance: Count,
  }),
  "sender.accepted": Type.Object({ senderId: Text, name: SenderName, status: Type.Enum(["ACCEPTED"]) }),
  "sender.refused": Type.Object({
    senderId: Text,
    name: SenderName,
    status: Type.Enum(["REFUSED"]),
    reason: member(Type.Union([Text, Type.Null()]), {
      fr: "Raison du refus",
      en: "Reason for the refusal",
      sample: "Le nom d’une banque",
    }),
  }),
  "webhook.test": Type.Object({
    message: member(Text, { fr: "Texte d’information", en: "Informational text" }),
  }),
};

/** The body of an event of this type, as it is posted. */
export function eventBodyOf(type: EventType) {
  return Type.Object({
    id: member(Type.String(), webhookMeanings.eventId),
    type: member(Type.Enum([type]), webhookMeanings.eventType),
    timestamp: member(Timestamp, {
      fr: "Date de l’événement (UTC)",
      en: "Time of the event (UTC)",
      sample: "2026-11-21T09:00:02.000Z",
    }),
    data: member(events[type], webhookMeanings.eventData),
  });
}

/** The events that a company can subscribe to. Those of its sends come first. */
export const SEND_EVENTS = [
  "message.delivered",
  "message.failed",
  "campaign.completed",
  "campaign.failed",
  "campaign.lost",
] as const;
export const COMPANY_EVENTS = [
  ...SEND_EVENTS,
  ...(["message.received", "optout.created", "credit.low", "sender.accepted", "sender.refused"] as const),
] as const;
type CompanyEvent = (typeof COMPANY_EVENTS)[number];

export type EventType = keyof typeof events;
export type EventData<Name extends EventType> = Static<(typeof events)[Name]>;

/** The send, the application and account that sent it, and the sender's own data for callbacks. */
export type AboutSend = Omit<Static<Type.TObject<typeof aboutMessage>>, "messageId" | "phone">;

/** An event of a send. */
export type SendEvent = {
  [Name in (typeof SEND_EVENTS)[number]]: { type: Name; data: EventData<Name> };
}[(typeof SEND_EVENTS)[number]];

/** An event of a send for the endpoint of its application, for the webhooks of an account, or for both. */
export type WatcherEvent = SendEvent & {
  endpointId: string | null;
  listenerId: string | null;
  requestId: string;
};

/** An event for the subscribed webhooks of an account. */
export type AccountEvent = {
  [Name in CompanyEvent]: { accountId: string; type: Name; data: EventData<Name>; requestId?: string };
}[CompanyEvent];

/**
 * An event to emit. Its data never contains a secret: the deliverer's `fill` adds the token at each try. `requestId` is
 * the request that caused the send.
 */
export type EmittedEvent = {
  [Name in EventType]: {
    endpointId: string;
    type: Name;
    data: Omit<EventData<Name>, "connectionToken">;
    requestId?: string;
  };
}[EventType];
