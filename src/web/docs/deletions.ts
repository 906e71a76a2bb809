// The meaning of the fields of `contact/delete-many` in the reference, where the name is not enough.
import type { Exception } from "./elsewhere.ts";

export const deletionExceptions: readonly Exception[] = [
  {
    member: "count",
    path: /contact\/delete-many/,
    isAsked: true,
    fr: "Nombre de contacts attendu dans le groupe. S’il est différent, rien n’est supprimé",
    en: "Expected number of contacts in the group. If it differs, nothing is deleted",
  },
  {
    member: "groupId",
    path: /contact\/delete-many/,
    fr: "Groupe dont les contacts sont supprimés. Le groupe est conservé",
    en: "Group whose contacts are deleted. The group is kept",
  },
  {
    member: "total",
    path: /contact\/delete-many/,
    fr: "Nombre de contacts du groupe au début",
    en: "Number of contacts in the group at the start",
  },
];
