// The section of the reference on the paths of resellers, in reading order.
import type { Section } from "./sections.ts";

export const partners: Section = {
  fr: "Revendeurs",
  en: "Resellers",
  entries: {
    "/v1/partner/app/server-key": {
      fr: "Donne une nouvelle clé de serveur, montrée ici seulement ; l’ancienne meurt aussitôt",
    },
    "/v1/partner/customer/create": {
      fr: "Crée un client du revendeur, sans crédits encore",
      example: { name: "Salon Fatou" },
      refusals: ["conflict"],
    },
    "/v1/partner/customer/list": {
      fr: "Liste les clients du revendeur et leurs soldes",
    },
    "/v1/partner/customer/{id}": {
      fr: "Lit un client et son solde",
      refusals: ["customer-not-found"],
    },
    "/v1/partner/grant-credit": {
      fr: "Donne à un client des crédits du revendeur, au prix de 0",
      spends: true,
      example: { customerId: "<customerId>", credit: 1, reason: "Bienvenue" },
      refusals: [
        "customer-not-found",
        "insufficient-credits",
        "idempotency-key-reused",
        "idempotency-in-progress",
      ],
    },
    "/v1/partner/customer/{id}/statement": {
      fr: "Ce qui a changé le solde d’un client, le plus récent d’abord",
      refusals: ["customer-not-found"],
    },
    "/v1/partner/customer/{id}/campaigns": {
      fr: "Liste ce que des applications ont envoyé pour un client",
      refusals: ["customer-not-found"],
    },
    "/v1/partner/app/offers/create": {
      fr: "Crée une offre : des crédits et un bonus pour un prix",
      example: { name: "Petit pack", price: 5000, credit: 200, bonusCredit: 20 },
      refusals: ["conflict"],
    },
    "/v1/partner/app/offers/list": {
      fr: "Liste les offres du revendeur, archivées comprises",
    },
    "/v1/partner/offer/purchase": {
      fr: "Un client achète une offre ; crédits et bonus viennent une fois qu’elle est payée",
      example: { customerId: "<customerId>", offerId: "<offerId>" },
      refusals: [
        "customer-not-found",
        "offer-not-found",
        "conflict",
        "idempotency-key-reused",
        "idempotency-in-progress",
      ],
    },
    "/v1/partner/purchase/{id}": {
      fr: "Lit un achat et son état",
      refusals: ["purchase-not-found"],
    },
    "/v1/partner/app/offers/{id}/archive": {
      fr: "Archive une offre : elle ne s’achète plus ; ce qui est acheté peut encore être payé",
      refusals: ["offer-not-found"],
    },
    "/v1/payment/webhook/{provider}": {
      fr: "Le prestataire de paiement (standard ou paystack) dit qu’un achat est payé ; signé sur le corps brut, répétable sans risque",
      example: {
        id: "evt_1",
        type: "payment.succeeded",
        data: { purchaseId: "<purchaseId>", amount: 5000 },
      },
      refusals: ["not-found", "purchase-not-found"],
    },
  },
};
