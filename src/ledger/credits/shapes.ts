// The response shapes of credits.
import { type Static, Type } from "typebox";
import { QuotaChoice } from "../../identity/accounts/quotas.ts";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { orNull, PhoneShown, shape, Timestamp } from "../../platform/http/responseschemas.ts";

/** The meanings of the members that several schemas of this capability have. */
export const creditMeanings = {
  credit: {
    fr: "Crédits attribués, négatif pour une correction",
    en: "Credits granted, negative for a correction",
    sample: 100,
  },
} satisfies Record<string, Meaning>;

/** Available credits. */
export const Balance = Type.Integer({ examples: [9999] });

/** A company as the administrator sees it, with its balance. */
export const Company = shape("Company", {
  id: Type.String(),
  name: Type.String({ examples: ["Boutique Awa"] }),
  country: Type.String(),
  language: Type.String(),
  senderLimit: Type.Integer(),
  partner: Type.Boolean(),
  trial: Type.Boolean(),
  userId: Type.String(),
  ownerName: orNull(Type.String()),
  ownerEmail: orNull(Type.String()),
  ownerPhone: orNull(PhoneShown),
  balance: Type.Integer(),
  suspendedAt: member(orNull(Timestamp), {
    fr: "Date de suspension de l’entreprise, ou null si elle n’est pas suspendue",
    en: "Time when the company was suspended, or null if it is not suspended",
  }),
  suspensionReason: member(orNull(Type.String()), {
    fr: "Raison de la suspension",
    en: "Reason for the suspension",
    sample: "Hameçonnage",
  }),
  closedAt: orNull(Timestamp),
  quotas: Type.Object(Type.Required(QuotaChoice).properties),
  createdAt: Timestamp,
});
export type Company = Static<typeof Company>;

/** A company as its members see it. Its owner is notified when the balance is below `lowBalance`; null: never. */
export const OwnCompany = shape("OwnCompany", {
  id: Type.String(),
  name: Type.String({ examples: ["Boutique Awa"] }),
  country: Type.String(),
  language: Type.String(),
  timeZone: member(Type.String(), {
    fr: "Fuseau horaire de l’entreprise (IANA)",
    en: "Time zone of the company (IANA)",
    sample: "Africa/Abidjan",
  }),
  senderLimit: Type.Integer(),
  partner: Type.Boolean(),
  balance: Type.Integer(),
  lowBalance: orNull(Type.Integer()),
  quotas: Type.Object(Type.Required(QuotaChoice).properties),
  createdAt: Timestamp,
});
export type OwnCompany = Static<typeof OwnCompany>;

/** Credits that were added to a pool or left it, and the balance after that. */
/** Granted credits. With `confirmation`, nothing moves until another administrator confirms the grant with this id. */
export const Granted = shape("Granted", {
  balance: Type.Integer(),
  transactionId: orNull(Type.String()),
  confirmation: member(Type.Optional(Type.Object({ id: Type.String(), expiresAt: Timestamp })), {
    fr: "Présent si l’attribution est en attente. Les crédits sont versés après confirmation par un autre administrateur, possible jusqu’à expiresAt",
    en: "Present if the grant is pending. The credits are granted after another administrator confirms, which is possible until expiresAt",
  }),
});
export type Granted = Static<typeof Granted>;

export const GRANT_STATUSES = ["WAITING", "CONFIRMED", "REFUSED", "EXPIRED"] as const;

/** A grant that had to wait for a second administrator. `isOwn`: the caller requested it, and cannot confirm it. */
export const WaitingGrant = shape("WaitingGrant", {
  id: Type.String(),
  status: Type.Enum([...GRANT_STATUSES]),
  ownerKind: member(Type.Enum(["company", "user", "customer"]), {
    fr: "Type de titulaire du solde",
    en: "Type of balance holder",
  }),
  ownerId: member(Type.String(), {
    fr: "Identifiant de l’entreprise, de l’utilisateur ou du client",
    en: "ID of the company, user or customer",
    sample: "66f0c0ffee00000000000001",
  }),
  credit: member(Type.Integer(), creditMeanings.credit),
  reason: orNull(Type.String()),
  requestedBy: member(orNull(Type.String()), {
    fr: "Administrateur qui a fait la demande",
    en: "Administrator who made the request",
    sample: "Fatou Diop",
  }),
  isOwn: member(Type.Boolean(), {
    fr: "Indique si vous avez fait la demande. Un autre administrateur doit alors confirmer",
    en: "Whether you made the request. Another administrator must then confirm",
    sample: false,
  }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  decidedBy: orNull(Type.String()),
  decidedAt: orNull(Timestamp),
  refusalReason: member(orNull(Type.String()), {
    fr: "Raison du refus",
    en: "Reason for the refusal",
    sample: null,
  }),
  transactionId: orNull(Type.String()),
});
export type WaitingGrant = Static<typeof WaitingGrant>;

/**
 * The `id` of a hold is that of its send, or the lowest of its sends if sends to one person were accepted together. The
 * `id` of a grant or transfer is its `transactionId`. `amount` is below zero for credits that left the pool.
 */
export const Movement = shape("Movement", {
  id: Type.String(),
  kind: member(Type.Enum(["grant", "correction", "transfer", "hold", "release"]), {
    fr: "Type d’écriture",
    en: "Type of entry",
  }),
  amount: member(Type.Integer({ examples: [100] }), {
    fr: "Crédits, négatif pour un débit",
    en: "Credits, negative for a debit",
  }),
  balanceAfter: Type.Integer(),
  reason: orNull(Type.String()),
  createdAt: Timestamp,
});
export type Movement = Static<typeof Movement>;
