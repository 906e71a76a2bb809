// The section of the reference on companies' webhooks, and the meaning of their fields.
import type { Term } from "./glossary.ts";

export const companyWebhookTerms: Record<string, Term> = {
  webhooks: { fr: "Webhooks", en: "Webhooks", sample: { used: 1, limit: 10 } },
  secret: {
    fr: "Secret de signature des événements",
    en: "Secret that signs the events",
    sample: "whsec_…",
  },
  disabledReason: {
    fr: "Raison de la désactivation : PAUSED par l’entreprise, FAILING après 5 jours sans succès, GONE après une réponse 410",
    en: "Reason why it is disabled: PAUSED by the company, FAILING after 5 days without success, GONE after a 410 response",
    sample: null,
  },
  callbackData: {
    fr: "Texte libre, renvoyé dans les événements de cet envoi. N’y mettez aucune donnée personnelle : un effacement n’y cherche pas",
    en: "Free text, returned in the events of this send. Do not include personal data: an erasure does not search it",
    sample: "commande-42",
  },
};
