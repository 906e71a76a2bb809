// The URLs of contacts.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { changing } from "../audit/audit.ts";
import type { Tx } from "../kernel/database.ts";
import { answerWarned } from "../kernel/envelope.ts";
import { EMPTY, REQUIRED } from "../kernel/faults.ts";
import { inOrder, inOrderOf, listRoute } from "../kernel/lists.ts";
import { refuseField } from "../kernel/refusals.ts";
import { route } from "../kernel/routes.ts";
import { Counted, Id, Name, Phone, SearchText } from "../kernel/schemas.ts";
import { runOnList } from "../kernel/slices.ts";
import {
  CONTACT_ORDERS,
  ContactChange,
  createContacts,
  deleteContacts,
  listContacts,
  readContact,
  updateContact,
} from "./contacts.ts";
import { deleteField, listFields } from "./fields.ts";
import {
  ContactInput,
  contactDetails,
  mergeByPhone,
  readContacts,
  warningsOfContacts,
  warningsOfPhone,
} from "./given.ts";
import { Contact, ContactField, UpdatedContact } from "./shapes.ts";

/** What is noted of contacts that are created. */
const NOTED = {
  on: (contacts: readonly Contact[]) => ({
    kind: "contact",
    id: contacts.length === 1 ? contacts[0]!.id : null,
  }),
  after: (contacts: readonly Contact[]) => ({ contacts: contacts.map(nameless) }),
};

/** The log only grows, so it keeps no names of people, who may want to be erased. */
function nameless({ id, phone, sex }: Pick<Contact, "id" | "phone" | "sex">) {
  return { id, phone, sex };
}

export const create = route({
  summary:
    "Creates contacts; a phone that exists is updated instead. Invisible characters are dropped from names",
  body: Type.Object({
    contacts: Type.Optional(Type.Array(ContactInput)),
    // The single-contact form.
    phone: Type.Optional(Phone),
    ...contactDetails,
  }),
  caller: companyMay("contacts"),
  answers: Type.Array(Contact),
  bulk: true,
  async run(app, caller, body) {
    const { contacts, phone, name, firstName, lastName, sex, fields } = body;
    if (!contacts) {
      if (phone === undefined) refuseField("contacts", REQUIRED);
      const single = { phone, name, firstName, lastName, sex, fields } as ContactInput;
      const given = readContacts([single], caller.country, () => "phone");
      const work = (tx: Tx) => createContacts(tx, caller, given);
      return answerWarned(
        await changing(app, caller, NOTED, work),
        warningsOfPhone(phone, "phone", caller.country),
      );
    }
    if (contacts.length === 0) refuseField("contacts", EMPTY);
    const { country } = caller;
    const read = () => mergeByPhone(readContacts(contacts, country));
    const given = await runOnList(app, contacts, read);
    const created = await changing(app, caller, NOTED, (tx) => createContacts(tx, caller, given));
    return answerWarned(created, await runOnList(app, contacts, () => warningsOfContacts(contacts, country)));
  },
});

export const list = listRoute({
  summary:
    "Lists contacts; with search, at most 1,000 whose phone, or words of the name, first name or last name, begin so, whatever the accents and the order of the words",
  body: { ...inOrderOf(CONTACT_ORDERS), search: Type.Optional(SearchText) },
  caller: companyMay("read", "contacts"),
  rows: Contact,
  list: (app, caller, wanted) => listContacts(app.database.of(caller.companyId), caller, wanted),
});

export const read = route({
  summary: "Reads one contact",
  body: Type.Object({ id: Id }),
  reads: true,
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
  async run(app, caller, { id, ...change }) {
    const before = async (tx: Tx) => nameless(await readContact(tx, caller, id));
    const noting = { on: { kind: "contact", id }, before, after: nameless };
    const updated = await changing(app, caller, noting, (tx) => updateContact(tx, caller, id, change));
    return answerWarned(updated, warningsOfPhone(change.phone, "phone", caller.country));
  },
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
    const noting = {
      on: { kind: "contact", id: ids.length === 1 ? ids[0]! : null },
      after: ({ count }: Counted) => ({ deleted: count, ids }),
    };
    return changing(app, caller, noting, (tx) => deleteContacts(tx, caller, ids));
  },
});

export const fields = listRoute({
  summary: "Lists the own fields of contacts, which texts name as variables",
  body: inOrder("asc"),
  caller: companyMay("read", "contacts", "send"),
  rows: ContactField,
  list: (app, caller, page) => listFields(app.database.of(caller.companyId), caller, page),
});

export const removeField = route({
  summary: "Deletes an own field: texts name it no more, and contacts keep what they have",
  body: Type.Object({ name: Name }),
  caller: companyMay("contacts"),
  answers: Counted,
  run(app, caller, { name }) {
    const noting = { on: { kind: "company", id: caller.companyId }, after: () => ({ deletedField: name }) };
    return changing(app, caller, noting, (tx) => deleteField(tx, caller, name));
  },
});
