// What the reference says of top-ups: the section on what the service sells to companies, and its terms.
import type { Term } from "./glossary.ts";
import type { Section } from "./sections.ts";

export const topups: Section = {
  fr: "Recharges",
  en: "Top-ups",
  entries: {
    "/v1/admin/offer/create": {
      fr: "Met en vente une offre du service : des crédits et un bonus pour un montant ; en XOF sauf mention contraire",
      example: { name: "Petit pack", credit: 200, bonusCredit: 20, amount: 5000 },
      refusals: ["conflict"],
      defaults: { currency: "XOF" },
    },
    "/v1/admin/offer/list": { fr: "Liste les offres du service, archivées comprises" },
    "/v1/admin/topup/list": { fr: "Liste les recharges de toutes les entreprises" },
    "/v1/topup/offer/list": { fr: "Liste ce que le service vend, le moins cher d’abord" },
    "/v1/topup/begin": {
      fr: "Commence une recharge et ouvre la page du prestataire de paiement ; les crédits viennent une fois qu’elle est payée",
      example: { offerId: "<offerId>" },
      refusals: ["offer-not-found", "conflict", "idempotency-key-reused", "idempotency-in-progress"],
    },
    "/v1/topup/list": { fr: "Liste les recharges de l’entreprise" },
    "/v1/topup/{id}": { fr: "Lit une recharge et son état", refusals: ["not-found"] },
    "/v1/topup/{id}/checkout": {
      fr: "Ouvre la page de paiement d’une recharge dont le premier essai a échoué, ou rend celle qui est ouverte",
      refusals: ["not-found", "conflict"],
    },
    "/v1/topup/{id}/receipt": {
      fr: "Le reçu d’une recharge payée ; les reçus d’une année se suivent sans trou",
      refusals: ["not-found", "conflict"],
    },
    "/v1/admin/offer/{id}/archive": {
      fr: "Retire une offre du service de la vente ; ce qui est commencé peut encore être payé",
      refusals: ["offer-not-found"],
    },
  },
};

export const topupTerms: Record<string, Term> = {
  topupId: { fr: "Identifiant de la recharge", en: "Top-up ID", sample: "66f0c0ffee00000000000001" },
  offerName: { fr: "Nom de l’offre", en: "Offer name", sample: "Petit pack" },
  providers: {
    fr: "Prestataires de paiement disponibles pour l’offre. Sans choix, le premier est utilisé. Vide si aucun n’est configuré ici",
    en: "Payment providers available for the offer. Without a choice, the first one is used. Empty if none is configured here",
    sample: ["standard"],
  },
  checkoutUrl: {
    fr: "Page de paiement de la recharge, ou null tant que le prestataire ne l’a pas ouverte",
    en: "Payment page of the top-up, or null until the provider has opened it",
    sample: null,
  },
  returnUrl: {
    fr: "Adresse https de retour après la page de paiement",
    en: "https URL to return to after the payment page",
    sample: "<webhookUrl>",
  },
  receiptNumber: { fr: "Numéro du reçu", en: "Receipt number", sample: "2026-000001" },
  issuedAt: { fr: "Date du reçu", en: "Receipt date", sample: "2026-11-21T09:00:00.000Z" },
  providerReference: {
    fr: "Référence du paiement chez le prestataire",
    en: "Payment reference at the provider",
    sample: "4099260516",
  },
};
