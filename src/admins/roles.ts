// The roles of administrators, and what each of them may do.

export const ROLES = ["owner", "support", "reviewer", "finance"] as const;
export type Role = (typeof ROLES)[number];

/**
 * What an administrator may do, with the roles that may beside `owner`. `read`: see lists and details. `review`: decide
 * on senders, applications and campaigns. `account`: credits, payments and resellers. `govern`: all else.
 */
const RIGHTS = {
  read: ["support", "reviewer", "finance"],
  review: ["reviewer"],
  account: ["finance"],
  govern: [],
} as const satisfies Record<string, readonly Role[]>;
export type Right = keyof typeof RIGHTS;

export function mayDo(role: Role, right: Right): boolean {
  const others: readonly Role[] = RIGHTS[right];
  return role === "owner" || others.includes(role);
}
