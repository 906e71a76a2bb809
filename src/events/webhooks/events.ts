// Every event of webhooks, with its data. The compiler checks its emitters, and the reference is derived from it.
import { type Static, Type } from "typebox";

const Text = Type.String();
const Count = Type.Integer();
const SenderName = Type.String({ examples: ["BOUTIQUE"] });

/** The first members of every event about a send. Two of them are present only if an application sent it. */
const about = {
  connectionId: Type.Optional(Text),
  externalAccountId: Type.Optional(Text),
  campaignId: Text,
  callbackData: Type.Optional(Text),
};
/** A message belongs to a campaign, or is a one-time password, which has a token. */
const aboutMessage = {
  ...about,
  campaignId: Type.Optional(Text),
  token: Type.Optional(Text),
  messageId: Type.String({ examples: ["66f0c0ffee00000000000001-1"] }),
  phone: Text,
};
const totals = { total: Count, sent: Count, failed: Count };

/** The data of each event type, as it is sent. */
export const events = {
  "application.approved": Type.Object({
    appId: Text,
    slug: Text,
    name: Type.String({ examples: ["Boutique"] }),
    status: Type.Enum(["ACTIVE"]),
  }),
  "connection.paired": Type.Object({
    connectionId: Text,
    connectionToken: Text,
    status: Type.Enum(["CONNECTED"]),
    target: Type.Enum(["company"]),
    senderAssigned: Type.Boolean(),
    externalAccountId: Text,
  }),
  "connection.revoked": Type.Object({
    connectionId: Text,
    externalAccountId: Text,
    status: Type.Enum(["REVOKED"]),
    target: Type.Enum(["company", "partnerCustomer"]),
  }),
  "campaign.completed": Type.Object({ ...about, status: Type.Enum(["SENT"]), ...totals }),
  "campaign.failed": Type.Object({ ...about, status: Type.Enum(["FAILED"]), ...totals }),
  "campaign.lost": Type.Object({
    connectionId: Type.Optional(Text),
    externalAccountId: Type.Optional(Text),
    campaignId: Text,
    status: Type.Enum(["LOST"]),
    total: Count,
    acceptedAt: Text,
  }),
  "message.delivered": Type.Object({
    ...aboutMessage,
    status: Type.Enum(["DELIVERED"]),
    error: Type.Null(),
    errorReason: Type.Null(),
    deliveredAt: Text,
  }),
  "message.failed": Type.Object({
    ...aboutMessage,
    status: Type.Enum(["UNDELIVERED", "EXPIRED", "REJECTED", "CANCELED", "UNKNOWN"]),
    error: Type.Union([Text, Type.Null()]),
    errorReason: Type.Union([Text, Type.Null()]),
  }),
  "message.received": Type.Object({
    messageId: Text,
    from: Text,
    to: Type.String({ examples: ["98765"] }),
    text: Type.String({ examples: ["INFO horaires"] }),
    keyword: Type.Union([Text, Type.Null()]),
    campaignId: Type.Union([Text, Type.Null()]),
    receivedAt: Text,
  }),
  "optout.created": Type.Object({
    phone: Text,
    source: Type.Enum(["COMPANY", "HANDSET"]),
    createdAt: Text,
  }),
  "credit.low": Type.Object({ balance: Count, lowBalance: Count }),
  "sender.accepted": Type.Object({ senderId: Text, name: SenderName, status: Type.Enum(["ACCEPTED"]) }),
  "sender.refused": Type.Object({
    senderId: Text,
    name: SenderName,
    status: Type.Enum(["REFUSED"]),
    reason: Type.Union([Text, Type.Null()]),
  }),
  "webhook.test": Type.Object({ message: Text }),
};

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
