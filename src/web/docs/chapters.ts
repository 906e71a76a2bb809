// The chapters of the reference, in reading order, and the URLs of each.
import type { Sentence } from "../../platform/http/refusals.ts";

/** `of` are prefixes of paths, in reading order. A path belongs to the chapter with its longest prefix. */
export type ChapterOf = Sentence & { of: readonly string[] };

export const chapters: readonly ChapterOf[] = [
  { fr: "Campagnes", en: "Campaigns", of: ["/v1/campaign"] },
  {
    fr: "Statistiques et recherche",
    en: "Statistics and search",
    of: ["/v1/statistics", "/v1/message", "/v1/admin/message", "/v1/admin/statistics"],
  },
  { fr: "Messages reçus", en: "Messages received", of: ["/v1/inbound", "/v1/admin/inbound"] },
  { fr: "Contacts", en: "Contacts", of: ["/v1/contact"] },
  { fr: "Imports de contacts", en: "Imports of contacts", of: ["/v1/contact/import"] },
  { fr: "Groupes", en: "Groups", of: ["/v1/group"] },
  { fr: "Expéditeurs", en: "Sender IDs", of: ["/v1/sender"] },
  { fr: "Désinscriptions", en: "Opt-outs", of: ["/v1/optout"] },
  { fr: "Mots de passe à usage unique", en: "One-time passwords", of: ["/v1/auth"] },
  {
    fr: "Crédits et compte",
    en: "Credits and account",
    of: ["/v1/credit", "/v1/user", "/v1/transaction", "/v1/company"],
  },
  { fr: "Connexion des personnes", en: "Signing in", of: ["/v1/signup", "/v1/session"] },
  {
    fr: "Membres et clés",
    en: "Members and keys",
    of: ["/v1/company/member", "/v1/company/approval", "/v1/company/key"],
  },
  {
    fr: "Administration",
    en: "Administration",
    of: [
      "/v1/admin/company",
      "/v1/admin/campaign",
      "/v1/admin/credit",
      "/v1/admin/sender",
      "/v1/admin/otp",
      "/v1/admin/partner",
      "/v1/admin",
    ],
  },
  {
    fr: "Administrateurs",
    en: "Administrators",
    of: ["/v1/admin/user", "/v1/admin/session", "/v1/admin/key"],
  },
  { fr: "Journal d’audit", en: "Audit log", of: ["/v1/company/audit", "/v1/admin/audit"] },
  { fr: "Recharges", en: "Top-ups", of: ["/v1/admin/offer", "/v1/admin/topup", "/v1/topup"] },
  { fr: "Exploitation", en: "Operating the service", of: ["/v1/admin/node", "/v1/admin/recovery"] },
  { fr: "Webhooks de l’entreprise", en: "Webhooks of the company", of: ["/v1/company/webhook"] },
  { fr: "Revendeurs", en: "Resellers", of: ["/v1/partner", "/v1/payment"] },
  {
    fr: "Applications tierces",
    en: "Third-party applications",
    of: [
      "/v1/third-party-app/submit",
      "/v1/third-party-app/public-submit",
      "/v1/admin/third-party-app",
      "/v1/third-party-app",
    ],
  },
  {
    fr: "Données personnelles",
    en: "Personal data",
    of: [
      "/v1/contact/erase",
      "/v1/admin/person",
      "/v1/company/export",
      "/v1/campaign/{id}/export",
      "/v1/campaign/export",
      "/v1/company/close",
      "/v1/company/reopen",
    ],
  },
  { fr: "Opérateur simulé", en: "Simulated operator", of: ["/v1/admin/simulator"] },
];
