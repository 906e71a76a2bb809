// What the reference says of campaigns, of their drafts and of templates.
import type { Code } from "../kernel/refusals.ts";
import type { Term } from "./glossary.ts";
import { campaignChanges } from "./life.ts";
import type { Section } from "./sections.ts";

const awa = { phone: "2250102030405", name: "Awa" };
const sending: Code[] = [
  "invalid-phone-number",
  "too-many-contacts",
  "no-recipient",
  "group-not-found",
  "sender-not-found",
  "sender-not-accepted",
  "message-too-long",
  "invalid-schedule",
];

/** The section on campaigns, in reading order. */
export const campaigns: Section = {
  fr: "Campagnes",
  en: "Campaigns",
  entries: {
    "/v1/campaign/create": {
      fr: "Envoie un SMS à des personnes, tout de suite, plus tard ou chaque semaine ; la réponse vient avant la remise",
      spends: true,
      example: { contacts: [awa], text: "Bonjour @name" },
      refusals: [
        ...sending,
        "insufficient-credits",
        "conflict",
        "not-found",
        "idempotency-key-reused",
        "idempotency-in-progress",
      ],
    },
    "/v1/campaign/quote": {
      fr: "Chiffre une campagne sans rien envoyer",
      example: { contacts: [awa], text: "Bonjour @name" },
      refusals: [...sending, "conflict"],
    },
    "/v1/campaign/list": {
      fr: "Liste les campagnes ; avec status, type ou search, parmi les 10 000 plus récentes de from à to",
    },
    "/v1/campaign/{id}": {
      fr: "Lit une campagne et ses statistiques",
      refusals: ["campaign-not-found"],
    },
    "/v1/campaign/{id}/messages": {
      fr: "Liste les messages d’une campagne ; `campaign/{id}/export` en fait un CSV, avec le même status",
      refusals: ["campaign-not-found"],
    },
    "/v1/campaign/{id}/duplicate": {
      fr: "Fait un brouillon de ce qu’une campagne disait, pour ceux qui sont encore là",
      refusals: ["campaign-not-found", "conflict"],
    },
    "/v1/campaign/{id}/statistics": {
      fr: "Ce que sont devenus les messages d’une campagne : par opérateur, par raison et dans le temps",
      refusals: ["campaign-not-found"],
    },
    "/v1/campaign/forgotten/list": {
      fr: "Liste les campagnes de l’entreprise qui étaient acceptées et qu’une panne de la base a effacées, les plus récentes d’abord",
    },
    "/v1/campaign/approval/list": {
      fr: "Liste les campagnes qui attendent l’accord d’une deuxième personne de l’entreprise",
    },
    "/v1/campaign/{id}/approve": {
      fr: "Approuve une campagne qu’une autre personne de l’entreprise a créée ; elle part alors",
      spends: true,
      refusals: ["campaign-not-found", "conflict"],
    },
    "/v1/campaign/{id}/decline": {
      fr: "Refuse une campagne qu’une autre personne de l’entreprise a créée ; elle est annulée et remboursée. Le remboursement suit la réponse de quelques secondes : `creditRefunded` et `stats` de cette réponse peuvent ne pas encore le compter",
      example: { reason: "Le prix a changé" },
      refusals: ["campaign-not-found", "conflict", "campaign-not-cancelable"],
    },
    "/v1/campaign/{id}/cancel": {
      fr: "Annule une campagne ; ce qui n’est pas encore chez l’opérateur est remboursé. Le remboursement suit la réponse de quelques secondes : `creditRefunded` et `stats` de cette réponse peuvent ne pas encore le compter",
      refusals: ["campaign-not-found", "campaign-not-cancelable"],
    },
    "/v1/campaign/{id}/resume": {
      fr: "Reprend une campagne récurrente, suspendue parce que 4 envois de suite ont échoué",
      spends: true,
      refusals: ["campaign-not-found", "conflict"],
    },
    "/v1/campaign/{id}/reschedule": {
      fr: "Donne une autre heure à une campagne qui attend la sienne",
      example: { recurring: { monday: "09:30" } },
      refusals: ["campaign-not-found", "invalid-schedule", "conflict"],
    },
    ...campaignChanges,
    "/v1/campaign/draft/save": {
      fr: "Enregistre une campagne inachevée telle quelle ; tout ce qu’elle dit est remplacé",
      example: { name: "Rentrée", text: "Bonjour @name", contacts: [awa] },
      refusals: ["too-many-contacts", "not-found", "conflict"],
    },
    "/v1/campaign/draft/list": { fr: "Liste les campagnes inachevées, la dernière enregistrée d’abord" },
    "/v1/campaign/draft/{id}": {
      fr: "Lit une campagne inachevée et ses destinataires",
      refusals: ["not-found"],
    },
    "/v1/campaign/draft/{id}/delete": {
      fr: "Supprime une campagne inachevée",
      refusals: ["not-found"],
    },
    "/v1/campaign/draft/{id}/submit": {
      fr: "Soumet un brouillon aux membres qui peuvent l’envoyer, prévenus par SMS et par e-mail ; après une modification, le soumettre à nouveau les prévient à nouveau",
      refusals: ["not-found"],
    },
    "/v1/campaign/template/create": {
      fr: "Garde un texte sous un nom, pour s’en resservir",
      example: { name: "Rappel", text: "Bonjour @name, à demain !" },
      refusals: ["message-too-long", "conflict"],
    },
    "/v1/campaign/template/list": { fr: "Liste les modèles de textes, par nom" },
    "/v1/campaign/template/{id}/update": {
      fr: "Modifie un modèle de texte ; ce qui n’est pas dit reste",
      example: { text: "Bonjour @firstName, à demain !" },
      refusals: ["not-found", "message-too-long", "conflict"],
    },
    "/v1/campaign/template/{id}/delete": { fr: "Supprime un modèle de texte", refusals: ["not-found"] },
  },
};

export const campaignTerms: Record<string, Term> = {
  draftId: {
    fr: "Brouillon à l’origine de la campagne. Il est supprimé quand la campagne est acceptée",
    en: "Draft that the campaign comes from. It is deleted when the campaign is accepted",
    sample: null,
  },
  creditAtMost: {
    fr: "Prix total maximal d’une campagne SMS. Si les groupes ont changé depuis le devis et que le prix le dépasse, rien n’est envoyé (`conflict`)",
    en: "Maximum total price of an SMS campaign. If its groups have changed since the quote and the price exceeds it, nothing is sent (`conflict`)",
    sample: null,
  },
  variables: {
    fr: "Variables du texte. Pour un devis ou une campagne, avec le nombre de destinataires sans valeur",
    en: "Variables of the text. For a quote or a campaign, with the number of recipients without a value",
    sample: [],
  },
  missing: {
    fr: "Nombre de destinataires sans valeur pour cette variable",
    en: "Number of recipients without a value for this variable",
    sample: 0,
  },
  submittedBy: {
    fr: "Membre qui a soumis le brouillon",
    en: "Member who submitted the draft",
    sample: null,
  },
  fallback: {
    fr: "Texte de remplacement de la variable, écrit `@firstName|cher client`. Il s’arrête à la ponctuation, au saut de ligne ou à un second `|`, et compte 40 caractères au plus",
    en: "Fallback text of the variable, written `@firstName|dear customer`. It ends at punctuation, a line break or a second `|`, and has at most 40 characters",
    sample: "cher client",
  },
  breakdown: {
    fr: "Prix des messages par pays et par longueur : messages × segments × creditsPerSegment = credits",
    en: "Price of the messages by country and length: messages × segments × creditsPerSegment = credits",
  },
  callingCode: { fr: "Indicatif téléphonique du pays", en: "Calling code of the country" },
  creditsPerSegment: {
    fr: "Prix d’un SMS vers ce pays, en crédits",
    en: "Price of one SMS to this country, in credits",
    sample: 1,
  },
  revision: {
    fr: "Numéro de version, augmenté à chaque enregistrement. Un ancien numéro est refusé (`conflict`)",
    en: "Revision number, incremented on each save. An old number is refused (`conflict`)",
    sample: 1,
  },
  drafts: { fr: "Brouillons de campagnes", en: "Campaign drafts", sample: 100 },
  templates: { fr: "Modèles de textes", en: "Text templates", sample: 500 },
};
