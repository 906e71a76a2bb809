// The response shapes of top-ups.
import { type Static, Type } from "typebox";
import { orNull, shape, Timestamp } from "../../platform/http/schemas.ts";

const OfferName = Type.String({ examples: ["Petit pack"] });
const Currency = Type.String({ examples: ["XOF"] });

/** An offer of the service: an amount of credits, and a bonus, for a price. */
export const TopupOffer = shape("TopupOffer", {
  id: Type.String(),
  name: OfferName,
  amount: Type.Integer(),
  currency: Currency,
  credit: Type.Integer(),
  bonusCredit: Type.Integer(),
  archivedAt: orNull(Timestamp),
  createdAt: Timestamp,
});
export type TopupOffer = Static<typeof TopupOffer>;

export const CHECKOUT_PROVIDERS = ["paystack", "standard"] as const;

/** An offer that a company can buy, by one of `providers`: the first is the default. Empty: it cannot be bought. */
export const TopupOfferOnSale = shape("TopupOfferOnSale", {
  ...TopupOffer.properties,
  providers: Type.Array(Type.Enum([...CHECKOUT_PROVIDERS])),
});
export type TopupOfferOnSale = Static<typeof TopupOfferOnSale>;

/** `EXPIRED` is `PENDING` in the database: it is too old to be paid by its checkout. */
export const TOPUP_STATUSES = ["PENDING", "GRANTED", "FAILED", "EXPIRED"] as const;

/** `checkoutUrl` is null until a provider has opened the checkout. `receiptNumber` is set by the grant. */
export const Topup = shape("Topup", {
  id: Type.String(),
  topupId: Type.String(),
  status: Type.Enum([...TOPUP_STATUSES]),
  offerId: Type.String(),
  offerName: OfferName,
  amount: Type.Integer(),
  currency: Currency,
  credit: Type.Integer(),
  bonusCredit: Type.Integer(),
  reference: Type.String(),
  provider: Type.String(),
  checkoutUrl: orNull(Type.String()),
  userId: Type.String(),
  receiptNumber: orNull(Type.String({ examples: ["2026-000001"] })),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  grantedAt: orNull(Timestamp),
});
export type Topup = Static<typeof Topup>;

/** A top-up as an administrator sees it. */
export const TopupSold = shape("TopupSold", {
  ...Topup.properties,
  companyId: Type.String(),
  companyName: Type.String({ examples: ["Boutique Awa"] }),
  providerReference: orNull(Type.String({ examples: ["4099260516"] })),
});
export type TopupSold = Static<typeof TopupSold>;

/** The receipt for a company's accounting. It never changes once it is written. */
export const TopupReceipt = shape("TopupReceipt", {
  receiptNumber: Type.String({ examples: ["2026-000001"] }),
  issuedAt: Timestamp,
  topupId: Type.String(),
  companyId: Type.String(),
  companyName: Type.String({ examples: ["Boutique Awa"] }),
  offerName: OfferName,
  amount: Type.Integer(),
  currency: Currency,
  credit: Type.Integer(),
  bonusCredit: Type.Integer(),
  provider: Type.String(),
  reference: Type.String(),
  providerReference: Type.String({ examples: ["4099260516"] }),
});
export type TopupReceipt = Static<typeof TopupReceipt>;
