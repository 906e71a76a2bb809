// The roles of administrators, and the rights of each.
import type { Meaning } from "../../platform/http/meanings.ts";

export const ADMIN_ROLES = ["owner", "support", "reviewer", "finance"] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

export const adminRoleMeaning: Meaning = {
  fr: "Rôle de l’administrateur : owner peut tout faire, support lit sans voir les numéros, reviewer examine, finance gère les crédits",
  en: "Role of the administrator: owner can do everything, support can read without phone numbers, reviewer can review, finance can manage credits",
};

/**
 * The rights, with the roles that have them besides `owner`. `read`: lists and details. `review`: decisions on senders,
 * applications and campaigns. `account`: credits, payments and resellers. `govern`: everything else.
 */
const RIGHTS = {
  read: ["support", "reviewer", "finance"],
  review: ["reviewer"],
  account: ["finance"],
  govern: [],
} as const satisfies Record<string, readonly AdminRole[]>;
export type Right = keyof typeof RIGHTS;

/** Returns the roles with this right. */
export function rolesThatMay(right: Right): AdminRole[] {
  return ADMIN_ROLES.filter((role) => mayDo(role, right));
}

export function mayDo(role: AdminRole, right: Right): boolean {
  const others: readonly AdminRole[] = RIGHTS[right];
  return role === "owner" || others.includes(role);
}
