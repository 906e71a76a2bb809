// The parts of the reference about one message and its life, credits by day, and changes to campaigns.
import type { Term } from "./glossary.ts";

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
