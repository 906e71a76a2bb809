// The response shapes of top-ups.
import { type Static, Type } from "typebox";
import { member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";

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
  providers: member(Type.Array(Type.Enum([...CHECKOUT_PROVIDERS])), {
    fr: "Prestataires de paiement disponibles pour l’offre. Sans choix, le premier est utilisé. Vide si aucun n’est configuré ici",
    en: "Payment providers available for the offer. Without a choice, the first one is used. Empty if none is configured here",
    sample: ["standard"],
  }),
});
export type TopupOfferOnSale = Static<typeof TopupOfferOnSale>;

/** `EXPIRED` is `PENDING` in the database: it is too old to be paid by its checkout. */
export const TOPUP_STATUSES = ["PENDING", "GRANTED", "FAILED", "EXPIRED"] as const;

const ReceiptNumber = member(Type.String({ examples: ["2026-000001"] }), {
  fr: "Numéro du reçu",
  en: "Receipt number",
});

const NameOfOffer = member(OfferName, { fr: "Nom de l’offre", en: "Offer name" });

/** `checkoutUrl` is null until a provider has opened the checkout. `receiptNumber` is set by the grant. */
export const Topup = shape("Topup", {
  id: Type.String(),
  topupId: Type.String(),
  status: Type.Enum([...TOPUP_STATUSES]),
  offerId: Type.String(),
  offerName: NameOfOffer,
  amount: Type.Integer(),
  currency: Currency,
  credit: Type.Integer(),
  bonusCredit: Type.Integer(),
  reference: Type.String(),
  provider: Type.String(),
  checkoutUrl: member(orNull(Type.String()), {
    fr: "Page de paiement de la recharge, ou null tant que le prestataire ne l’a pas ouverte",
    en: "Payment page of the top-up, or null until the provider has opened it",
    sample: null,
  }),
  userId: Type.String(),
  receiptNumber: orNull(ReceiptNumber),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  grantedAt: orNull(Timestamp),
});
export type Topup = Static<typeof Topup>;

const ProviderReference = member(Type.String({ examples: ["4099260516"] }), {
  fr: "Référence du paiement chez le prestataire",
  en: "Payment reference at the provider",
});

/** A top-up as an administrator sees it. */
export const TopupSold = shape("TopupSold", {
  ...Topup.properties,
  companyId: Type.String(),
  companyName: Type.String({ examples: ["Boutique Awa"] }),
  providerReference: orNull(ProviderReference),
});
export type TopupSold = Static<typeof TopupSold>;

/** The receipt for a company's accounting. It never changes once it is written. */
export const TopupReceipt = shape("TopupReceipt", {
  receiptNumber: ReceiptNumber,
  issuedAt: member(Timestamp, { fr: "Date du reçu", en: "Receipt date", sample: "2026-11-21T09:00:00.000Z" }),
  topupId: Type.String(),
  companyId: Type.String(),
  companyName: Type.String({ examples: ["Boutique Awa"] }),
  offerName: NameOfOffer,
  amount: Type.Integer(),
  currency: Currency,
  credit: Type.Integer(),
  bonusCredit: Type.Integer(),
  provider: Type.String(),
  reference: Type.String(),
  providerReference: ProviderReference,
});
export type TopupReceipt = Static<typeof TopupReceipt>;
