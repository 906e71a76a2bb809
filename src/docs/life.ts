// What the reference says of one message and its life, of credits by day and of changes to campaigns.
import type { Term } from "./glossary.ts";

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
