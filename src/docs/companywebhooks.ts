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
