// The URLs of /v1/group.

import { Type } from "typebox";
import { type CompanyCaller, companyMay } from "../identity/accounts/callers.ts";
import { audited, thingMade } from "../identity/audit/audit.ts";
import { Contact } from "../phonebook/contacts/shapes.ts";
import {
  addToGroup,
  createGroup,
  deleteGroup,
  GROUP_ORDERS,
  GroupChange,
  GroupInput,
  listGroupContacts,
  listGroups,
  MembersInput,
  readGroup,
  readGroupInFull,
  removeFromGroup,
  updateGroup,
} from "../phonebook/groups/groups.ts";
import { Group, GroupInFull } from "../phonebook/groups/shapes.ts";
import type { Tx } from "../platform/database/transaction.ts";
import { refuseField } from "../platform/http/fielderrors.ts";
import { idOf, oneId } from "../platform/http/idschemas.ts";
import { inOrder, inOrderOf, listRoute } from "../platform/http/lists.ts";
import { member } from "../platform/http/meanings.ts";
import { DeletedCount } from "../platform/http/paging.ts";
import { route } from "../platform/http/routes.ts";
import { SearchText } from "../platform/http/schemas.ts";
import { REQUIRED } from "../platform/http/validationerrors.ts";
import { maskPhone } from "../protocol/sms/phone.ts";

export const create = route("/v1/group/create", {
  title: { fr: "Créer un groupe", en: "Create a group" },
  says: { fr: "Crée un groupe de contacts, vide ou non.", en: "Creates a group of contacts, empty or not." },
  body: GroupInput,
  caller: companyMay("contacts"),
  answers: Group,
  refuses: ["contact-not-found", "invalid-phone-number", "too-many-contacts", "conflict"],
  example: {
    name: "Clients fidèles",
    description: "Ceux du samedi",
    contacts: [{ phone: "2250102030405", name: "Awa" }],
  },
  audit: { fr: "a créé un groupe", en: "created a group" },
  bulk: true,
  run: (app, caller, body) =>
    audited(app, caller, { on: thingMade("group") }, (tx) => createGroup(tx, caller, body)),
});

/** The maximum number of groups in one request. */
const GROUP_IDS_AT_MOST = 100;

export const list = listRoute("/v1/group/list", {
  title: { fr: "Lister les groupes", en: "List groups" },
  says: { fr: "Liste les groupes.", en: "Lists groups." },
  body: {
    ...inOrderOf(GROUP_ORDERS),
    search: member(Type.Optional(SearchText), {
      fr: "Partie du nom du groupe",
      en: "Part of the group name",
    }),
    groupsIds: member(Type.Optional(Type.Array(idOf("group"), { maxItems: GROUP_IDS_AT_MOST })), {
      fr: "Renvoie seulement ces groupes",
      en: "Returns only these groups",
    }),
  },
  caller: companyMay("read", "contacts", "send"),
  whenClosed: true,
  rows: Group,
  list: (app, caller, wanted) => listGroups(app.database.of(caller.companyId), caller, wanted),
});

export const read = route("/v1/group/{id}", {
  title: { fr: "Lire un groupe", en: "Read a group" },
  says: {
    fr: "Renvoie un groupe avec ses contacts les plus récents, 1 000 au plus.",
    en: "Returns a group with its most recent contacts, 1,000 at most.",
  },
  body: oneId("group"),
  reads: true,
  caller: companyMay("read", "contacts"),
  whenClosed: true,
  answers: GroupInFull,
  refuses: ["group-not-found"],
  run: (app, caller, { id }) => readGroupInFull(app.database.of(caller.companyId), caller, id),
});

/** The audit entry of a change to a group: before and after. */
function changeOf(caller: CompanyCaller, id: string) {
  return { on: { kind: "group", id }, before: (tx: Tx) => readGroup(tx, caller, id) };
}

export const update = route("/v1/group/{id}/update", {
  title: { fr: "Modifier un groupe", en: "Update a group" },
  says: {
    fr: "Modifie un groupe. Si contactIds est donné, il remplace la liste des contacts.",
    en: "Updates a group. If contactIds is given, it replaces the list of contacts.",
  },
  body: Type.Object({ id: idOf("group"), ...GroupChange.properties }),
  emptyTexts: "emptied",
  caller: companyMay("contacts"),
  answers: Group,
  refuses: ["group-not-found", "contact-not-found", "invalid-phone-number", "too-many-contacts", "conflict"],
  example: { name: "Clients du samedi" },
  audit: { fr: "a modifié un groupe", en: "updated a group" },
  bulk: true,
  run: (app, caller, { id, ...change }) =>
    audited(app, caller, changeOf(caller, id), (tx) => updateGroup(tx, caller, id, change)),
});

export const listContacts = listRoute("/v1/group/{id}/contacts/list", {
  title: { fr: "Lister les contacts d’un groupe", en: "List the contacts of a group" },
  says: { fr: "Liste les contacts d’un groupe.", en: "Lists the contacts of a group." },
  body: { id: idOf("group"), ...inOrder("desc") },
  caller: companyMay("read", "contacts"),
  whenClosed: true,
  rows: Contact,
  refuses: ["group-not-found"],
  list: (app, caller, { id, ...page }) =>
    listGroupContacts(app.database.of(caller.companyId), caller, id, page),
});

const Members = Type.Object({ id: idOf("group"), ...MembersInput.properties });

/** The audit entry of contacts added to or removed from a group: their ids, and the group's number of contacts. */
function auditOfMembers(id: string, { contactIds, contacts }: MembersInput) {
  const given =
    contactIds ??
    contacts?.map((contact) => maskPhone(typeof contact === "string" ? contact : contact.phone));
  return {
    on: { kind: "group", id },
    after: ({ contactCount }: Group) => ({ contactCount, contacts: given }),
  };
}

function required(given: MembersInput): MembersInput {
  if (!given.contactIds && !given.contacts) refuseField("contactIds", REQUIRED);
  return given;
}

export const addContacts = route("/v1/group/{id}/contacts/add", {
  title: { fr: "Ajouter des contacts à un groupe", en: "Add contacts to a group" },
  says: { fr: "Ajoute des contacts à un groupe.", en: "Adds contacts to a group." },
  body: Members,
  caller: companyMay("contacts"),
  answers: Group,
  refuses: ["group-not-found", "contact-not-found", "invalid-phone-number", "too-many-contacts", "conflict"],
  example: { contacts: [{ phone: "2250102030405", name: "Awa" }] },
  audit: { fr: "a ajouté des contacts à un groupe", en: "added contacts to a group" },
  bulk: true,
  run: (app, caller, { id, ...given }) =>
    audited(app, caller, auditOfMembers(id, given), (tx) => addToGroup(tx, caller, id, required(given))),
});

export const removeContacts = route("/v1/group/{id}/contacts/remove", {
  title: { fr: "Retirer des contacts d’un groupe", en: "Remove contacts from a group" },
  says: {
    fr: "Retire des contacts d’un groupe, sans les supprimer du répertoire.",
    en: "Removes contacts from a group without deleting them from the phone book.",
  },
  body: Members,
  caller: companyMay("contacts"),
  answers: Group,
  refuses: ["group-not-found", "invalid-phone-number", "too-many-contacts"],
  example: { contacts: ["2250102030405"] },
  audit: { fr: "a retiré des contacts d’un groupe", en: "removed contacts from a group" },
  bulk: true,
  run: (app, caller, { id, ...given }) =>
    audited(app, caller, auditOfMembers(id, given), (tx) => removeFromGroup(tx, caller, id, required(given))),
});

export const remove = route("/v1/group/{id}/delete", {
  title: { fr: "Supprimer un groupe", en: "Delete a group" },
  says: {
    fr: "Supprime un groupe. Ses contacts sont conservés.",
    en: "Deletes a group. Its contacts are kept.",
  },
  body: oneId("group"),
  caller: companyMay("contacts"),
  answers: DeletedCount,
  refuses: ["group-not-found"],
  audit: { fr: "a supprimé un groupe", en: "deleted a group" },
  run(app, caller, { id }) {
    const audit = { ...changeOf(caller, id), after: () => null };
    return audited(app, caller, audit, (tx) => deleteGroup(tx, caller, id));
  },
});
