// The section of the reference on the webhooks of companies, and the meaning of their members.
import type { Term } from "./glossary.ts";
import type { Section } from "./sections.ts";

const THERE = ["not-found"] as const;
const FRESH = ["sign-in-required"] as const;

export const companyWebhooks: Section = {
  fr: "Webhooks de l’entreprise",
  en: "Webhooks of the company",
  entries: {
    "/v1/company/webhook/create": {
      fr: "Crée un webhook pour les événements choisis, avec son secret ; il entend les envois acceptés à partir de là, ceux de l’entreprise et ceux des applications qu’elle paie",
      example: { url: "<webhookUrl>", events: ["message.delivered", "message.failed"], name: "Site" },
      refusals: ["conflict", ...FRESH],
    },
    "/v1/company/webhook/list": { fr: "Liste les webhooks de l’entreprise" },
    "/v1/company/webhook/{id}": { fr: "Lit un webhook", refusals: [...THERE] },
    "/v1/company/webhook/{id}/update": {
      fr: "Modifie un webhook, le met en pause ou le remet en service ; ce qui n’est pas donné reste, et l’adresse affichée avec ses valeurs masquées (?token=••••) aussi",
      example: { events: ["message.failed", "campaign.completed", "credit.low"] },
      refusals: [...THERE, ...FRESH],
    },
    "/v1/company/webhook/{id}/rotate-secret": {
      fr: "Donne un nouveau secret à un webhook ; l’ancien signe encore 24 heures à côté",
      refusals: [...THERE, ...FRESH],
    },
    "/v1/company/webhook/{id}/test": {
      fr: "Envoie un événement d’essai à un webhook",
      refusals: [...THERE, "conflict"],
    },
    "/v1/company/webhook/{id}/deliveries": {
      fr: "Liste ce qui est parti vers un webhook, le plus récent d’abord",
      refusals: [...THERE],
    },
    "/v1/company/webhook/{id}/{deliveryId}": {
      fr: "Lit un envoi : ce qui est posté, le nombre d’essais et la dernière réponse",
      refusals: [...THERE],
    },
    "/v1/company/webhook/{id}/{deliveryId}/replay": {
      fr: "Renvoie un envoi sous le même identifiant",
      refusals: [...THERE, "conflict"],
    },
    "/v1/company/webhook/{id}/delete": {
      fr: "Supprime un webhook ; ce qui attend est annulé",
      refusals: [...THERE],
    },
  },
};

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
