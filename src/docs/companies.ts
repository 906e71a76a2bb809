// The meaning of what an administrator sees and changes of a company: its suspension, its quotas and its campaigns that wait.
import type { Term } from "./glossary.ts";

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
};
