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
  percent: { fr: "Avancement, en pourcentage", en: "Progress, in percent", sample: 40 },
  erased: { fr: "Éléments effacés jusqu’ici", en: "Items erased so far" },
  codes: { fr: "Mots de passe à usage unique", en: "One-time passwords", sample: 1 },
  events: { fr: "Événements de webhooks", en: "Webhook events", sample: 1 },
  confirm: {
    fr: "Identifiant de l’entreprise à fermer, répété pour confirmation",
    en: "ID of the company to close, repeated for confirmation",
    sample: "<companyToClose>",
  },
  emptyAt: {
    fr: "Date à partir de laquelle les données de l’entreprise sont supprimées",
    en: "Time from which the company’s data is deleted",
    sample: null,
  },
  closedAt: {
    fr: "Date de fermeture de l’entreprise à sa demande, ou null si elle n’est pas fermée",
    en: "Time when the company was closed at its own request, or null if it is not closed",
    sample: null,
  },
  url: {
    fr: "Lien de téléchargement de l’archive, valable aussi longtemps que la clé qui lit ce lien",
    en: "Download link for the archive, valid as long as the key that reads this link",
    sample: null,
  },
  exportId: { fr: "Identifiant de l’export", en: "Export ID", sample: "<exportId>" },
  rows: { fr: "Nombre de lignes", en: "Number of rows", sample: 1_200 },
  bytes: { fr: "Taille, en octets", en: "Size, in bytes", sample: 40_000 },
  doneAt: { fr: "Date de fin", en: "Completion time", sample: null },
};
