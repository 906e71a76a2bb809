// The response shapes of resellers.
import { type Static, Type } from "typebox";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";

/** The meanings of the members that several schemas of this capability have. */
export const partnerMeanings = {
  serverApiKey: {
    fr: "Clé de serveur du revendeur",
    en: "Server key of the reseller",
    sample: "<serverApiKey>",
  },
  externalId: {
    fr: "Identifiant unique donné au client par le revendeur",
    en: "Unique ID that the reseller gives to its customer",
    sample: null,
  },
  credit: { fr: "Crédits attribués au client", en: "Credits granted to the customer", sample: 100 },
  price: {
    fr: "Prix, en unités entières de la monnaie",
    en: "Price, in whole units of the currency",
    sample: 5000,
  },
} satisfies Record<string, Meaning>;

export const Partner = shape("Partner", {
  companyId: Type.String(),
  partner: Type.Boolean({ examples: [true] }),
});
export type Partner = Static<typeof Partner>;

export const ServerKey = shape("ServerKey", {
  serverApiKey: member(Type.String(), partnerMeanings.serverApiKey),
});
export type ServerKey = Static<typeof ServerKey>;

/** `id` and `customerId` are the same: lists of the API use the first, the specification the second. */
export const Customer = shape("Customer", {
  id: Type.String(),
  customerId: Type.String(),
  name: Type.String({ examples: ["Salon Fatou"] }),
  externalId: member(orNull(Type.String()), partnerMeanings.externalId),
  balance: Type.Integer({ examples: [0] }),
  createdAt: Timestamp,
});
export type Customer = Static<typeof Customer>;

/** Credits that moved from a reseller to its customer. */
export const Transfer = shape("Transfer", {
  transactionId: Type.String(),
  customerId: Type.String(),
  credit: member(Type.Integer(), partnerMeanings.credit),
  customerBalance: member(Type.Integer(), {
    fr: "Solde du client après l’opération",
    en: "Customer balance after the operation",
    sample: 1,
  }),
  partnerBalance: member(Type.Integer(), {
    fr: "Solde du revendeur après l’opération",
    en: "Reseller balance after the operation",
    sample: 9998,
  }),
});
export type Transfer = Static<typeof Transfer>;

export const Offer = shape("Offer", {
  id: Type.String(),
  name: Type.String({ examples: ["Petit pack"] }),
  price: member(Type.Integer(), partnerMeanings.price),
  credit: Type.Integer(),
  bonusCredit: Type.Integer(),
  archivedAt: orNull(Timestamp),
  createdAt: Timestamp,
});
export type Offer = Static<typeof Offer>;

const PurchaseId = member(Type.String(), {
  fr: "Identifiant de l’achat",
  en: "Purchase ID",
  sample: "66f0c0ffee00000000000001",
});

/** `amount` is the price of the offer when it was bought; `reference` is the one for the payment provider. */
export const Purchase = shape("Purchase", {
  id: Type.String(),
  purchaseId: PurchaseId,
  status: Type.Enum(["PENDING", "PAID", "GRANTED", "FAILED"]),
  amount: Type.Integer(),
  reference: Type.String(),
  customerId: Type.String(),
  offerId: Type.String(),
  credit: Type.Integer(),
  bonusCredit: Type.Integer(),
  createdAt: Timestamp,
  paidAt: member(orNull(Timestamp), { fr: "Date de paiement", en: "Payment time", sample: null }),
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
  eventId: member(orNull(Type.String()), {
    fr: "Identifiant de l’événement",
    en: "Event ID",
    sample: "evt_1",
  }),
  type: orNull(Type.String({ examples: ["payment.succeeded"] })),
  purchaseId: orNull(PurchaseId),
  topupId: orNull(Type.String()),
  companyId: orNull(Type.String()),
  amount: orNull(Type.Integer()),
  currency: orNull(Type.String()),
  status: Type.Enum([...PAYMENT_STATUSES]),
  reason: Type.String({ examples: ["accepted"] }),
  ip: member(orNull(Type.String()), {
    fr: "Adresse IP d’origine",
    en: "Source IP address",
    sample: "192.0.2.1",
  }),
  receivedAt: Timestamp,
});
export type Payment = Static<typeof Payment>;
