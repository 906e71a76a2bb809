// The roles of administrators, in words: what each is called, what it may do, and the choice of one.
import type { Html } from "../kernel/html.ts";
import type { Data } from "./ask.ts";
import { choices } from "./forms.ts";
import type { Problem } from "./sentences.ts";
import type { Visit } from "./visit.ts";

type Role = Data<"/v1/admin/user/list">[number]["role"];

const ROLES: readonly Role[] = ["owner", "support", "reviewer", "finance"];

/** What a role is called, and what it may do. */
export function roleWords(visit: Visit, role: string): { text: string; hint: string } {
  const words: Record<Role, { text: string; hint: string }> = {
    owner: {
      text: visit.t("Responsable", "Owner"),
      hint: visit.t("Peut tout faire.", "May do everything."),
    },
    support: {
      text: visit.t("Assistance", "Support"),
      hint: visit.t(
        "Lit tout, sans voir les numéros ni les textes.",
        "Reads everything, without numbers and texts.",
      ),
    },
    reviewer: {
      text: visit.t("Validation", "Reviewer"),
      hint: visit.t(
        "Décide des expéditeurs, applications et campagnes.",
        "Decides on senders, applications and campaigns.",
      ),
    },
    finance: {
      text: visit.t("Finances", "Finance"),
      hint: visit.t(
        "Crédite, vend les recharges, fait les revendeurs.",
        "Grants credits, sells top-ups, makes resellers.",
      ),
    },
  };
  return words[role as Role] ?? { text: role, hint: "" };
}

/** The choice of a role, for a person or a machine. */
export function roleField(visit: Visit, chosen: string, problem: Problem | undefined): Html {
  return choices(
    visit,
    { name: "role", label: visit.t("Rôle", "Role"), chosen: [chosen], problem },
    ROLES.map((role) => ({ value: role, ...roleWords(visit, role) })),
  );
}

export const asRole = (text: string): Role => ROLES.find((role) => role === text) ?? "support";
