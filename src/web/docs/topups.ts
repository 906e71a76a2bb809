// The parts of the reference about top-ups: the section on the credits that the service sells, and its terms.
import type { Term } from "./glossary.ts";

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
