// The parts of the reference about incoming messages: the section, its terms, and fields with a meaning of their own.
import type { Exception } from "./elsewhere.ts";
import type { Term } from "./glossary.ts";

const ID = "66f0c0ffee00000000000001";

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
