// The URLs of contacts.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { EMPTY, REQUIRED } from "../kernel/faults.ts";
import { inOrderOf, listRoute } from "../kernel/lists.ts";
import { refuseField } from "../kernel/refusals.ts";
import { route } from "../kernel/routes.ts";
import { Counted, Id, Phone } from "../kernel/schemas.ts";
import {
  CONTACT_ORDERS,
  ContactChange,
  ContactInput,
  contactDetails,
  createContacts,
  deleteContacts,
  listContacts,
  readContact,
  updateContact,
} from "./contacts.ts";
import { Contact, UpdatedContact } from "./shapes.ts";

export const create = route({
  summary: "Creates contacts; a phone that exists is updated instead",
  body: Type.Object({
    contacts: Type.Optional(Type.Array(ContactInput)),
    // The single-contact form.
    phone: Type.Optional(Phone),
    ...contactDetails,
  }),
  caller: companyMay("contacts"),
  answers: Type.Array(Contact),
  bulk: true,
  run(app, caller, body) {
    const { contacts, phone, name, firstName, lastName, sex } = body;
    if (!contacts) {
      if (phone === undefined) refuseField("contacts", REQUIRED);
      const single = { phone, name, firstName, lastName, sex } as ContactInput;
      return app.database.transaction((tx) => createContacts(tx, caller, [single], () => "phone"));
    }
    if (contacts.length === 0) refuseField("contacts", EMPTY);
    return app.database.transaction((tx) => createContacts(tx, caller, contacts));
  },
});

export const list = listRoute({
  summary: "Lists contacts",
  body: inOrderOf(CONTACT_ORDERS),
  caller: companyMay("read", "contacts"),
  rows: Contact,
  list: (app, caller, wanted) => listContacts(app.database.of(caller.companyId), caller, wanted),
});

export const read = route({
  summary: "Reads one contact",
  body: Type.Object({ id: Id }),
  caller: companyMay("read", "contacts"),
  answers: Contact,
  run: (app, caller, { id }) => readContact(app.database.of(caller.companyId), caller, id),
});

export const update = route({
  summary: "Changes a contact; what is not said stays",
  body: Type.Object({ id: Id, ...ContactChange.properties }),
  emptyTexts: "emptied",
  caller: companyMay("contacts"),
  answers: UpdatedContact,
  run: (app, caller, { id, ...change }) =>
    app.database.transaction((tx) => updateContact(tx, caller, id, change)),
});

export const remove = route({
  summary: "Deletes contacts, which leave their groups",
  body: Type.Object({
    contactsIds: Type.Optional(Type.Array(Id)),
    // A spelling that clients use too.
    contactIds: Type.Optional(Type.Array(Id)),
  }),
  caller: companyMay("contacts"),
  answers: Counted,
  bulk: true,
  run(app, caller, { contactsIds, contactIds }) {
    const ids = contactsIds ?? contactIds ?? refuseField("contactsIds", REQUIRED);
    return app.database.transaction((tx) => deleteContacts(tx, caller, ids));
  },
});
