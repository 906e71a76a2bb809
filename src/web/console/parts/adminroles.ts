// The roles of administrators in words: the name and rights of each, the signed-in person's, and the choice of one.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import type { Visit } from "../visit.ts";
import { choices } from "./forms.ts";

type Role = Data<"/v1/admin/user/list">[number]["role"];

type Pair = readonly [fr: string, en: string];

const ROLES: Readonly<Record<Role, { name: Pair; may: Pair }>> = {
  owner: { name: ["Propriétaire", "Owner"], may: ["Peut tout faire.", "Can do everything."] },
  support: {
    name: ["Assistance", "Support"],
    may: [
      "Consulte tout, sauf les numéros et les textes.",
      "Can view everything except phone numbers and texts.",
    ],
  },
  reviewer: {
    name: ["Validation", "Reviewer"],
    may: [
      "Valide ou refuse les expéditeurs, les applications et les campagnes.",
      "Approves or refuses senders, applications and campaigns.",
    ],
  },
  finance: {
    name: ["Finances", "Finance"],
    may: [
      "Attribue des crédits, gère les offres de recharge et les revendeurs.",
      "Grants credits and manages top-up offers and resellers.",
    ],
  },
};

/** Returns the name of a role. */
export function adminRoleWord(visit: Visit, role: string): string {
  return Object.hasOwn(ROLES, role) ? visit.t(...ROLES[role as Role].name) : role;
}

/** Renders who is signed in as an administrator, a person or the holder of a key, and the role. */
export function signedInPart(visit: Visit): Html | false {
  const { administrator } = visit.session;
  if (!administrator) return false;
  const { as, name, role } = administrator;
  const words = {
    person: visit.t(`Vous êtes connecté en tant que ${name}`, `You are signed in as ${name}`),
    machine: visit.t(`Vous utilisez la clé ${name}`, `You are using the key ${name}`),
    installation: visit.t("Vous utilisez la clé d’installation", "You are using the installation key"),
  };
  return html`<p>${words[as]} (${adminRoleWord(visit, role)}).</p>`;
}

/** Renders the choice of a role, for a person or a machine. */
export function roleField(visit: Visit, chosen: string): Html {
  return choices(visit, "role", visit.t("Rôle", "Role"), {
    chosen: [chosen],
    choices: Object.entries(ROLES).map(([role, { name, may }]) => [role, visit.t(...name), visit.t(...may)]),
  });
}

export const asRole = (text: string): Role => (Object.hasOwn(ROLES, text) ? (text as Role) : "support");
