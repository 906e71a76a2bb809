// Roles: their names, what each may do in words, and what the visitor may do.
import { type MemberRole, mayAny, type Permission } from "../../../identity/accounts/permissions.ts";
import type { Visit } from "../visit.ts";

/** Whether the visitor's role in this company has this permission. A page offers nothing that the API would refuse. */
export function may(visit: Visit, permission: Permission): boolean {
  return mayAny(visit.company.role, [permission]);
}

/** Whether the visitor may write campaigns: an editor prepares them, an approver or an owner sends them. */
export function mayCompose(visit: Visit): boolean {
  return may(visit, "contacts");
}

type Words = { name: readonly [fr: string, en: string]; may: readonly [fr: string, en: string] };

/** The roles, from the one with the most permissions. */
export const ROLES: Readonly<Record<MemberRole, Words>> = {
  owner: {
    name: ["Propriétaire", "Owner"],
    may: [
      "Tous les droits : envoyer, recharger, demander des expéditeurs, gérer les membres et les clés.",
      "Full access: send, top up, request senders, manage members and keys.",
    ],
  },
  approver: {
    name: ["Responsable des envois", "Approver"],
    may: [
      "Envoyer et annuler des campagnes, approuver celles des autres, gérer les contacts.",
      "Send and cancel campaigns, approve those of others, manage contacts.",
    ],
  },
  editor: {
    name: ["Rédacteur", "Editor"],
    may: [
      "Gérer les contacts, préparer des campagnes et des modèles, sans pouvoir envoyer.",
      "Manage contacts, prepare campaigns and templates. Cannot send.",
    ],
  },
  reader: {
    name: ["Lecteur", "Reader"],
    may: [
      "Consulter les contacts, les campagnes et les crédits, sans rien modifier.",
      "View contacts, campaigns and credits. Cannot change anything.",
    ],
  },
};

export function roleWord(visit: Visit, role: MemberRole): string {
  return visit.t(...ROLES[role].name);
}

/** Returns a sentence of the API with the French names of the roles in place of their codes. */
export function withRoleWords(sentence: string): string {
  return sentence.replace(/\b(?:owner|approver|editor|reader)\b/g, (role) =>
    ROLES[role as MemberRole].name[0].toLowerCase(),
  );
}
