// What the reference says of top-ups: the section on what the service sells to companies, and its terms.
import type { Term } from "./glossary.ts";

export const topupTerms: Record<string, Term> = {
  topupId: { fr: "Identifiant de la recharge", en: "Id of the top-up", sample: "66f0c0ffee00000000000001" },
  offerName: { fr: "Nom de l’offre", en: "Name of the offer", sample: "Petit pack" },
  providers: {
    fr: "Prestataires par lesquels l’offre s’achète ; sans choix, le premier. Vide : aucun n’est configuré ici",
    en: "Providers by which the offer can be bought; the first one without a choice. Empty: none is configured here",
    sample: ["standard"],
  },
  checkoutUrl: {
    fr: "Page où la recharge se paie ; null tant que le prestataire ne l’a pas ouverte",
    en: "Page on which the top-up is paid; null until the provider has opened it",
    sample: null,
  },
  returnUrl: {
    fr: "Où la page de paiement ramène ensuite ; https",
    en: "Where the page of the provider leads back to; https",
    sample: "<webhookUrl>",
  },
  receiptNumber: { fr: "Numéro du reçu", en: "Number of the receipt", sample: "2026-000001" },
  issuedAt: { fr: "Date du reçu", en: "Date of the receipt", sample: "2026-11-21T09:00:00.000Z" },
  providerReference: {
    fr: "Comment le prestataire appelle le paiement",
    en: "What the provider calls the payment",
    sample: "4099260516",
  },
};
