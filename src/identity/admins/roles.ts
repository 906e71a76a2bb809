// The roles of administrators, and what each of them may do.

export const ADMIN_ROLES = ["owner", "support", "reviewer", "finance"] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

/**
 * What an administrator may do, with the roles that may beside `owner`. `read`: see lists and details. `review`: decide
 * on senders, applications and campaigns. `account`: credits, payments and resellers. `govern`: all else.
 */
const RIGHTS = {
  read: ["support", "reviewer", "finance"],
  review: ["reviewer"],
  account: ["finance"],
  govern: [],
} as const satisfies Record<string, readonly AdminRole[]>;
export type Right = keyof typeof RIGHTS;

/** The roles that may do this. */
export function rolesThatMay(right: Right): AdminRole[] {
  return ADMIN_ROLES.filter((role) => mayDo(role, right));
}

export function mayDo(role: AdminRole, right: Right): boolean {
  const others: readonly AdminRole[] = RIGHTS[right];
  return role === "owner" || others.includes(role);
}
