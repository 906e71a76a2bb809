// The section of the reference on the webhooks of companies, and the meaning of their members.
import type { Term } from "./glossary.ts";

export const companyWebhookTerms: Record<string, Term> = {
  webhooks: { fr: "Webhooks", en: "Webhooks", sample: { used: 1, limit: 10 } },
  secret: {
    fr: "Secret qui signe les événements",
    en: "Secret that signs the events",
    sample: "whsec_…",
  },
  disabledReason: {
    fr: "Pourquoi il est hors service : PAUSED par l’entreprise, FAILING sans succès pendant 5 jours, GONE après une réponse 410",
    en: "Why it is out of service: PAUSED by the company, FAILING without success for 5 days, GONE after an answer 410",
    sample: null,
  },
  callbackData: {
    fr: "Un texte à vous, qui revient dans les événements de cet envoi ; sans donnée personnelle, car un effacement ne le cherche pas",
    en: "A text of yours, which comes back in the events of this send; without personal data, since an erasure does not look for it",
    sample: "commande-42",
  },
};
