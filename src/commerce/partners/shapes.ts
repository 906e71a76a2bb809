// The response shapes of resellers.
import { type Static, Type } from "typebox";
import { orNull, shape, Timestamp } from "../../platform/http/schemas.ts";

export const Partner = shape("Partner", {
  companyId: Type.String(),
  partner: Type.Boolean({ examples: [true] }),
});
export type Partner = Static<typeof Partner>;

export const ServerKey = shape("ServerKey", { serverApiKey: Type.String() });
export type ServerKey = Static<typeof ServerKey>;

/** `id` and `customerId` are the same: lists of the API use the first, the specification the second. */
export const Customer = shape("Customer", {
  id: Type.String(),
  customerId: Type.String(),
  name: Type.String({ examples: ["Salon Fatou"] }),
  externalId: orNull(Type.String()),
  balance: Type.Integer({ examples: [0] }),
  createdAt: Timestamp,
});
export type Customer = Static<typeof Customer>;

/** Credits that moved from a reseller to its customer. */
export const Transfer = shape("Transfer", {
  transactionId: Type.String(),
  customerId: Type.String(),
  credit: Type.Integer(),
  customerBalance: Type.Integer(),
  partnerBalance: Type.Integer(),
});
export type Transfer = Static<typeof Transfer>;

export const Offer = shape("Offer", {
  id: Type.String(),
  name: Type.String({ examples: ["Petit pack"] }),
  price: Type.Integer(),
  credit: Type.Integer(),
  bonusCredit: Type.Integer(),
  archivedAt: orNull(Timestamp),
  createdAt: Timestamp,
});
export type Offer = Static<typeof Offer>;

/** `amount` is the price of the offer when it was bought; `reference` is the one for the payment provider. */
export const Purchase = shape("Purchase", {
  id: Type.String(),
  purchaseId: Type.String(),
  status: Type.Enum(["PENDING", "PAID", "GRANTED", "FAILED"]),
  amount: Type.Integer(),
  reference: Type.String(),
  customerId: Type.String(),
  offerId: Type.String(),
  credit: Type.Integer(),
  bonusCredit: Type.Integer(),
  createdAt: Timestamp,
  paidAt: orNull(Timestamp),
  grantedAt: orNull(Timestamp),
});
export type Purchase = Static<typeof Purchase>;

/** The result of a payment event, in the response to its provider. */
export const Settlement = shape("Settlement", {
  status: Type.Enum(["ACCEPTED", "IGNORED"]),
  reason: Type.String({ examples: ["accepted"] }),
});
export type Settlement = Static<typeof Settlement>;

export const PAYMENT_STATUSES = ["ACCEPTED", "REFUSED", "IGNORED"] as const;

/** A payment event as an administrator sees it; `purchaseId` is the one it named, whether ours or not. */
export const Payment = shape("Payment", {
  id: Type.String(),
  provider: Type.String(),
  eventId: orNull(Type.String()),
  type: orNull(Type.String({ examples: ["payment.succeeded"] })),
  purchaseId: orNull(Type.String()),
  topupId: orNull(Type.String()),
  companyId: orNull(Type.String()),
  amount: orNull(Type.Integer()),
  currency: orNull(Type.String()),
  status: Type.Enum([...PAYMENT_STATUSES]),
  reason: Type.String({ examples: ["accepted"] }),
  ip: orNull(Type.String()),
  receivedAt: Timestamp,
});
export type Payment = Static<typeof Payment>;
