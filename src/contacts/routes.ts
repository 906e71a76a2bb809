// The URLs of contacts.
import { Type } from "typebox";
import { companyCaller } from "../accounts/accounts.ts";
import { paged } from "../kernel/envelope.ts";
import { refuseField } from "../kernel/refusals.ts";
import { route } from "../kernel/routes.ts";
import { Id, Phone, pageFields } from "../kernel/schemas.ts";
import {
  CONTACT_ORDERS,
  ContactChange,
  ContactInput,
  createContacts,
  deleteContacts,
  givenDetails,
  listContacts,
  readContact,
  updateContact,
} from "./contacts.ts";

export const create = route({
  summary: "Creates contacts; a phone that exists is updated instead",
  body: Type.Object({
    contacts: Type.Optional(Type.Array(ContactInput)),
    // The single-contact form.
    phone: Type.Optional(Phone),
    ...givenDetails,
  }),
  caller: companyCaller,
  run(app, caller, body) {
    const { contacts, phone, name, firstName, lastName, sex } = body;
    const inputs =
      contacts ??
      (phone === undefined ? undefined : [{ phone, name, firstName, lastName, sex } as ContactInput]);
    if (!inputs) refuseField("contacts", "is required");
    if (inputs.length === 0) refuseField("contacts", "is empty");
    return app.database.transaction((tx) => createContacts(tx, caller, inputs));
  },
});

export const list = route({
  summary: "Lists contacts",
  body: Type.Object({ ...pageFields, orderBy: Type.Enum([...CONTACT_ORDERS], { default: "createdAt" }) }),
  caller: companyCaller,
  run: async (app, caller, page) => paged(await listContacts(app.database, caller, page), page),
});

export const read = route({
  summary: "Reads one contact",
  body: Type.Object({ id: Id }),
  caller: companyCaller,
  run: (app, caller, { id }) => readContact(app.database, caller, id),
});

export const update = route({
  summary: "Changes a contact; what is not said stays",
  body: Type.Object({ id: Id, ...ContactChange.properties }),
  caller: companyCaller,
  run: (app, caller, { id, ...change }) =>
    app.database.transaction((tx) => updateContact(tx, caller, id, change)),
});

export const remove = route({
  summary: "Deletes contacts, which leave their groups",
  body: Type.Object({
    contactsIds: Type.Optional(Type.Array(Id)),
    // The other spelling that clients use.
    contactIds: Type.Optional(Type.Array(Id)),
  }),
  caller: companyCaller,
  run(app, caller, { contactsIds, contactIds }) {
    const ids = contactsIds ?? contactIds ?? refuseField("contactsIds", "is required");
    return app.database.transaction((tx) => deleteContacts(tx, caller, ids));
  },
});
