// The section of the reference on data that must go: erasing people.
import type { Term } from "./glossary.ts";
import type { Section } from "./sections.ts";

export const privacy: Section = {
  fr: "Données personnelles",
  en: "Personal data",
  entries: {
    "/v1/contact/erase": {
      fr: "Efface une personne de tout ce que l’entreprise a d’elle ; sa désinscription reste",
      example: { phone: "2250102030406" },
      refusals: ["invalid-phone-number"],
    },
    "/v1/contact/erase/{id}": {
      fr: "Dit où en est un effacement, et ce qui a été effacé",
      refusals: ["not-found"],
    },
    "/v1/admin/person/erase": {
      fr: "Efface une personne de tous les comptes ; ses désinscriptions restent",
      example: { phone: "2250102030406" },
      refusals: ["invalid-phone-number"],
    },
    "/v1/admin/person/erase/{id}": {
      fr: "Dit où en est un effacement de tous les comptes",
      refusals: ["not-found"],
    },
  },
};

export const privacyTerms: Record<string, Term> = {
  percent: { fr: "Part faite, en pour cent", en: "Part that is done, in per cent", sample: 40 },
  erased: { fr: "Ce qui a été effacé jusqu’ici", en: "What was erased so far" },
  codes: { fr: "Mots de passe à usage unique", en: "One-time passwords", sample: 1 },
  events: { fr: "Événements de webhooks", en: "Events of webhooks", sample: 1 },
  doneAt: { fr: "Terminé le", en: "Done at", sample: null },
};
