// What the reference says of messages received: the section, and its terms.
import type { Term } from "./glossary.ts";
import type { Section } from "./sections.ts";

const ID = "66f0c0ffee00000000000001";

export const inbound: Section = {
  fr: "Messages reçus",
  en: "Messages received",
  entries: {
    "/v1/inbound/list": {
      fr: "Liste ce que des téléphones ont écrit à l’entreprise, le plus récent d’abord ; des filtres, un mène à 10 000 messages au plus, parmi lesquels les autres choisissent",
      refusals: ["invalid-phone-number"],
      defaults: { number: null, keyword: null, campaignId: null },
    },
    "/v1/inbound/{id}": { fr: "Lit un message qu’un téléphone a écrit", refusals: ["not-found"] },
    "/v1/inbound/number/list": { fr: "Liste les numéros et les mots-clés où l’entreprise reçoit" },
    "/v1/admin/inbound/list": {
      fr: "Liste ce qui a été écrit à toutes les entreprises, à une seule, ou à personne (unrouted), le plus récent d’abord",
      refusals: ["invalid-phone-number"],
      defaults: { number: null, unrouted: null },
    },
    "/v1/admin/inbound/number/create": {
      fr: "Donne un numéro court ou long à une entreprise ; sans entreprise, ses mots-clés décident. STOP et START, écrits au numéro d’une entreprise, sont pour elle",
      example: { number: "36123" },
      refusals: ["not-found", "conflict"],
      defaults: { operatorId: null },
    },
    "/v1/admin/inbound/number/list": { fr: "Liste les numéros auxquels on peut écrire" },
    "/v1/admin/inbound/number/{id}/update": {
      fr: "Donne un numéro à une autre entreprise ou à un autre opérateur ; un texte vide les retire",
      example: { companyId: "" },
      refusals: ["not-found", "conflict"],
    },
    "/v1/admin/inbound/number/{id}/delete": {
      fr: "Supprime un numéro et ses mots-clés ; ce qui est reçu reste",
      refusals: ["not-found"],
    },
    "/v1/admin/inbound/keyword/create": {
      fr: "Donne à une entreprise les messages qui commencent par un mot, sur un numéro ; STOP, START et leurs synonymes sont réservés",
      example: { numberId: "<numberId>", keyword: "PROMO", companyId: "<companyId>" },
      refusals: ["not-found", "conflict"],
    },
    "/v1/admin/inbound/keyword/list": {
      fr: "Liste les mots-clés d’un numéro, par ordre alphabétique",
      example: { numberId: "<numberId>" },
      refusals: ["not-found"],
    },
    "/v1/admin/inbound/keyword/{id}/delete": {
      fr: "Supprime un mot-clé ; ses messages vont à qui a le numéro",
      refusals: ["not-found"],
    },
  },
};

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
