// What the reference says of one message and its life, of credits by day and of changes to campaigns.
import type { Term } from "./glossary.ts";
import type { DocumentedPath } from "./sections.ts";

/** Belongs to the section on campaigns. */
export const campaignChanges: Record<string, DocumentedPath> = {
  "/v1/campaign/{id}/update": {
    fr: "Modifie le nom d’une campagne à tout moment ; son texte, ses contacts et son heure tant qu’elle attend la sienne",
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

/** Belongs to the section on credits. */
export const creditsByDay: Record<string, DocumentedPath> = {
  "/v1/transaction/stats": {
    fr: "Les crédits que l’entreprise avait à la fin de chaque jour et ceux qu’elle a dépensés ce jour-là, le plus récent d’abord",
    example: {},
    defaults: { from: null, to: null },
  },
};

export const lifeTerms: Record<string, Term> = {
  creditAvailable: {
    fr: "Les crédits à la fin du jour, ceux retenus pour des messages en route compris ; aujourd’hui, le solde",
    en: "The credits at the end of the day, with those held for messages under way; today, the balance",
    sample: 9900,
  },
};
