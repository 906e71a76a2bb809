// What the reference says of companies: their members and keys, their suspension, quotas and campaigns that wait.
import type { Term } from "./glossary.ts";
import type { Section } from "./sections.ts";

/** The section on the members and keys of a company, in reading order. */
export const team: Section = {
  fr: "Membres et clés",
  en: "Members and keys",
  entries: {
    "/v1/company/member/create": {
      fr: "Crée un membre de l’entreprise ; son apiKey n’est montrée qu’ici",
      example: { name: "Yao Koffi", phone: "+225 07 00 00 77 77", role: "editor" },
      refusals: ["invalid-phone-number", "conflict"],
    },
    "/v1/company/member/list": { fr: "Liste les membres de l’entreprise" },
    "/v1/company/member/{id}/update": {
      fr: "Modifie un membre ; ce qui n’est pas dit reste",
      example: { role: "approver" },
      refusals: ["not-found", "invalid-phone-number", "conflict"],
    },
    "/v1/company/member/{id}/remove": {
      fr: "Retire un membre : toutes ses clés meurent aussitôt",
      refusals: ["not-found", "conflict"],
    },
    "/v1/company/key/create": {
      fr: "Crée une autre clé de l’entreprise, pour l’appelant ou un autre membre ; son apiKey n’est montrée qu’ici",
      example: { name: "Caisse", scopes: ["send"] },
      refusals: ["not-found", "conflict"],
    },
    "/v1/company/key/list": {
      fr: "Liste les clés de l’entreprise, sans les premières clés de ses membres",
    },
    "/v1/company/key/{id}/update": {
      fr: "Modifie ce à quoi une clé est limitée ; ce qui n’est pas dit reste",
      example: { networks: ["41.202.10.0/24"] },
      refusals: ["not-found"],
    },
    "/v1/company/key/{id}/revoke": {
      fr: "Reprend une clé : elle meurt aussitôt",
      refusals: ["not-found"],
    },
  },
};

export const companyTerms: Record<string, Term> = {
  suspendedAt: {
    fr: "Moment depuis lequel l’entreprise est suspendue ; null : elle ne l’est pas",
    en: "Since when the company is suspended; null: it is not",
  },
  suspensionReason: { fr: "Pourquoi elle est suspendue", en: "Why it is suspended", sample: "Hameçonnage" },
  heldAt: {
    fr: "Depuis quand elle attend un administrateur",
    en: "Since when it waits for an administrator",
    sample: "2026-11-21T09:00:00.000Z",
  },
  quotas: {
    fr: "Ce que l’entreprise peut avoir au plus ; ce qui n’est pas donné reste",
    en: "What the company may have at most; what is not given stays",
  },
  groupMembers: {
    fr: "Contacts dans tous les groupes ; qui est dans deux groupes compte deux fois",
    en: "Contacts in all groups; who is in two groups counts twice",
    sample: 10_000_000,
  },
  optouts: { fr: "Numéros désinscrits", en: "Phones that are opted out", sample: 2_000_000 },
  schedules: {
    fr: "Campagnes qui attendent leur heure",
    en: "Campaigns that wait for their time",
    sample: 100,
  },
  applications: { fr: "Applications", en: "Applications", sample: 100 },
  connections: { fr: "Connexions d’applications", en: "Connections of applications", sample: 10_000 },
  customers: { fr: "Clients d’un revendeur", en: "Customers of a reseller", sample: 100_000 },
  used: { fr: "Ce que l’entreprise a", en: "What the company has", sample: 12 },
  requests: { fr: "Requêtes permises", en: "Requests allowed" },
  perSecond: { fr: "Par seconde, à la longue", en: "A second, in the long run", sample: 50 },
  atOnce: { fr: "D’un coup, après une pause", en: "At once, after a pause", sample: 1_000 },
  offers: { fr: "Offres d’un revendeur", en: "Offers of a reseller", sample: 1_000 },
  keys: {
    fr: "Clés de l’entreprise, sans les premières clés de ses membres",
    en: "Keys of the company, without the first keys of its members",
    sample: 50,
  },
  members: { fr: "Membres de l’entreprise", en: "Members of the company", sample: 100 },
  email: { fr: "Son adresse électronique", en: "Their email address", sample: "yao@example.com" },
  role: {
    fr: "Ce que le membre peut faire",
    en: "What the member may do",
    sample: "editor",
  },
  scopes: {
    fr: "Ce à quoi la clé est limitée ; null : tout ce que permet le rôle de son membre",
    en: "What the key is limited to; null: all that the role of its member allows",
    sample: ["send"],
  },
  networks: {
    fr: "Adresses et plages d’où la clé peut servir ; aucune : toutes",
    en: "Addresses and ranges from which the key may be used; none: any",
    sample: ["41.202.10.0/24"],
  },
  lastUsedAt: {
    fr: "Dernier usage de la clé, à une minute près ; null : aucun",
    en: "When the key was used last, to about a minute; null: never",
  },
  memberId: { fr: "Le membre dont le rôle borne la clé", en: "The member whose role bounds the key" },
  all: {
    fr: "Toutes les autres clés de l’entreprise meurent aussi",
    en: "All other keys of the company die too",
    sample: true,
  },
};
