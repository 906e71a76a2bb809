// The URLs of /v1/company/member.

import { Type } from "typebox";
import { companyMay } from "../../identity/accounts/callers.ts";
import * as members from "../../identity/accounts/members.ts";
import { CompanyMember, NewCompanyMember } from "../../identity/accounts/shapes.ts";
import { audited, thingMade } from "../../identity/audit/audit.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { route } from "../../platform/http/routes.ts";

/** A user who also acts for other companies is not changed, and only their memberships in other accounts show this. */
const memberWith = (id: string) => ({ on: { kind: "member", id }, spansAccounts: true }) as const;

export const createMember = route("/v1/company/member/create", {
  title: { fr: "Créer un membre", en: "Create a member" },
  says: {
    fr: "Crée un membre de l’entreprise. Son apiKey n’est affichée qu’une fois.",
    en: "Creates a member of the company. Its apiKey is shown only once.",
  },
  body: members.MemberInput,
  caller: companyMay("manage"),
  answers: NewCompanyMember,
  refuses: ["invalid-phone-number", "conflict"],
  example: { name: "Yao Koffi", phone: "+225 07 00 00 77 77", role: "editor" },
  audit: { fr: "a ajouté un membre", en: "added a member" },
  run: (app, caller, body) =>
    audited(app, caller, { on: thingMade("member"), spansAccounts: true }, (tx) =>
      members.createMember(tx, app, caller, body),
    ),
});

export const listMembers = listRoute("/v1/company/member/list", {
  title: { fr: "Lister les membres", en: "List members" },
  says: { fr: "Liste les membres de l’entreprise.", en: "Lists the members of the company." },
  body: inOrder("asc"),
  caller: companyMay("manage"),
  rows: CompanyMember,
  list: (app, caller, page) => members.listMembers(app.database.of(caller.companyId), caller, page),
});

export const updateMember = route("/v1/company/member/{id}/update", {
  title: { fr: "Modifier un membre", en: "Update a member" },
  says: {
    fr: "Modifie un membre. Les champs omis ne changent pas.",
    en: "Updates a member. Omitted members are unchanged.",
  },
  body: Type.Object({ id: idOf("member"), ...members.MemberChange.properties }),
  emptyTexts: "emptied",
  caller: companyMay("manage"),
  answers: CompanyMember,
  refuses: ["not-found", "invalid-phone-number", "conflict"],
  example: { role: "approver" },
  audit: { fr: "a modifié un membre", en: "updated a member" },
  run: (app, caller, { id, ...change }) =>
    audited(app, caller, memberWith(id), (tx) => members.updateMember(tx, caller, id, change)),
});

export const removeMember = route("/v1/company/member/{id}/remove", {
  title: { fr: "Retirer un membre", en: "Remove a member" },
  says: {
    fr: "Retire un membre de l’entreprise. Toutes ses clés cessent de fonctionner immédiatement.",
    en: "Removes a member from the company. All of its keys stop working immediately.",
  },
  body: oneId("member"),
  caller: companyMay("manage"),
  answers: CompanyMember,
  refuses: ["not-found", "conflict"],
  audit: { fr: "a retiré un membre", en: "removed a member" },
  run: (app, caller, { id }) =>
    audited(app, caller, memberWith(id), (tx) => members.removeMember(tx, caller, id)),
});
