// What the reference says of messages received: the section, and its terms.
import type { Term } from "./glossary.ts";

const ID = "66f0c0ffee00000000000001";

export const inboundTerms: Record<string, Term> = {
  number: {
    fr: "Numéro court ou long auquel on écrit, en chiffres",
    en: "Short code or long number that is written to, in digits",
    sample: "98765",
  },
  numberId: { fr: "Identifiant du numéro", en: "Id of the number", sample: ID },
  keyword: {
    fr: "Premier mot qui a décidé, en capitales sans accents ; STOP ou START pour une désinscription ou une réinscription qui a été faite ; null : aucun",
    en: "The first word that decided, in capitals without accents; STOP or START for opting out or in that was carried out; null: none",
    sample: "PROMO",
  },
  keywords: {
    fr: "Mots-clés de l’entreprise sur ce numéro",
    en: "Keywords of the company on this number",
    sample: ["PROMO"],
  },
  isShared: {
    fr: "false : tout ce qui est écrit à ce numéro est pour l’entreprise, sauf les mots-clés d’autres ; true : seulement ses mots-clés",
    en: "false: all that is written to this number is for the company, but for keywords of others; true: only its keywords",
    sample: false,
  },
  unrouted: {
    fr: "true : seulement ce pour quoi aucune entreprise n’a été trouvée",
    en: "true: only what no company was found for",
    sample: true,
  },
  missingSegments: {
    fr: "Parties d’un message long qui ne sont jamais venues ; leur place est marquée […] dans le texte",
    en: "Parts of a long message that never came; their place is marked […] in the text",
    sample: 0,
  },
  received: { fr: "Messages reçus de cette personne", en: "Messages received from this person", sample: 1 },
};
