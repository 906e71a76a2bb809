// What the reference says of the members of `contact/delete-many`, where their name alone does not say it.
import type { Exception } from "./elsewhere.ts";

export const deletionExceptions: readonly Exception[] = [
  {
    member: "count",
    path: /contact\/delete-many/,
    isAsked: true,
    fr: "Combien de contacts le groupe doit avoir : sinon rien n’est supprimé",
    en: "How many contacts the group must have: else nothing is deleted",
  },
  {
    member: "groupId",
    path: /contact\/delete-many/,
    fr: "Groupe dont les contacts sont supprimés ; le groupe reste",
    en: "Group whose contacts are deleted; the group stays",
  },
  {
    member: "total",
    path: /contact\/delete-many/,
    fr: "Contacts du groupe au début",
    en: "Contacts of the group at the start",
  },
];
