// Permissions: what a caller of a company may do, by the member's role and the key's scopes.

import type { Detail } from "../../platform/http/fielderrors.ts";
import type { Meaning } from "../../platform/http/meanings.ts";
import { refuse } from "../../platform/http/refusals.ts";

/** The permissions. `manage` is everything else: members, keys, applications, connections, senders, reselling. */
export type Permission = "read" | "contacts" | "send" | "otp" | "manage";

/** The roles of members, with the permissions of each. */
export const MEMBER_ROLES = {
  reader: ["read"],
  editor: ["read", "contacts"],
  approver: ["read", "contacts", "send", "otp"],
  owner: ["read", "contacts", "send", "otp", "manage"],
} as const satisfies Record<string, readonly Permission[]>;
export type MemberRole = keyof typeof MEMBER_ROLES;

export const memberRoleMeaning: Meaning = {
  fr: "Rôle du membre : reader lit, editor gère les contacts, approver envoie, owner peut tout faire",
  en: "Role of the member: reader can read, editor can manage contacts, approver can send, owner can do everything",
};

/** The permissions that a key can be limited to. Only a key without scopes may manage. */
export const SCOPES = ["send", "contacts", "otp", "read"] as const satisfies readonly Permission[];
export type Scope = (typeof SCOPES)[number];

/** The rights of a caller: the member's role, and the key's scopes (null: not limited). */
export type Rights = { role: MemberRole; scopes: readonly Scope[] | null };

/**
 * Refuses `not-authorized` for a caller without any of the `wanted` permissions; the details name the missing scope or
 * role. `field` is the name of the key in the body.
 */
export function requirePermission(
  { role, scopes }: Rights,
  wanted: readonly Permission[],
  field = "apiKey",
): void {
  if (!mayAny(role, wanted)) refuse("not-authorized", { details: [{ field, ...missingRole(role, wanted) }] });
  // A key never exceeds its member's rights, so a scope that the role lacks does not help.
  const allowed = wanted.filter((one) => mayAny(role, [one]));
  if (scopes !== null && !allowed.some((one) => (scopes as readonly Permission[]).includes(one)))
    refuse("not-authorized", { details: [{ field, ...missingScope(allowed) }] });
}

/** Returns whether a role has one of these permissions. */
export function mayAny(role: MemberRole, wanted: readonly Permission[]): boolean {
  return wanted.some((one) => (MEMBER_ROLES[role] as readonly Permission[]).includes(one));
}

/** Returns the roles that have one of these permissions, the least powerful first. */
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
