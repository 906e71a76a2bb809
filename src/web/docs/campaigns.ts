// The parts of the reference about campaigns, their drafts, and templates.
import type { Term } from "./glossary.ts";

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
