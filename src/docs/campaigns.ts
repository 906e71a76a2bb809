// What the reference says of campaigns, of their drafts and of templates.
import type { Term } from "./glossary.ts";

export const campaignTerms: Record<string, Term> = {
  draftId: {
    fr: "Le brouillon d’où vient la campagne ; il disparaît quand elle est acceptée",
    en: "The draft that the campaign comes from; it goes when the campaign is accepted",
    sample: null,
  },
  creditAtMost: {
    fr: "Le prix entier le plus haut, pour une campagne SMS : au-dessus rien ne part (`conflict`), car ses groupes ont changé depuis qu’elle fut chiffrée",
    en: "The highest whole price, for an SMS campaign: above it nothing goes (`conflict`), since its groups have changed after it was priced",
    sample: null,
  },
  variables: {
    fr: "Les variables du texte ; pour un devis ou une campagne, avec le nombre de destinataires sans valeur",
    en: "The variables of the text; for a quote or a campaign, with the number of recipients without a value",
    sample: [],
  },
  missing: {
    fr: "Le nombre de destinataires sans valeur pour cette variable",
    en: "The number of recipients without a value for this variable",
    sample: 0,
  },
  submittedBy: {
    fr: "Le membre qui a soumis le brouillon",
    en: "The member who submitted the draft",
    sample: null,
  },
  fallback: {
    fr: "Le texte de remplacement de la variable, écrit `@firstName|cher client` : il va jusqu’à la ponctuation, au saut de ligne ou à un second `|`, sur 40 caractères au plus",
    en: "The fallback text of the variable, written `@firstName|dear customer`: it ends at punctuation, a line break or a second `|`, within 40 characters",
    sample: "cher client",
  },
  breakdown: {
    fr: "Ce que coûtent les messages par pays et par longueur : messages × segments × creditsPerSegment = credits",
    en: "What the messages cost by country and length: messages × segments × creditsPerSegment = credits",
  },
  callingCode: { fr: "Indicatif téléphonique du pays", en: "Calling code of the country" },
  creditsPerSegment: {
    fr: "Crédits pour un SMS vers ce pays",
    en: "Credits for one SMS to this country",
    sample: 1,
  },
  revision: {
    fr: "Compte les enregistrements ; qui en donne une ancienne est refusé (`conflict`)",
    en: "Counts the saves; whoever gives an old one is refused (`conflict`)",
    sample: 1,
  },
  drafts: { fr: "Brouillons de campagnes", en: "Drafts of campaigns", sample: 100 },
  templates: { fr: "Modèles de textes", en: "Templates of texts", sample: 500 },
};
