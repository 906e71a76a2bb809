// What the reference says of the members of an approval, where their name alone does not say it.
import type { Exception } from "./elsewhere.ts";

export const approvalExceptions: readonly Exception[] = [
  {
    member: "reason",
    path: /decline/,
    isAsked: true,
    fr: "Pourquoi vous la refusez",
    en: "Why you decline it",
  },
  {
    member: "createdAt",
    path: /approval\/list/,
    fr: "Quand la campagne a été créée",
    en: "When the campaign was created",
  },
  { member: "approval.reason", fr: "Pourquoi elle a été refusée", en: "Why it was declined" },
  {
    member: "approval.status",
    fr: "PENDING : en attente d’une décision ; CANCELED, FAILED : la campagne a été annulée ou a échoué avant une décision",
    en: "PENDING: awaiting a decision; CANCELED, FAILED: the campaign was canceled or failed before a decision",
  },
  {
    member: "approval",
    path: /company\/approval/,
    fr: "Quelles campagnes attendent une deuxième personne",
    en: "Which campaigns wait for a second person",
  },
  {
    member: "approval",
    fr: "Ce qu’une deuxième personne en a décidé",
    en: "What a second person decided of it",
  },
];
