// Contacts: the phone book of a company, page by page, and one contact: to create, update and delete.
import { type Html, html } from "../../../platform/http/html.ts";
import { type AnswerOf, type Data, Refused } from "../apiclient.ts";
import { confirmView } from "../parts/confirm.ts";
import { button, field, form, linkButton, NOTHING, select } from "../parts/forms.ts";
import { type Column, empty, pager, queryOf, searchForm, table, tabs } from "../parts/lists.ts";
import { actions, doneNotice, facts, remark, section } from "../parts/parts.ts";
import { may } from "../parts/roles.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { addContactDeletion, manyDeletedWords } from "./contactdeletion.ts";
import { OWN_FIELDS_INPUT, ownFieldsGiven, ownFieldsPart } from "./ownfields.ts";

export type Contact = Data<"/v1/contact/list">[number];

const ROWS = 20;

export function addContacts(screens: Screens): void {
  addContactDeletion(screens);
  screens.page("/contacts", list);
  screens.pageAndForm("/contacts/new", newContact, create);
  screens.pageAndForm("/contacts/:id", contact, update);
  screens.pageAndForm("/contacts/:id/delete", confirmDelete, remove);
}

async function list(visit: Visit): Promise<View> {
  const search = visit.field("search").trim();
  const isByName = visit.field("order") === "name";
  const order = isByName || search ? { orderBy: "name" as const } : {};
  const wanted = { limit: ROWS, ...order, ...(search && { search }) };
  const listed = await visit.listed("/v1/contact/list", wanted);
  const hasNone = listed.totalCount === 0 && search === "";
  return {
    title: visit.t("Contacts", "Contacts"),
    body: html`${doneNotice(visit, { deleted: visit.t("Contact supprimé.", "Contact deleted."), many: manyDeletedWords(visit) })}
${visit.field("done") === "none" && remark(visit, "wait", ["Cochez les contacts à supprimer.", "Select the contacts to delete."])}
${peopleTabs(visit, "contacts")}
${may(visit, "contacts") && !hasNone && addPart(visit)}
${!hasNone && searchPart(visit)}
${hasNone ? emptyPart(visit) : contactsPart(visit, listed, { search, isByName })}`,
  };
}

type Listed = AnswerOf<"/v1/contact/list">;

function contactsPart(
  visit: Visit,
  listed: Listed,
  { search, isByName }: { search: string; isByName: boolean },
) {
  if (listed.totalCount === 0)
    return empty(
      visit.t("Aucun résultat", "No results"),
      visit.t(
        "La recherche porte sur le début du nom ou du numéro.",
        "The search matches the beginning of a name or number.",
      ),
      html`<a href="/contacts">${visit.t("Tous les contacts", "All contacts")}</a>`,
    );
  const title = visit.t("Contacts", "Contacts");
  const isEditor = may(visit, "contacts");
  const query = queryOf(search ? { search } : { order: isByName ? "name" : "" });
  return section(
    visit.contacts(listed.totalCount),
    [
      isEditor ? tickedPart(visit, listed, search) : table(title, contactColumns(visit), listed.data),
      pager(visit, listed, `/contacts${query}`),
    ],
    search === "" ? orderLink(visit, isByName) : undefined,
  );
}

/** The list with a box for each contact, and buttons to delete those ticked or all results of a search. */
function tickedPart(visit: Visit, { data, totalCount }: Listed, search: string): Html {
  const columns: Column<Contact>[] = [
    ...contactColumns(visit),
    [
      visit.t("Sélection", "Selection"),
      ({ id, phone }) =>
        html`<label class="pick"><input type="checkbox" name="id" value="${id}" aria-label="${visit.formats.phone(phone)}"></label>`,
    ],
  ];
  const all = visit.t(
    `Supprimer les ${visit.contacts(totalCount)} trouvés`,
    `Delete the ${visit.contacts(totalCount)} found`,
  );
  return html`<form method="get" action="/contacts/delete">
${search !== "" && html`<input type="hidden" name="search" value="${search}">`}
${table(visit.t("Contacts", "Contacts"), columns, data)}
${actions([
  button(visit.t("Supprimer les contacts cochés", "Delete selected contacts"), "plain"),
  search !== "" && totalCount > 1 && button(all, "plain", html`name="all" value="yes"`),
])}
</form>`;
}

function orderLink(visit: Visit, isByName: boolean): Html {
  return isByName
    ? html`<a href="/contacts">${visit.t("Les plus récents d’abord", "Newest first")}</a>`
    : html`<a href="/contacts?order=name">${visit.t("Par ordre alphabétique", "Alphabetical order")}</a>`;
}

function emptyPart(visit: Visit): Html {
  return empty(
    visit.t("Aucun contact pour le moment", "No contacts yet"),
    visit.t("Importez un fichier ou ajoutez un premier contact.", "Import a file or add a first contact."),
    may(visit, "contacts") ? addPart(visit) : undefined,
  );
}

function searchPart(visit: Visit): Html {
  return searchForm(visit, {
    action: "/contacts",
    name: "search",
    label: visit.t("Rechercher un nom ou un numéro", "Search for a name or number"),
  });
}

function addPart(visit: Visit): Html {
  return actions([
    linkButton("/contacts/new", visit.t("Ajouter un contact", "Add contact"), "main", "add"),
    linkButton("/contacts/import", visit.t("Importer un fichier", "Import file"), "second"),
  ]);
}

/** Renders the tabs between the pages about people. */
export function peopleTabs(visit: Visit, here: "contacts" | "groups" | "optouts" | "numbers"): Html {
  return tabs(visit.t("Personnes", "People"), `/${here}`, [
    ["/contacts", visit.t("Contacts", "Contacts")],
    ["/groups", visit.t("Groupes", "Groups")],
    ["/optouts", visit.t("Désinscriptions", "Opt-outs")],
    ["/numbers", visit.t("Suivre un numéro", "Track a number")],
  ]);
}

type PeopleColumns = [name: Column<Contact>, phone: Column<Contact>, added: Column<Contact>];

/** Returns the columns of a list of people. A contact without a name is shown as its number. */
export function contactColumns(visit: Visit): PeopleColumns {
  return [
    [
      visit.t("Contact", "Contact"),
      ({ id, phone, name }) =>
        html`<a href="/contacts/${id}">${name === phone ? visit.formats.phone(phone) : name}</a>`,
    ],
    [
      visit.t("Numéro", "Number"),
      ({ phone }) => html`<a href="/numbers/${phone}">${visit.formats.phone(phone)}</a>`,
    ],
    [visit.t("Ajouté le", "Added on"), ({ createdAt }) => visit.formats.moment(createdAt)],
  ];
}

async function newContact(visit: Visit): Promise<View> {
  return {
    title: visit.t("Ajouter un contact", "Add a contact"),
    narrow: true,
    back: backToList(visit),
    body: section(visit.t("Contact", "Contact"), [
      html`<p class="hint">${visit.t(
        "Si ce numéro existe déjà dans vos contacts, le contact est mis à jour avec les informations saisies.",
        "If this number is already in your contacts, that contact is updated with the information you enter.",
      )}</p>`,
      form(visit, "/contacts/new", [
        fieldsPart(visit, undefined),
        await ownFieldsPart(visit, {}),
        button(visit.t("Ajouter le contact", "Add contact")),
      ]),
    ]),
  };
}

const backToList = (visit: Visit) => ({ href: "/contacts", text: visit.t("Contacts", "Contacts") });

const MEMBERS = ["phone", "firstName", "lastName", "name", "sex"] as const;

function fieldsPart(visit: Visit, of: Contact | undefined): Html {
  const stored = of && {
    ...of,
    name: of.name === of.phone ? null : of.name,
    phone: visit.formats.phone(of.phone),
  };
  const value = (name: (typeof MEMBERS)[number]) =>
    name in visit.fields ? visit.field(name) : (stored?.[name] ?? "");
  const text = (name: (typeof MEMBERS)[number], label: string, hint?: string) =>
    field(visit, name, label, {
      hint,
      value: value(name),
      isOptional: true,
      attributes: html`maxlength="200" autocomplete="off"`,
    });
  const isNamedByParts = of !== undefined && (of.firstName !== null || of.lastName !== null);
  return html`${field(visit, "phone", visit.t("Numéro de téléphone", "Phone number"), {
    value: value("phone"),
    attributes: html`class="short" inputmode="tel" maxlength="30" autocomplete="off"`,
    type: "tel",
  })}
${text("firstName", visit.t("Prénom", "First name"))}
${text("lastName", visit.t("Nom de famille", "Last name"))}
${
  isNamedByParts
    ? NOTHING
    : text(
        "name",
        visit.t("Nom complet", "Full name"),
        visit.t(
          "Pour une entreprise, par exemple. Ignoré si vous saisissez un prénom ou un nom de famille.",
          "For a company, for example. Ignored if you enter a first or last name.",
        ),
      )
}
${select(visit, "sex", visit.t("Civilité", "Title"), {
  value: value("sex"),
  isOptional: true,
  choices: [
    ["", visit.t("Non précisée", "Not specified")],
    ["F", visit.t("Madame", "Ms")],
    ["M", visit.t("Monsieur", "Mr")],
  ],
})}`;
}

async function create(visit: Visit): Promise<View | Redirect> {
  const [phone, firstName, lastName] = ["phone", "firstName", "lastName"].map((name) =>
    visit.field(name).trim(),
  );
  const name = [firstName, lastName].filter(Boolean).join(" ") || visit.field("name").trim();
  const sex = visit.field("sex");
  const given = { phone, firstName, lastName, name, sex };
  const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
  const fields = ownFieldsGiven(visit);
  const calling = visit.call("/v1/contact/create", { ...body, fields });
  const next = ({ data: [made] }: Awaited<typeof calling>) => `/contacts/${made?.id}?done=added`;
  return visit.submit(calling, newContact, next, OWN_FIELDS_INPUT);
}

const pathOf = (visit: Visit) => `/contacts/${visit.id}`;

async function read(visit: Visit): Promise<Contact> {
  return (await visit.call("/v1/contact/{id}")).data;
}

function nameOf(visit: Visit, { name, phone }: Contact): string {
  return name === phone ? visit.formats.phone(phone) : name;
}

async function contact(visit: Visit): Promise<View> {
  const found = await read(visit);
  return {
    title: nameOf(visit, found),
    narrow: true,
    back: backToList(visit),
    body: html`${doneNotice(visit, {
      added: visit.t("Contact enregistré.", "Contact saved."),
      changed: visit.t("Modifications enregistrées.", "Changes saved."),
    })}
${section(
  visit.t("Informations", "Information"),
  facts([
    [visit.t("Numéro", "Number"), visit.formats.phone(found.phone)],
    [visit.t("Ajouté le", "Added on"), visit.formats.moment(found.createdAt)],
    ...Object.entries(found.fields).map(([name, value]): [string, string] => [`@${name}`, value]),
  ]),
  html`<a href="/numbers/${found.phone}">${visit.t("Historique des messages", "Message history")}</a>`,
)}
${
  may(visit, "contacts") &&
  section(visit.t("Modifier", "Edit"), [
    form(visit, pathOf(visit), [
      fieldsPart(visit, found),
      await ownFieldsPart(visit, found.fields),
      button(visit.t("Enregistrer", "Save"), "second"),
    ]),
  ])
}
${
  may(visit, "contacts") &&
  actions([
    linkButton(`${pathOf(visit)}/delete`, visit.t("Supprimer le contact", "Delete contact"), "danger"),
  ])
}`,
  };
}

async function update(visit: Visit): Promise<View | Redirect> {
  const before = await read(visit);
  const [phone, firstName, lastName, name, sex] = MEMBERS.map((member) => visit.field(member).trim());
  // The API builds the name from the first and last names, whatever name is sent. Without them, the name is one field.
  const isOfParts =
    firstName !== (before.firstName ?? "") || lastName !== (before.lastName ?? "") || firstName || lastName;
  const names = isOfParts ? { firstName, lastName } : { name };
  const changes = { phone, sex, ...names, fields: ownFieldsGiven(visit) } as object;
  const calling = visit.call("/v1/contact/{id}/update", { id: before.id, ...changes });
  return visit.submit(calling, contact, `${pathOf(visit)}?done=changed`, OWN_FIELDS_INPUT);
}

async function confirmDelete(visit: Visit): Promise<View> {
  const found = await read(visit);
  const name = nameOf(visit, found);
  return confirmView(visit, {
    title: visit.t(`Supprimer ${name}\u00a0?`, `Delete ${name}?`),
    back: { href: pathOf(visit), text: name },
    text: visit.t(
      "Le contact est supprimé et retiré de tous ses groupes. Les messages déjà envoyés restent dans vos campagnes, et une désinscription reste en vigueur.",
      "The contact is deleted and removed from all its groups. Messages already sent stay in your campaigns, and an opt-out remains in effect.",
    ),
    yes: visit.t("Supprimer le contact", "Delete contact"),
  });
}

async function remove(visit: Visit): Promise<Redirect> {
  const { data } = await visit.call("/v1/contact/delete", { contactsIds: [visit.id] });
  // The API ignores ids that the company does not have, since it takes many.
  if (data.count === 0) throw new Refused("contact-not-found");
  return new Redirect("/contacts?done=deleted");
}
