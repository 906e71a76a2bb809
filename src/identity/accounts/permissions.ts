// Permissions: what a caller of a company may do, by the role of the member and by the scopes of the key.
import { type Detail, refuse } from "../../platform/refusals.ts";

/** What can be allowed. `manage` is the rest: members, keys, applications, connections, senders, reselling. */
export type Permission = "read" | "contacts" | "send" | "otp" | "manage";

/** The roles of members, with what each may do. */
export const MEMBER_ROLES = {
  reader: ["read"],
  editor: ["read", "contacts"],
  approver: ["read", "contacts", "send", "otp"],
  owner: ["read", "contacts", "send", "otp", "manage"],
} as const satisfies Record<string, readonly Permission[]>;
export type MemberRole = keyof typeof MEMBER_ROLES;

/** What a key can be limited to. Only a key without scopes may manage. */
export const SCOPES = ["send", "contacts", "otp", "read"] as const satisfies readonly Permission[];
export type Scope = (typeof SCOPES)[number];

/** By what a caller acts: as a member with a role, by a key that may be limited to scopes (null: it is not). */
export type Rights = { role: MemberRole; scopes: readonly Scope[] | null };

/**
 * Refuses `not-authorized` to a caller who has none of the permissions that are `wanted`, and says what is missing: the
 * scope of its key or the role of its member. `field` is the name that the key has in the body.
 */
export function requirePermission(
  { role, scopes }: Rights,
  wanted: readonly Permission[],
  field = "apiKey",
): void {
  if (!mayAny(role, wanted)) refuse("not-authorized", { details: [{ field, ...missingRole(role, wanted) }] });
  // A key is never more than its member, so what its role lacks does not help.
  const allowed = wanted.filter((one) => mayAny(role, [one]));
  if (scopes !== null && !allowed.some((one) => (scopes as readonly Permission[]).includes(one)))
    refuse("not-authorized", { details: [{ field, ...missingScope(allowed) }] });
}

/** Whether a role has one of these permissions. */
export function mayAny(role: MemberRole, wanted: readonly Permission[]): boolean {
  return wanted.some((one) => (MEMBER_ROLES[role] as readonly Permission[]).includes(one));
}

/** The roles that have one of these permissions, the least first. */
export function rolesWith(wanted: readonly Permission[]): MemberRole[] {
  return (Object.keys(MEMBER_ROLES) as MemberRole[]).filter((role) => mayAny(role, wanted));
}

function missingRole(role: MemberRole, wanted: readonly Permission[]): Omit<Detail, "field"> {
  const roles = rolesWith(wanted);
  return {
    message: {
      fr: `le rôle ${role} ne permet pas cette opération ; elle exige le rôle ${roles.join(" ou ")}`,
      en: `the role ${role} does not allow this operation; it requires the role ${roles.join(" or ")}`,
    },
  };
}

function missingScope(wanted: readonly Permission[]): Omit<Detail, "field"> {
  const scopes = wanted.filter((one) => one !== "manage");
  if (scopes.length === 0)
    return {
      message: {
        fr: "une clé limitée à des portées ne permet pas cette opération ; utilisez une clé sans portées",
        en: "a key that is limited to scopes does not allow this operation; use a key without scopes",
      },
    };
  return {
    message: {
      fr: `cette clé n’a pas la portée ${scopes.join(" ou ")}`,
      en: `this key does not have the scope ${scopes.join(" or ")}`,
    },
  };
}
