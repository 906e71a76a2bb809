// What the reference says of one message and its life, of credits by day and of changes to campaigns.
import type { Term } from "./glossary.ts";
import type { DocumentedPath } from "./sections.ts";

/** Belongs to the section on campaigns. */
export const campaignChanges: Record<string, DocumentedPath> = {
  "/v1/campaign/{id}/toggle-enable": {
    fr: "Suspend une campagne récurrente, ou la reprend ; les envois de la période suspendue sont sautés, inscrits avec l’erreur `paused` et ne coûtent rien",
    refusals: ["campaign-not-found", "campaign-not-cancelable", "conflict"],
  },
  "/v1/campaign/{id}/update": {
    fr: "Modifie le nom d’une campagne à tout moment ; son texte, ses contacts et son heure tant qu’elle attend la sienne. Si elle a été soumise à l’approbation d’une deuxième personne, son texte et ses contacts ne changent plus (conflict) : annulez-la et créez-en une autre",
    example: { name: "Rentrée des classes" },
    refusals: [
      "campaign-not-found",
      "conflict",
      "invalid-schedule",
      "message-too-long",
      "invalid-phone-number",
      "too-many-contacts",
      "no-recipient",
    ],
    defaults: { name: null, text: null, contacts: null, scheduledDate: null, recurring: null },
  },
};

/** Belongs to the section on statistics and search. */
export const oneMessage: Record<string, DocumentedPath> = {
  "/v1/message/{id}": {
    fr: "Lit un message, et ce qui lui est arrivé quand ; son id est dans les listes de messages",
    refusals: ["not-found"],
  },
};

/** Belongs to the section on credits. */
export const creditsByDay: Record<string, DocumentedPath> = {
  "/v1/transaction/stats": {
    fr: "Les crédits que l’entreprise avait à la fin de chaque jour et ceux qu’elle a dépensés ce jour-là, le plus récent d’abord",
    example: {},
    defaults: { from: null, to: null },
  },
};

export const lifeTerms: Record<string, Term> = {
  afterId: {
    fr: "Curseur de page : renvoie les messages qui suivent celui-ci. Donnez la valeur de next. Avec status, une page incomplète n’est pas toujours la dernière, car 100 000 messages au plus sont parcourus",
    en: "Page cursor: returns the messages after this one. Pass the value of next. With status, a short page is not always the last one, because at most 100,000 messages are searched",
    sample: null,
  },
  days: {
    fr: "Messages acceptés par les opérateurs, par jour, type et opérateur, pour la période de from à to, sinon pour les 30 derniers jours",
    en: "Messages accepted by operators, by day, kind and operator, for the period given by from and to, otherwise for the last 30 days",
  },
  messageStatus: {
    fr: "Statut des messages du CSV, ou null pour tous",
    en: "Status of the messages in the CSV, or null for all",
    sample: null,
  },
  creditAvailable: {
    fr: "Crédits à la fin du jour, y compris ceux réservés pour des messages en cours. Pour aujourd’hui, le solde",
    en: "Credits at the end of the day, including those reserved for messages in flight. For today, the balance",
    sample: 9900,
  },
};
