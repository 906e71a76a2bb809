// The roles of administrators in words: the name and rights of each, the signed-in person's, and the choice of one.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import type { Visit } from "../visit.ts";
import { choices } from "./forms.ts";

type Role = Data<"/v1/admin/user/list">[number]["role"];

const ROLES: readonly Role[] = ["owner", "support", "reviewer", "finance"];

/** Returns the name of a role and what it may do. */
export function roleWords(visit: Visit, role: string): { text: string; hint: string } {
  const words: Record<Role, { text: string; hint: string }> = {
    owner: {
      text: visit.t("Propriétaire", "Owner"),
      hint: visit.t("Peut tout faire.", "Can do everything."),
    },
    support: {
      text: visit.t("Assistance", "Support"),
      hint: visit.t(
        "Consulte tout, sauf les numéros et les textes.",
        "Can view everything except phone numbers and texts.",
      ),
    },
    reviewer: {
      text: visit.t("Validation", "Reviewer"),
      hint: visit.t(
        "Valide ou refuse les expéditeurs, les applications et les campagnes.",
        "Approves or refuses senders, applications and campaigns.",
      ),
    },
    finance: {
      text: visit.t("Finances", "Finance"),
      hint: visit.t(
        "Attribue des crédits, gère les offres de recharge et les revendeurs.",
        "Grants credits and manages top-up offers and resellers.",
      ),
    },
  };
  return words[role as Role] ?? { text: role, hint: "" };
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
  return html`<p>${words[as]} (${roleWords(visit, role).text}).</p>`;
}

/** Renders the choice of a role, for a person or a machine. */
export function roleField(visit: Visit, chosen: string): Html {
  return choices(visit, {
    name: "role",
    label: visit.t("Rôle", "Role"),
    chosen: [chosen],
    choices: ROLES.map((role) => ({ value: role, ...roleWords(visit, role) })),
  });
}

export const asRole = (text: string): Role => ROLES.find((role) => role === text) ?? "support";
