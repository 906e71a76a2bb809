// The response shapes of credits.
import { type Static, Type } from "typebox";
import { QuotaChoice } from "../../identity/accounts/quotas.ts";
import { orNull, PhoneShown, shape, Timestamp } from "../../platform/http/schemas.ts";

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
  suspendedAt: orNull(Timestamp),
  suspensionReason: orNull(Type.String()),
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
  timeZone: Type.String(),
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
  confirmation: Type.Optional(Type.Object({ id: Type.String(), expiresAt: Timestamp })),
});
export type Granted = Static<typeof Granted>;

export const GRANT_STATUSES = ["WAITING", "CONFIRMED", "REFUSED", "EXPIRED"] as const;

/** A grant that had to wait for a second administrator. `isOwn`: the caller requested it, and cannot confirm it. */
export const WaitingGrant = shape("WaitingGrant", {
  id: Type.String(),
  status: Type.Enum([...GRANT_STATUSES]),
  ownerKind: Type.Enum(["company", "user", "customer"]),
  ownerId: Type.String(),
  credit: Type.Integer(),
  reason: orNull(Type.String()),
  requestedBy: orNull(Type.String()),
  isOwn: Type.Boolean(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  decidedBy: orNull(Type.String()),
  decidedAt: orNull(Timestamp),
  refusalReason: orNull(Type.String()),
  transactionId: orNull(Type.String()),
});
export type WaitingGrant = Static<typeof WaitingGrant>;

/**
 * The `id` of a hold is that of its send, or the lowest of its sends if sends to one person were accepted together. The
 * `id` of a grant or transfer is its `transactionId`. `amount` is below zero for credits that left the pool.
 */
export const Movement = shape("Movement", {
  id: Type.String(),
  kind: Type.Enum(["grant", "correction", "transfer", "hold", "release"]),
  amount: Type.Integer({ examples: [100] }),
  balanceAfter: Type.Integer(),
  reason: orNull(Type.String()),
  createdAt: Timestamp,
});
export type Movement = Static<typeof Movement>;
