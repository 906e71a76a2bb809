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
    "/v1/company/export": {
      fr: "Commence une archive de ce que l’entreprise a, en CSV et en JSON",
    },
    "/v1/company/export/{id}": {
      fr: "Dit où en est une archive, et où la chercher",
      refusals: ["not-found"],
    },
    "/v1/campaign/{id}/export": {
      fr: "Commence un CSV des messages d’une campagne, ou d’une de ses exécutions ; de tous, ou de ceux d’un statut",
      refusals: ["campaign-not-found", "conflict"],
    },
    "/v1/campaign/export/{exportId}": {
      fr: "Dit où en est un CSV d’une campagne, et où le chercher",
      refusals: ["not-found"],
    },
    "/v1/company/close": {
      fr: "Ferme l’entreprise : elle n’envoie plus rien, et est vidée après 30 jours",
      example: { confirm: "<companyToClose>" },
      refusals: ["conflict"],
    },
    "/v1/company/reopen": {
      fr: "Rouvre l’entreprise fermée ; ce qui est en file repart",
      refusals: ["conflict"],
    },
  },
};

export const privacyTerms: Record<string, Term> = {
  percent: { fr: "Part faite, en pour cent", en: "Part that is done, in per cent", sample: 40 },
  erased: { fr: "Ce qui a été effacé jusqu’ici", en: "What was erased so far" },
  codes: { fr: "Mots de passe à usage unique", en: "One-time passwords", sample: 1 },
  events: { fr: "Événements de webhooks", en: "Events of webhooks", sample: 1 },
  confirm: {
    fr: "L’identifiant de l’entreprise à fermer, encore une fois",
    en: "The id of the company to close, once more",
    sample: "<companyToClose>",
  },
  emptyAt: { fr: "Vidée à partir de", en: "Emptied from then on", sample: null },
  closedAt: {
    fr: "Moment depuis lequel l’entreprise s’est fermée ; null : elle ne l’est pas",
    en: "Since when the company has closed itself; null: it has not",
    sample: null,
  },
  url: {
    fr: "Où chercher l’archive, tant que vaut la clé qui lit ce lien",
    en: "Where to fetch the archive, while the key that reads this link is valid",
    sample: null,
  },
  exportId: { fr: "Identifiant de l’export", en: "Id of the export", sample: "<exportId>" },
  rows: { fr: "Lignes", en: "Rows", sample: 1_200 },
  bytes: { fr: "Octets", en: "Bytes", sample: 40_000 },
  doneAt: { fr: "Terminé le", en: "Done at", sample: null },
};
