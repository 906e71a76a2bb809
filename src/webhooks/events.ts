// Every event that webhooks tell, with its data. The compiler checks who emits it, and the reference prints it.
import { type Static, Type } from "typebox";

const Text = Type.String();
const Count = Type.Integer();

/** What every event about a send begins with. */
const about = { connectionId: Text, externalAccountId: Text, campaignId: Text };
const totals = { total: Count, sent: Count, failed: Count };

/** By type, the data as it is sent. */
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
  "message.delivered": Type.Object({
    ...about,
    phone: Text,
    status: Type.Enum(["DELIVERED"]),
    error: Type.Null(),
    errorReason: Type.Null(),
    deliveredAt: Text,
  }),
  "message.failed": Type.Object({
    ...about,
    phone: Text,
    status: Type.Enum(["UNDELIVERED", "EXPIRED", "REJECTED", "CANCELED", "UNKNOWN"]),
    error: Type.Union([Text, Type.Null()]),
    errorReason: Type.Union([Text, Type.Null()]),
  }),
  "webhook.test": Type.Object({ message: Text }),
};

export type EventType = keyof typeof events;
export type EventData<Name extends EventType> = Static<(typeof events)[Name]>;

/** The application and account that sent, and the send. */
export type AboutSend = Pick<EventData<"message.delivered">, keyof typeof about>;

/** Something that happened. Its data never holds a secret: the deliverer's `fill` adds the token at each try. */
export type EmittedEvent = {
  [Name in EventType]: { endpointId: string; type: Name; data: Omit<EventData<Name>, "connectionToken"> };
}[EventType];
