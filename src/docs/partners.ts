// What the reference says of resellers' paths, in reading order.
import { Type } from "typebox";
import type { Section } from "./sections.ts";
import { shapes } from "./shapes.ts";

const { Campaign, Movement, Customer, Offer, Purchase } = shapes;

const Granted = Type.Object({
  transactionId: Type.String(),
  customerId: Type.String(),
  credit: Type.Integer(),
  customerBalance: Type.Integer(),
  partnerBalance: Type.Integer(),
});
const Outcome = Type.Object({
  status: Type.Enum(["ACCEPTED", "IGNORED"]),
  reason: Type.String({ examples: ["accepted"] }),
});

export const partners: Section = {
  fr: "Revendeurs",
  en: "Resellers",
  entries: {
    "/v1/partner/app/server-key": {
      fr: "Donne une nouvelle clé de serveur, montrée ici seulement ; l’ancienne meurt aussitôt",
      data: Type.Object({ serverApiKey: Type.String() }),
    },
    "/v1/partner/customer/create": {
      fr: "Crée un client du revendeur, sans crédits encore",
      example: { name: "Salon Fatou" },
      data: Customer,
      refusals: ["conflict"],
    },
    "/v1/partner/customer/list": {
      fr: "Liste les clients du revendeur et leurs soldes",
      data: Type.Array(Customer),
    },
    "/v1/partner/customer/{id}": {
      fr: "Lit un client et son solde",
      data: Customer,
      refusals: ["customer-not-found"],
    },
    "/v1/partner/grant-credit": {
      fr: "Donne à un client des crédits du revendeur, au prix de 0",
      example: { customerId: "<customerId>", credit: 1, reason: "Bienvenue" },
      data: Granted,
      refusals: [
        "customer-not-found",
        "insufficient-credits",
        "idempotency-key-reused",
        "idempotency-in-progress",
      ],
    },
    "/v1/partner/customer/{id}/statement": {
      fr: "Ce qui a changé le solde d’un client, le plus récent d’abord",
      data: Type.Array(Movement),
      refusals: ["customer-not-found"],
    },
    "/v1/partner/customer/{id}/campaigns": {
      fr: "Liste ce que des applications ont envoyé pour un client",
      data: Type.Array(Campaign),
      refusals: ["customer-not-found"],
    },
    "/v1/partner/app/offers/create": {
      fr: "Crée une offre : des crédits et un bonus pour un prix",
      example: { name: "Petit pack", price: 5000, credit: 200, bonusCredit: 20 },
      data: Offer,
    },
    "/v1/partner/app/offers/list": {
      fr: "Liste les offres du revendeur, archivées comprises",
      data: Type.Array(Offer),
    },
    "/v1/partner/offer/purchase": {
      fr: "Un client achète une offre ; crédits et bonus viennent une fois qu’elle est payée",
      example: { customerId: "<customerId>", offerId: "<offerId>" },
      data: Purchase,
      refusals: ["customer-not-found", "offer-not-found", "conflict"],
    },
    "/v1/partner/purchase/{id}": {
      fr: "Lit un achat et son état",
      data: Purchase,
      refusals: ["purchase-not-found"],
    },
    "/v1/partner/app/offers/{id}/archive": {
      fr: "Archive une offre : elle ne s’achète plus ; ce qui est acheté peut encore être payé",
      data: Offer,
      refusals: ["offer-not-found"],
    },
    "/v1/payment/webhook/{provider}": {
      fr: "Le prestataire de paiement (standard ou paystack) dit qu’un achat est payé ; signé sur le corps brut, répétable sans risque",
      example: {
        id: "evt_1",
        type: "payment.succeeded",
        data: { purchaseId: "<purchaseId>", amount: 5000 },
      },
      data: Outcome,
      refusals: ["not-found", "purchase-not-found"],
    },
  },
};
