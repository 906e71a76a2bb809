// The response shapes of third-party applications, their connections and pairings.
import { type Static, Type } from "typebox";
import { KINDS } from "../../delivery/sends/queue/packed.ts";
import { BlockedContact } from "../../messaging/campaigns/shapes.ts";
import { CHOSEN, idOf, orNull, PhoneShown, shape, Timestamp } from "../../platform/http/schemas.ts";

export const APPLICATION_STATUSES = ["PENDING_REVIEW", "ACTIVE", "REJECTED", "INACTIVE"] as const;

const ApplicationName = Type.String({ examples: ["Boutique"] });
const AssignedSender = Type.Object({ id: Type.String(), name: Type.String({ examples: ["BOUTIQUE"] }) });

/** An application without secrets, as everybody with access to it sees it. */
export const Application = shape("Application", {
  id: Type.String(),
  name: ApplicationName,
  slug: Type.String(),
  description: Type.String(),
  logoUrl: orNull(Type.String()),
  webhookUrl: orNull(Type.String()),
  status: Type.Enum([...APPLICATION_STATUSES]),
  createdAt: Timestamp,
  ownerEmail: Type.Optional(Type.String()),
  ownerPhone: Type.Optional(PhoneShown),
  rejectionReason: Type.Optional(Type.String()),
});
export type Application = Static<typeof Application>;

/**
 * An application as administrators see it. `forgottenAt` is present for an undecided surplus submission, `resembles` if
 * its name or slug looks like a brand.
 */
export const ReviewedApplication = shape("ReviewedApplication", {
  ...Application.properties,
  forgottenAt: Type.Optional(Timestamp),
  resembles: Type.Optional(Type.String()),
});
export type ReviewedApplication = Static<typeof ReviewedApplication>;

/**
 * An application as its owner sees it: with its secrets while it is `ACTIVE`. `webhookEnabled` is false once its
 * endpoint has failed for too long, and absent without a webhook.
 */
export const OwnedApplication = shape("OwnedApplication", {
  ...Application.properties,
  apiSecret: Type.Optional(Type.String()),
  webhookSecret: Type.Optional(Type.String()),
  webhookEnabled: Type.Optional(Type.Boolean()),
});
export type OwnedApplication = Static<typeof OwnedApplication>;

export const NewSecret = shape("NewSecret", { apiSecret: Type.String() });
export type NewSecret = Static<typeof NewSecret>;

export const NewWebhookSecret = shape("NewWebhookSecret", { webhookSecret: Type.String() });
export type NewWebhookSecret = Static<typeof NewWebhookSecret>;

/** A connection as the company that allowed it sees it: no token. `customerId` is the reseller's customer that pays. */
export const Connection = shape("Connection", {
  id: Type.String(),
  connectionId: Type.String(),
  app: Type.Object({ id: Type.String(), name: ApplicationName, slug: Type.String() }),
  externalAccountId: Type.String(),
  target: Type.Enum(["company", "partnerCustomer"]),
  customerId: Type.Optional(Type.String()),
  status: Type.Enum(["CONNECTED", "REVOKED"]),
  sender: orNull(AssignedSender),
  senderAssigned: Type.Boolean(),
  dailyCreditCap: orNull(Type.Integer()),
  createdAt: Timestamp,
  revokedAt: orNull(Timestamp),
});
export type Connection = Static<typeof Connection>;

/** The response of `provision`. */
export const Provisioned = shape("Provisioned", {
  connectionId: Type.String(),
  connectionToken: Type.String(),
  status: Type.Enum(["CONNECTED"]),
  target: Connection.properties.target,
  senderAssigned: Type.Boolean(),
});
export type Provisioned = Static<typeof Provisioned>;

/** A pairing that has begun. */
export const Pairing = shape("Pairing", {
  pairingCode: Type.String(),
  expiresAt: Timestamp,
  qrContent: Type.String(),
  link: Type.String(),
  universalLink: Type.String(),
});
export type Pairing = Static<typeof Pairing>;

/** What a person sees before approving: the application, the expiry, and the available senders. */
export const PairingDetails = shape("PairingDetails", {
  app: Type.Object({
    name: ApplicationName,
    slug: Type.String(),
    description: Type.String(),
    logoUrl: orNull(Type.String()),
  }),
  expiresAt: Timestamp,
  senders: Type.Array(AssignedSender),
});
export type PairingDetails = Static<typeof PairingDetails>;

export const Paired = shape("Paired", {
  connectionId: Type.String(),
  status: Type.Enum(["CONNECTED"]),
  target: Type.Enum(["company"]),
  senderAssigned: Type.Boolean(),
});
export type Paired = Static<typeof Paired>;

export const Denied = shape("Denied", { status: Type.Enum(["DENIED"]) });
export type Denied = Static<typeof Denied>;

/** The state of a pairing; once it is approved, with the connection and its token. */
export const PairingStatus = shape("PairingStatus", {
  status: Type.Enum(["PENDING", "CONNECTED", "DENIED", "EXPIRED"]),
  connectionId: Type.Optional(Type.String()),
  connectionToken: Type.Optional(Type.String()),
  expiresAt: Type.Optional(Timestamp),
});
export type PairingStatus = Static<typeof PairingStatus>;

/** The response of `sms/send`. */
export const Sent = shape("Sent", {
  campaignId: Type.String(),
  contactCount: Type.Integer({ examples: [1] }),
  creditUsed: Type.Integer({ examples: [1] }),
  blockedContacts: Type.Array(BlockedContact),
});
export type Sent = Static<typeof Sent>;

/** The credits of the pool that a connection charges. */
export const Credits = shape("Credits", { credits: Type.Integer({ examples: [100] }) });

const Used = Type.Object({ used: Type.Integer(), limit: Type.Integer() });

/** Messages of one kind that an operator accepted on a day; `kind` null: unknown. */
const UsageOfDay = Type.Object({
  day: Type.String({ examples: ["2026-11-22"] }),
  kind: orNull(Type.Enum([...KINDS], { examples: ["campaign"] })),
  operator: orNull(Type.String({ examples: ["Opérateur 07"] })),
  messages: Type.Integer(),
  credits: Type.Integer(),
});

/** A company's usage of each quota, its request rate (a burst, then so many a second), and its messages by day. */
export const Usage = shape("Usage", {
  ...{ contacts: Used, groups: Used, groupMembers: Used, optouts: Used, schedules: Used },
  ...{ drafts: Used, templates: Used },
  ...{ applications: Used, connections: Used, customers: Used, offers: Used },
  ...{ keys: Used, members: Used, imports: Used, webhooks: Used },
  requests: Type.Object({ perSecond: Type.Number(), atOnce: Type.Integer() }),
  days: Type.Array(UsageOfDay),
});
export type Usage = Static<typeof Usage>;

/** The application's own id for an external account. */
export const ExternalAccountId = idOf(CHOSEN);
