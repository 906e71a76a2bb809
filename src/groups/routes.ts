// The URLs of groups.
import { Type } from "typebox";
import { type CompanyCaller, companyMay } from "../accounts/accounts.ts";
import { changing } from "../audit/audit.ts";
import { Contact } from "../contacts/contacts.ts";
import type { Tx } from "../kernel/database.ts";
import { REQUIRED } from "../kernel/faults.ts";
import { inOrder, inOrderOf, listRoute } from "../kernel/lists.ts";
import { refuseField } from "../kernel/refusals.ts";
import { route } from "../kernel/routes.ts";
import { Counted, Id, SearchText } from "../kernel/schemas.ts";
import { maskPhone } from "../sms/sms.ts";
import {
  addToGroup,
  createGroup,
  deleteContactsOfGroup,
  deleteGroup,
  GROUP_ORDERS,
  GroupChange,
  GroupInput,
  listGroupContacts,
  listGroups,
  MembersInput,
  readDeletion,
  readGroup,
  readGroupInFull,
  removeFromGroup,
  updateGroup,
} from "./groups.ts";
import { ContactDeletion, Group, GroupInFull } from "./shapes.ts";

function groupMade({ id }: Group) {
  return { kind: "group", id };
}

/** What is noted of a group that exists: how it was and how it is. */
function changeOf(caller: CompanyCaller, id: string) {
  return { on: { kind: "group", id }, before: (tx: Tx) => readGroup(tx, caller, id) };
}

/** What is noted of contacts that come into a group or leave it: who they are, and how many it has then. */
function membersOf(id: string, { contactIds, contacts }: MembersInput) {
  const given =
    contactIds ??
    contacts?.map((contact) => maskPhone(typeof contact === "string" ? contact : contact.phone));
  return {
    on: { kind: "group", id },
    after: ({ contactCount }: Group) => ({ contactCount, contacts: given }),
  };
}

export const create = route({
  summary: "Creates a group of contacts",
  body: GroupInput,
  caller: companyMay("contacts"),
  answers: Group,
  bulk: true,
  run: (app, caller, body) => changing(app, caller, { on: groupMade }, (tx) => createGroup(tx, caller, body)),
});

/** Groups that one request may name. */
const NAMED_AT_MOST = 100;

export const list = listRoute({
  summary: "Lists groups",
  body: {
    ...inOrderOf(GROUP_ORDERS),
    search: Type.Optional(SearchText),
    groupsIds: Type.Optional(Type.Array(Id, { maxItems: NAMED_AT_MOST })),
  },
  caller: companyMay("read", "contacts", "send"),
  rows: Group,
  list: (app, caller, wanted) => listGroups(app.database.of(caller.companyId), caller, wanted),
});

export const read = route({
  summary: "Reads one group with its newest contacts, at most 1,000",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: companyMay("read", "contacts"),
  answers: GroupInFull,
  run: (app, caller, { id }) => readGroupInFull(app.database.of(caller.companyId), caller, id),
});

export const update = route({
  summary: "Changes a group; contacts that are given are its new list",
  body: Type.Object({ id: Id, ...GroupChange.properties }),
  emptyTexts: "emptied",
  caller: companyMay("contacts"),
  answers: Group,
  bulk: true,
  run: (app, caller, { id, ...change }) =>
    changing(app, caller, changeOf(caller, id), (tx) => updateGroup(tx, caller, id, change)),
});

export const remove = route({
  summary: "Deletes a group; its contacts stay",
  body: Type.Object({ id: Id }),
  caller: companyMay("contacts"),
  answers: Counted,
  run(app, caller, { id }) {
    const noting = { ...changeOf(caller, id), after: () => null };
    return changing(app, caller, noting, (tx) => deleteGroup(tx, caller, id));
  },
});

export const listContacts = listRoute({
  summary: "Lists the contacts of a group",
  body: { id: Id, ...inOrder("desc") },
  caller: companyMay("read", "contacts"),
  rows: Contact,
  list: (app, caller, { id, ...page }) =>
    listGroupContacts(app.database.of(caller.companyId), caller, id, page),
});

const Members = Type.Object({ id: Id, ...MembersInput.properties });

export const addContacts = route({
  summary: "Adds contacts to a group",
  body: Members,
  caller: companyMay("contacts"),
  answers: Group,
  bulk: true,
  run: (app, caller, { id, ...given }) =>
    changing(app, caller, membersOf(id, given), (tx) => addToGroup(tx, caller, id, required(given))),
});

export const removeContacts = route({
  summary: "Takes contacts out of a group",
  body: Members,
  caller: companyMay("contacts"),
  answers: Group,
  bulk: true,
  run: (app, caller, { id, ...given }) =>
    changing(app, caller, membersOf(id, given), (tx) => removeFromGroup(tx, caller, id, required(given))),
});

function required(given: MembersInput): MembersInput {
  if (!given.contactIds && !given.contacts) refuseField("contactIds", REQUIRED);
  return given;
}

export const deleteContacts = route({
  summary: "Deletes all contacts of a group from the phone book; more than 1,000 in the background",
  body: Type.Object({ groupId: Id, count: Type.Optional(Type.Integer({ minimum: 0 })) }),
  caller: companyMay("contacts"),
  answers: ContactDeletion,
  run(app, caller, { groupId, count }) {
    const noted = {
      on: { kind: "group", id: groupId },
      after: ({ total }: ContactDeletion) => ({ deleted: total }),
    };
    return changing(app, caller, noted, (tx) => deleteContactsOfGroup(tx, caller, groupId, count));
  },
});

export const readDeletionOfContacts = route({
  summary: "Says how far the deletion of the contacts of a group is",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: companyMay("contacts"),
  answers: ContactDeletion,
  run: (app, caller, { id }) => readDeletion(app.database.of(caller.companyId), caller, id),
});
