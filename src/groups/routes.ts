// The URLs of groups.
import { Type } from "typebox";
import { companyCaller } from "../accounts/accounts.ts";
import { paged } from "../kernel/envelope.ts";
import { refuseField } from "../kernel/refusals.ts";
import { route } from "../kernel/routes.ts";
import { Id, pageFields } from "../kernel/schemas.ts";
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
  removeFromGroup,
  updateGroup,
} from "./groups.ts";

export const create = route({
  summary: "Creates a group of contacts",
  body: GroupInput,
  caller: companyCaller,
  run: (app, caller, body) => app.database.transaction((tx) => createGroup(tx, caller, body)),
});

export const list = route({
  summary: "Lists groups",
  body: Type.Object({ ...pageFields, orderBy: Type.Enum([...GROUP_ORDERS], { default: "createdAt" }) }),
  caller: companyCaller,
  run: async (app, caller, page) => paged(await listGroups(app.database, caller, page), page),
});

export const read = route({
  summary: "Reads one group",
  body: Type.Object({ id: Id }),
  caller: companyCaller,
  run: (app, caller, { id }) => readGroup(app.database, caller, id),
});

export const update = route({
  summary: "Changes a group; contacts that are given are its new list",
  body: Type.Object({ id: Id, ...GroupChange.properties }),
  caller: companyCaller,
  run: (app, caller, { id, ...change }) =>
    app.database.transaction((tx) => updateGroup(tx, caller, id, change)),
});

export const remove = route({
  summary: "Deletes a group; its contacts stay",
  body: Type.Object({ id: Id }),
  caller: companyCaller,
  run: (app, caller, { id }) => app.database.transaction((tx) => deleteGroup(tx, caller, id)),
});

export const listContacts = route({
  summary: "Lists the contacts of a group",
  body: Type.Object({ id: Id, ...pageFields }),
  caller: companyCaller,
  run: async (app, caller, { id, ...page }) =>
    paged(await listGroupContacts(app.database, caller, id, page), page),
});

const Members = Type.Object({ id: Id, ...MembersInput.properties });

export const addContacts = route({
  summary: "Adds contacts to a group",
  body: Members,
  caller: companyCaller,
  run: (app, caller, { id, ...given }) =>
    app.database.transaction((tx) => addToGroup(tx, caller, id, required(given))),
});

export const removeContacts = route({
  summary: "Takes contacts out of a group",
  body: Members,
  caller: companyCaller,
  run: (app, caller, { id, ...given }) =>
    app.database.transaction((tx) => removeFromGroup(tx, caller, id, required(given))),
});

function required(given: MembersInput): MembersInput {
  if (!given.contactIds && !given.contacts) refuseField("contactIds", "is required");
  return given;
}
