// What the reference says of messages received: the section, its terms, and what members mean there alone.
import type { Exception } from "./elsewhere.ts";
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
    fr: "Numéro court ou long de réception, en chiffres",
    en: "Short code or long number that receives messages, in digits",
    sample: "98765",
  },
  numberId: { fr: "Identifiant du numéro", en: "Number ID", sample: ID },
  keyword: {
    fr: "Mot-clé, premier mot du message, qui a déterminé l’entreprise, en majuscules sans accents. STOP ou START pour une désinscription ou une réinscription effectuée. null s’il n’y en a pas",
    en: "Keyword, the first word of the message, that determined the company, in uppercase without accents. STOP or START for an opt-out or opt-in that was carried out. null if there is none",
    sample: "PROMO",
  },
  keywords: {
    fr: "Mots-clés de l’entreprise sur ce numéro",
    en: "Keywords of the company on this number",
    sample: ["PROMO"],
  },
  isShared: {
    fr: "false : l’entreprise reçoit tous les messages envoyés à ce numéro, sauf ceux des mots-clés d’autres entreprises. true : elle reçoit seulement ceux de ses mots-clés",
    en: "false: the company receives all messages sent to this number, except those for keywords of other companies. true: it receives only those for its own keywords",
    sample: false,
  },
  unrouted: {
    fr: "true : seulement les messages pour lesquels aucune entreprise n’a été trouvée",
    en: "true: only messages for which no company was found",
    sample: true,
  },
  missingSegments: {
    fr: "Nombre de parties jamais reçues d’un message long. Leur place est marquée […] dans le texte",
    en: "Number of parts of a long message that were never received. Their place is marked […] in the text",
    sample: 0,
  },
  received: { fr: "Messages reçus de cette personne", en: "Messages received from this person", sample: 1 },
};

export const inboundExceptions: readonly Exception[] = [
  {
    member: "operatorId",
    path: /inbound\/number/,
    fr: "Opérateur qui transmet les messages reçus par ce numéro. Sans valeur, tous les opérateurs",
    en: "Operator that delivers the messages received by this number. If not set, all operators",
  },
  {
    member: "from",
    path: /inbound\//,
    isAsked: false,
    fr: "Numéro du téléphone qui a écrit",
    en: "Number of the phone that sent the message",
  },
  {
    member: "to",
    path: /inbound\//,
    isAsked: false,
    fr: "Nom d’expéditeur ou numéro auquel le téléphone a écrit",
    en: "Sender name or number that the message was sent to",
  },
  {
    member: "keyword",
    path: /keyword\/create/,
    isAsked: true,
    fr: "Mot de lettres et de chiffres. Les majuscules et les accents ne comptent pas",
    en: "Word of letters and digits. Case and accents do not matter",
  },
  { member: "text", path: /inbound\//, fr: "Texte du message reçu", en: "Text of the incoming message" },
  {
    member: "campaignId",
    path: /inbound\//,
    isAsked: false,
    fr: "Campagne à laquelle le message répond, ou null",
    en: "Campaign that the message replies to, or null",
  },
];
