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
    fr: "Seulement les messages derrière celui-ci, comme next l’a dit ; avec status une page peut être courte alors qu’il y en a d’autres, car 100 000 messages au plus sont parcourus",
    en: "Only the messages behind this one, as next said; with status a page may be short though there are more, since 100,000 messages at most are looked at",
    sample: null,
  },
  days: {
    fr: "Ce que les opérateurs ont pris, par jour, genre et opérateur : de from à to, sinon les 30 derniers jours",
    en: "What operators took, by day, kind and operator: from from to to, otherwise the last 30 days",
  },
  messageStatus: {
    fr: "Le statut des messages du CSV ; null : tous",
    en: "The status of the messages of the CSV; null: all",
    sample: null,
  },
  creditAvailable: {
    fr: "Les crédits à la fin du jour, ceux retenus pour des messages en route compris ; aujourd’hui, le solde",
    en: "The credits at the end of the day, with those held for messages under way; today, the balance",
    sample: 9900,
  },
};
