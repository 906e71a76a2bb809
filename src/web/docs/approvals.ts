// The meaning of an approval's fields in the reference, where the name is not enough.
import type { Exception } from "./elsewhere.ts";

export const approvalExceptions: readonly Exception[] = [
  {
    member: "reason",
    path: /decline/,
    isAsked: true,
    fr: "Raison de votre refus",
    en: "Reason why you decline the campaign",
  },
  {
    member: "createdAt",
    path: /approval\/list/,
    fr: "Date de création de la campagne",
    en: "Creation time of the campaign",
  },
  { member: "approval.reason", fr: "Raison du refus", en: "Reason why the campaign was declined" },
  {
    member: "approval.status",
    fr: "PENDING : en attente d’approbation. CANCELED, FAILED : la campagne a été annulée ou a échoué avant la décision",
    en: "PENDING: pending approval. CANCELED, FAILED: the campaign was canceled or failed before the decision",
  },
  {
    member: "approval",
    path: /company\/approval/,
    fr: "Campagnes qu’un deuxième membre doit approuver",
    en: "Campaigns that a second member must approve",
  },
  {
    member: "approval",
    fr: "Décision d’un deuxième membre sur la campagne",
    en: "Decision of a second member on the campaign",
  },
];
