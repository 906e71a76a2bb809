// The URLs of /v1/contact.

import { Type } from "typebox";
import { beginErasure, readErasure as findErasure } from "../compliance/privacy/erasures.ts";
import { auditOfErasure, Erasure } from "../compliance/privacy/shapes.ts";
import { companyMay } from "../identity/accounts/callers.ts";
import { audited } from "../identity/audit/audit.ts";
import {
  CONTACT_ORDERS,
  ContactChange,
  countContacts,
  createContacts,
  deleteContacts,
  listContacts,
  readContact,
  updateContact,
} from "../phonebook/contacts/contacts.ts";
import { deleteField, listFields } from "../phonebook/contacts/fields.ts";
import {
  ContactInput,
  contactDetails,
  mergeByPhone,
  readContacts,
  warningsOfContacts,
  warningsOfPhone,
} from "../phonebook/contacts/given.ts";
import { Contact, ContactCount, ContactField, UpdatedContact } from "../phonebook/contacts/shapes.ts";
import { deleteContactsOfGroup, readDeletion } from "../phonebook/groups/deletions.ts";
import { ContactDeletion, groupMeanings } from "../phonebook/groups/shapes.ts";
import type { Tx } from "../platform/database/transaction.ts";
import { answerWarned } from "../platform/http/envelope.ts";
import { refuseField } from "../platform/http/fielderrors.ts";
import { idOf, oneId } from "../platform/http/idschemas.ts";
import { inOrder, inOrderOf, listRoute } from "../platform/http/lists.ts";
import { member } from "../platform/http/meanings.ts";
import { DeletedCount } from "../platform/http/paging.ts";
import { route } from "../platform/http/routes.ts";
import { Name, Phone, SearchText } from "../platform/http/schemas.ts";
import { EMPTY, REQUIRED } from "../platform/http/validationerrors.ts";
import { runOnList } from "../platform/limits/slices.ts";

/** The audit log only grows, so it has no names of people, who may ask for erasure. */
function nameless({ id, phone, sex }: Pick<Contact, "id" | "phone" | "sex">) {
  return { id, phone, sex };
}

/** The audit entry of created contacts. */
const AUDIT = {
  on: (contacts: readonly Contact[]) => ({
    kind: "contact",
    id: contacts.length === 1 ? (contacts[0]?.id ?? null) : null,
  }),
  after: (contacts: readonly Contact[]) => ({ contacts: contacts.map(nameless) }),
};

export const create = route("/v1/contact/create", {
  title: { fr: "Créer des contacts", en: "Create contacts" },
  says: {
    fr: "Crée des contacts. Un contact dont le numéro existe déjà est mis à jour. Les caractères invisibles sont retirés des noms.",
    en: "Creates contacts. A contact whose phone number exists is updated. Invisible characters are removed from names.",
  },
  body: Type.Object({
    contacts: Type.Optional(Type.Array(ContactInput)),
    // The single-contact form.
    phone: Type.Optional(Phone),
    ...contactDetails,
  }),
  caller: companyMay("contacts"),
  answers: Type.Array(Contact),
  refuses: ["invalid-phone-number", "too-many-contacts", "conflict"],
  example: {
    contacts: [
      { phone: "2250102030405", name: "Awa" },
      { phone: "2250708091011", firstName: "Yao", lastName: "Koffi", sex: "M" },
    ],
  },
  audit: { fr: "a ajouté des contacts", en: "added contacts" },
  bulk: true,
  async run(app, caller, body) {
    const { contacts, phone, ...details } = body;
    if (!contacts) {
      if (phone === undefined) refuseField("contacts", REQUIRED);
      const given = readContacts([{ phone, ...details }], caller.country, () => "phone");
      const work = (tx: Tx) => createContacts(tx, caller, given);
      return answerWarned(
        await audited(app, caller, AUDIT, work),
        warningsOfPhone(phone, "phone", caller.country),
      );
    }
    if (contacts.length === 0) refuseField("contacts", EMPTY);
    const { country } = caller;
    const read = () => mergeByPhone(readContacts(contacts, country));
    const given = await runOnList(app, contacts, read);
    const created = await audited(app, caller, AUDIT, (tx) => createContacts(tx, caller, given));
    return answerWarned(created, await runOnList(app, contacts, () => warningsOfContacts(contacts, country)));
  },
});

export const list = listRoute("/v1/contact/list", {
  title: { fr: "Lister les contacts", en: "List contacts" },
  says: {
    fr: "Liste les contacts. Avec search, renvoie au plus 1 000 contacts dont le numéro, ou un mot du nom, du prénom ou du nom de famille, commence par le texte cherché, sans tenir compte des accents ni de l’ordre des mots.",
    en: "Lists contacts. With search, returns at most 1,000 contacts whose phone number, or a word of whose name, first name or last name, starts with the text, ignoring accents and the order of words.",
  },
  body: {
    ...inOrderOf(CONTACT_ORDERS),
    search: member(Type.Optional(SearchText), {
      fr: "Début du numéro, ou de mots du nom, du prénom ou du nom de famille. Renvoie 1 000 contacts au plus, dans l’ordre de orderBy et sort",
      en: "Beginning of the phone number, or of words of the name, first name or last name. Returns at most 1,000 contacts, in the order of orderBy and sort",
    }),
  },
  caller: companyMay("read", "contacts"),
  whenClosed: true,
  rows: Contact,
  list: (app, caller, wanted) => listContacts(app.database.of(caller.companyId), caller, wanted),
});

export const count = route("/v1/contact/count", {
  title: { fr: "Compter les contacts", en: "Count contacts" },
  says: {
    fr: "Renvoie le nombre de contacts de l’entreprise.",
    en: "Returns the number of contacts of the company.",
  },
  body: Type.Object({}),
  reads: true,
  caller: companyMay("read", "contacts"),
  whenClosed: true,
  answers: ContactCount,
  run: (app, caller) => countContacts(app.database.of(caller.companyId), caller),
});

export const read = route("/v1/contact/{id}", {
  title: { fr: "Lire un contact", en: "Read a contact" },
  says: { fr: "Renvoie un contact.", en: "Returns a contact." },
  body: oneId("contact"),
  reads: true,
  caller: companyMay("read", "contacts"),
  whenClosed: true,
  answers: Contact,
  refuses: ["contact-not-found"],
  run: (app, caller, { id }) => readContact(app.database.of(caller.companyId), caller, id),
});

export const update = route("/v1/contact/{id}/update", {
  title: { fr: "Modifier un contact", en: "Update a contact" },
  says: {
    fr: "Modifie un contact. Les champs omis ne changent pas.",
    en: "Updates a contact. Omitted members are unchanged.",
  },
  body: Type.Object({ id: idOf("contact"), ...ContactChange.properties }),
  emptyTexts: "emptied",
  caller: companyMay("contacts"),
  answers: UpdatedContact,
  refuses: ["contact-not-found", "contact-phone-taken", "invalid-phone-number", "conflict"],
  example: { firstName: "Awa", lastName: "Koné", sex: "F" },
  audit: { fr: "a modifié un contact", en: "updated a contact" },
  async run(app, caller, { id, ...change }) {
    const before = async (tx: Tx) => nameless(await readContact(tx, caller, id));
    const audit = { on: { kind: "contact", id }, before, after: nameless };
    const updated = await audited(app, caller, audit, (tx) => updateContact(tx, caller, id, change));
    return answerWarned(updated, warningsOfPhone(change.phone, "phone", caller.country));
  },
});

export const remove = route("/v1/contact/delete", {
  title: { fr: "Supprimer des contacts", en: "Delete contacts" },
  says: {
    fr: "Supprime des contacts et les retire de leurs groupes.",
    en: "Deletes contacts and removes them from their groups.",
  },
  body: Type.Object({
    contactsIds: member(Type.Optional(Type.Array(idOf("contact"))), {
      fr: "Identifiants de contacts",
      en: "Contact IDs",
    }),
    // An alternative spelling that clients use.
    contactIds: member(Type.Optional(Type.Array(idOf("contact"))), groupMeanings.contactIds),
  }),
  caller: companyMay("contacts"),
  answers: DeletedCount,
  refuses: ["too-many-contacts"],
  example: { contactsIds: ["<contactId>"] },
  audit: { fr: "a supprimé des contacts", en: "deleted contacts" },
  bulk: true,
  run(app, caller, { contactsIds, contactIds }) {
    const ids = contactsIds ?? contactIds ?? refuseField("contactsIds", REQUIRED);
    const audit = {
      on: { kind: "contact", id: ids.length === 1 ? (ids[0] ?? null) : null },
      after: ({ count }: { count: number }) => ({ deleted: count, ids }),
    };
    return audited(app, caller, audit, (tx) => deleteContacts(tx, caller, ids));
  },
});

export const deleteMany = route("/v1/contact/delete-many", {
  title: { fr: "Supprimer les contacts d’un groupe", en: "Delete the contacts of a group" },
  says: {
    fr: "Supprime du répertoire tous les contacts d’un groupe ; le groupe lui-même est conservé. Au-delà de 1 000 contacts, la suppression continue en arrière-plan. Avec count, rien n’est supprimé si le groupe compte un autre nombre de contacts.",
    en: "Deletes all contacts of a group from the phone book; the group itself is kept. Beyond 1,000 contacts, the deletion continues in the background. With count, nothing is deleted if the group has a different number of contacts.",
  },
  body: Type.Object({
    groupId: member(idOf("group"), groupMeanings.groupId),
    count: member(Type.Optional(Type.Integer({ minimum: 0 })), {
      fr: "Nombre de contacts attendu dans le groupe. S’il est différent, rien n’est supprimé",
      en: "Expected number of contacts in the group. If it differs, nothing is deleted",
    }),
  }),
  caller: companyMay("contacts"),
  answers: ContactDeletion,
  refuses: ["group-not-found", "conflict"],
  example: { groupId: "<groupId>", count: 1200 },
  audit: { fr: "a supprimé les contacts d’un groupe", en: "deleted the contacts of a group" },
  run(app, caller, { groupId, count }) {
    const auditOf = {
      on: { kind: "group", id: groupId },
      after: ({ total }: ContactDeletion) => ({ deleted: total }),
    };
    return audited(app, caller, auditOf, (tx) => deleteContactsOfGroup(tx, caller, groupId, count));
  },
});

export const readDeletionOfContacts = route("/v1/contact/delete-many/{id}", {
  title: { fr: "Suivre une suppression de contacts", en: "Read the progress of a deletion" },
  says: {
    fr: "Renvoie l’avancement de la suppression des contacts d’un groupe.",
    en: "Returns the progress of the deletion of a group’s contacts.",
  },
  body: oneId("contactDeletion"),
  reads: true,
  caller: companyMay("contacts"),
  answers: ContactDeletion,
  refuses: ["not-found"],
  run: (app, caller, { id }) => readDeletion(app.database.of(caller.companyId), caller, id),
});

export const fields = listRoute("/v1/contact/field/list", {
  title: { fr: "Lister les champs personnalisés", en: "List custom fields" },
  says: {
    fr: "Liste les champs personnalisés des contacts, utilisables comme variables dans les textes.",
    en: "Lists the custom fields of contacts, which texts can use as variables.",
  },
  body: inOrder("asc"),
  caller: companyMay("read", "contacts", "send"),
  rows: ContactField,
  list: (app, caller, page) => listFields(app.database.of(caller.companyId), caller, page),
});

export const removeField = route("/v1/contact/field/delete", {
  title: { fr: "Supprimer un champ personnalisé", en: "Delete a custom field" },
  says: {
    fr: "Supprime un champ personnalisé. Les textes ne peuvent plus l’utiliser ; les contacts conservent leurs valeurs.",
    en: "Deletes a custom field. Texts can no longer use it; contacts keep their values.",
  },
  body: Type.Object({ name: Name }),
  caller: companyMay("contacts"),
  answers: DeletedCount,
  refuses: ["not-found"],
  audit: { fr: "a supprimé un champ personnalisé des contacts", en: "deleted a custom field of contacts" },
  run(app, caller, { name }) {
    const audit = { on: { kind: "company", id: caller.companyId }, after: () => ({ deletedField: name }) };
    return audited(app, caller, audit, (tx) => deleteField(tx, caller, name));
  },
});

export const erase = route("/v1/contact/erase", {
  title: { fr: "Effacer une personne", en: "Erase a person" },
  says: {
    fr: "Efface toutes les données de l’entreprise sur une personne. Sa désinscription reste en vigueur.",
    en: "Erases all data that the company has about a person. An opt-out stays in force.",
  },
  body: Type.Object({ phone: Phone }),
  caller: companyMay("manage"),
  whenClosed: true,
  answers: Erasure,
  refuses: ["invalid-phone-number"],
  example: { phone: "2250102030406" },
  audit: { fr: "a effacé les données d’une personne", en: "erased a person’s data" },
  run: (app, caller, { phone }) =>
    audited(app, caller, { on: auditOfErasure }, (tx) => beginErasure(app, tx, caller, phone)),
});

export const readErasure = route("/v1/contact/erase/{id}", {
  title: { fr: "Suivre un effacement", en: "Read the progress of an erasure" },
  says: {
    fr: "Renvoie l’avancement d’un effacement et les données effacées.",
    en: "Returns the progress of an erasure and what was erased.",
  },
  body: oneId("erasure"),
  reads: true,
  caller: companyMay("manage"),
  whenClosed: true,
  answers: Erasure,
  refuses: ["not-found"],
  run: (app, { companyId }, { id }) => findErasure(app.database.of(companyId), companyId, id),
});
