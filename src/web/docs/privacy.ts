// The section of the reference on erasing people's data.
import type { Term } from "./glossary.ts";

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
