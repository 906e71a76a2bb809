// The response shapes of third-party applications, their connections and pairings.
import { type Static, Type } from "typebox";
import { KINDS } from "../../delivery/sends/queue/packed.ts";
import { membersOfQuotas } from "../../identity/accounts/quotas.ts";
import { BlockedContact } from "../../messaging/campaigns/shapes.ts";
import { CHOSEN, idOf } from "../../platform/http/idschemas.ts";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { orNull, PhoneShown, shape, Timestamp } from "../../platform/http/responseschemas.ts";

/** The meanings of the members that several schemas of this capability have. */
export const applicationMeanings = {
  logoUrl: { fr: "Adresse https du logo", en: "https URL of the logo", sample: "<logoUrl>" },
  webhookUrl: {
    fr: "Adresse https qui reçoit les événements. Les valeurs de ses paramètres sont affichées masquées (?token=••••)",
    en: "https URL that receives the events. The values of its query parameters are shown masked (?token=••••)",
    sample: "<webhookUrl>",
  },
  rejectionReason: { fr: "Raison du refus", en: "Reason for the rejection", sample: "Nom déjà connu" },
  apiSecret: { fr: "Secret de l’application", en: "Application secret", sample: "<apiSecret>" },
  externalAccountId: {
    fr: "Compte dans l’application, comparé à l’octet près",
    en: "Account in the application, compared byte for byte",
    sample: "client-42",
  },
  pairingCode: { fr: "Code de jumelage", en: "Pairing code", sample: "<pairingCode>" },
  app: { fr: "Application", en: "Application" },
  dailyCreditCap: {
    fr: "Nombre maximal de crédits par jour (UTC)",
    en: "Maximum number of credits per day (UTC)",
    sample: 1000,
  },
} satisfies Record<string, Meaning>;

export const APPLICATION_STATUSES = ["PENDING_REVIEW", "ACTIVE", "REJECTED", "INACTIVE"] as const;

const ApplicationName = Type.String({ examples: ["Boutique"] });
const AssignedSender = Type.Object({ id: Type.String(), name: Type.String({ examples: ["BOUTIQUE"] }) });

/** An application without secrets, as everybody with access to it sees it. */
export const Application = shape("Application", {
  id: Type.String(),
  name: ApplicationName,
  slug: Type.String(),
  description: Type.String(),
  logoUrl: member(orNull(Type.String()), applicationMeanings.logoUrl),
  webhookUrl: member(orNull(Type.String()), applicationMeanings.webhookUrl),
  status: Type.Enum([...APPLICATION_STATUSES]),
  createdAt: Timestamp,
  ownerEmail: Type.Optional(Type.String()),
  ownerPhone: Type.Optional(PhoneShown),
  rejectionReason: member(Type.Optional(Type.String()), applicationMeanings.rejectionReason),
});
export type Application = Static<typeof Application>;

/**
 * An application as administrators see it. `forgottenAt` is present for an undecided surplus submission, `resembles` if
 * its name or slug looks like a brand.
 */
export const ReviewedApplication = shape("ReviewedApplication", {
  ...Application.properties,
  forgottenAt: member(Type.Optional(Timestamp), {
    fr: "Date de suppression de la demande si personne ne décide avant",
    en: "Time when the submission is deleted if nobody decides before",
    sample: "2026-11-24T09:00:00.000Z",
  }),
  resembles: Type.Optional(Type.String()),
});
export type ReviewedApplication = Static<typeof ReviewedApplication>;

const WebhookSecret = member(Type.String(), {
  fr: "Secret de signature des webhooks",
  en: "Secret that signs the webhooks",
  sample: "whsec_…",
});

/**
 * An application as its owner sees it: with its secrets while it is `ACTIVE`. `webhookEnabled` is false once its
 * endpoint has failed for too long, and absent without a webhook.
 */
export const OwnedApplication = shape("OwnedApplication", {
  ...Application.properties,
  apiSecret: member(Type.Optional(Type.String()), applicationMeanings.apiSecret),
  webhookSecret: Type.Optional(WebhookSecret),
  webhookEnabled: member(Type.Optional(Type.Boolean()), {
    fr: "Indique si les webhooks sont en service",
    en: "Whether the webhooks are in service",
    sample: true,
  }),
});
export type OwnedApplication = Static<typeof OwnedApplication>;

export const NewSecret = shape("NewSecret", {
  apiSecret: member(Type.String(), applicationMeanings.apiSecret),
});
export type NewSecret = Static<typeof NewSecret>;

export const NewWebhookSecret = shape("NewWebhookSecret", {
  webhookSecret: WebhookSecret,
});
export type NewWebhookSecret = Static<typeof NewWebhookSecret>;

const ConnectionId = member(Type.String(), {
  fr: "Identifiant de la connexion",
  en: "Connection ID",
  sample: "66f0c0ffee00000000000001",
});

/** A connection as the company that allowed it sees it: no token. `customerId` is the reseller's customer that pays. */
export const Connection = shape("Connection", {
  id: Type.String(),
  connectionId: ConnectionId,
  app: member(
    Type.Object({ id: Type.String(), name: ApplicationName, slug: Type.String() }),
    applicationMeanings.app,
  ),
  externalAccountId: member(Type.String(), applicationMeanings.externalAccountId),
  target: Type.Enum(["company", "partnerCustomer"]),
  customerId: Type.Optional(Type.String()),
  status: Type.Enum(["CONNECTED", "REVOKED"]),
  sender: orNull(AssignedSender),
  senderAssigned: Type.Boolean(),
  dailyCreditCap: member(orNull(Type.Integer()), applicationMeanings.dailyCreditCap),
  createdAt: Timestamp,
  revokedAt: orNull(Timestamp),
});
export type Connection = Static<typeof Connection>;

/** The response of `provision`. */
export const Provisioned = shape("Provisioned", {
  connectionId: ConnectionId,
  connectionToken: Type.String(),
  status: Type.Enum(["CONNECTED"]),
  target: Connection.properties.target,
  senderAssigned: Type.Boolean(),
});
export type Provisioned = Static<typeof Provisioned>;

/** A pairing that has begun. */
export const Pairing = shape("Pairing", {
  pairingCode: member(Type.String(), applicationMeanings.pairingCode),
  expiresAt: Timestamp,
  qrContent: member(Type.String(), {
    fr: "Contenu du QR code",
    en: "Content of the QR code",
    sample: "ATUMPAN_K7M3XQ2PWD",
  }),
  link: member(Type.String(), {
    fr: "Lien vers l’application mobile",
    en: "Link to the mobile application",
    sample: "atumpan://pair?code=K7M3XQ2PWD&app=boutique",
  }),
  universalLink: member(Type.String(), {
    fr: "Lien web vers la page d’approbation",
    en: "Web link to the approval page",
    sample: "https://…/pair?code=K7M3XQ2PWD&app=boutique",
  }),
});
export type Pairing = Static<typeof Pairing>;

/** What a person sees before approving: the application, the expiry, and the available senders. */
export const PairingDetails = shape("PairingDetails", {
  app: member(
    Type.Object({
      name: ApplicationName,
      slug: Type.String(),
      description: Type.String(),
      logoUrl: member(orNull(Type.String()), applicationMeanings.logoUrl),
    }),
    applicationMeanings.app,
  ),
  expiresAt: Timestamp,
  senders: member(Type.Array(AssignedSender), { fr: "Expéditeurs acceptés", en: "Accepted senders" }),
});
export type PairingDetails = Static<typeof PairingDetails>;

export const Paired = shape("Paired", {
  connectionId: ConnectionId,
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
  connectionId: Type.Optional(ConnectionId),
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
export const Credits = shape("Credits", {
  credits: member(Type.Integer({ examples: [100] }), { fr: "Crédits disponibles", en: "Available credits" }),
});

const Used = Type.Object({
  used: member(Type.Integer(), {
    fr: "Quantité utilisée par l’entreprise",
    en: "Amount used by the company",
    sample: 12,
  }),
  limit: Type.Integer(),
});

/** Messages of one kind that an operator accepted on a day; `kind` null: unknown. */
const UsageOfDay = Type.Object({
  day: Type.String({ examples: ["2026-11-22"] }),
  kind: member(orNull(Type.Enum([...KINDS], { examples: ["campaign"] })), {
    fr: "Type d’envoi : campaign, application ou otp. null s’il est inconnu, comme pour les messages antérieurs à la mise à jour ou envoyés après plusieurs essais",
    en: "Kind of send: campaign, application or otp. null if unknown, as for messages from before the upgrade or messages that had to be retried",
  }),
  operator: orNull(Type.String({ examples: ["Opérateur 07"] })),
  messages: Type.Integer(),
  credits: Type.Integer(),
});

/** A company's usage of each quota, its request rate (a burst, then so many a second), and its messages by day. */
export const Usage = shape("Usage", {
  ...membersOfQuotas(Used),
  requests: member(
    Type.Object({
      perSecond: member(Type.Number(), {
        fr: "Requêtes par seconde, en continu",
        en: "Requests per second, sustained",
        sample: 50,
      }),
      atOnce: member(Type.Integer(), {
        fr: "Requêtes d’un coup, après une pause",
        en: "Requests at once, after a pause",
        sample: 1000,
      }),
    }),
    { fr: "Limites de requêtes", en: "Request limits" },
  ),
  days: member(Type.Array(UsageOfDay), {
    fr: "Messages acceptés par les opérateurs, par jour, type et opérateur, pour la période de from à to, sinon pour les 30 derniers jours",
    en: "Messages accepted by operators, by day, kind and operator, for the period given by from and to, otherwise for the last 30 days",
  }),
});
export type Usage = Static<typeof Usage>;

/** The application's own id for an external account. */
export const ExternalAccountId = idOf(CHOSEN);
