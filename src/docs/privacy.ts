// The section of the reference on data that must go: erasing people.
import type { Term } from "./glossary.ts";

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
