// Groups: named lists of contacts; their members, adding and removing them, and sending to a group.
import { type Html, html } from "../../../platform/http/html.ts";
import type { AnswerOf, Data } from "../apiclient.ts";
import { confirmView } from "../parts/confirm.ts";
import { button, field, form, linkButton, textArea } from "../parts/forms.ts";
import { type Column, empty, listPart, listSection, queryOf } from "../parts/lists.ts";
import { actions, doneNotice, notice, section } from "../parts/parts.ts";
import { may } from "../parts/roles.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { fieldsOf } from "../stepping.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { type Contact, contactColumns, peopleTabs } from "./contacts.ts";
import { type PastedPerson, readPasted } from "./pasted.ts";
import { pastedLines, unclearProblem } from "./pastedlists.ts";

type Group = Data<"/v1/group/list">[number];

const ROWS = 20;
const NUMBERS_BYTES = 1_024 * 1_024;
const TWINS_READ = 100;

export function addGroups(screens: Screens): void {
  screens.page("/groups", list);
  screens.pageAndForm("/groups/new", newGroup, create, { bodyBytes: NUMBERS_BYTES });
  screens.pageAndForm("/groups/:id", group, addNumbers, { bodyBytes: NUMBERS_BYTES });
  screens.pageAndForm("/groups/:id/edit", edit, update);
  screens.form("/groups/:id/take-out", takeOut);
  screens.pageAndForm("/groups/:id/delete", confirmDelete, remove);
}

async function list(visit: Visit): Promise<View> {
  const search = visit.field("search").trim();
  const wanted = { limit: ROWS, orderBy: "name" as const, ...(search && { search }) };
  const listed = await visit.listed("/v1/group/list", wanted);
  const isLong = search !== "" || listed.totalPage > 1;
  const title = visit.t("Groupes", "Groups");
  return {
    title,
    body: html`${doneNotice(visit, { deleted: visit.t("Groupe supprimé. Ses contacts sont conservés.", "Group deleted. Its contacts are kept.") })}
${peopleTabs(visit, "groups")}
${listPart(visit, listed, {
  title,
  columns: columns(visit),
  url: "/groups",
  filters: { search },
  add:
    may(visit, "contacts") &&
    linkButton("/groups/new", visit.t("Nouveau groupe", "New group"), "main", "add"),
  search: isLong && { name: "search", label: visit.t("Rechercher un groupe", "Search for a group") },
  none: [
    visit.t("Aucun groupe pour le moment", "No groups yet"),
    visit.t(
      "Un groupe réunit des contacts qui reçoivent les mêmes messages : les clients fidèles, une classe, un quartier.",
      "A group brings together contacts who receive the same messages: regular customers, a class, a neighborhood.",
    ),
  ],
  missed: [
    visit.t("Aucun groupe", "No groups"),
    visit.t("Aucun groupe ne correspond à votre recherche.", "No groups match your search."),
    visit.t("Tous les groupes", "All groups"),
  ],
})}`,
  };
}

function columns(visit: Visit): Column<Group>[] {
  return [
    [
      visit.t("Groupe", "Group"),
      ({ id, name, description }) =>
        html`<a href="/groups/${id}">${name}</a>${description !== null && html`<br><small>${description}</small>`}`,
    ],
    [visit.t("Contacts", "Contacts"), ({ contactCount }) => visit.formats.number(contactCount), "figure"],
    [visit.t("Créé le", "Created on"), ({ createdAt }) => visit.formats.moment(createdAt)],
  ];
}

function fieldsPart(visit: Visit, of: Group | undefined): Html {
  const value = (name: "name" | "description") =>
    name in visit.fields ? visit.field(name) : (of?.[name] ?? "");
  return html`${field(visit, "name", visit.t("Nom du groupe", "Group name"), {
    value: value("name"),
    attributes: html`maxlength="200" autocomplete="off"`,
  })}
${textArea(visit, "description", visit.t("Description", "Description"), {
  value: value("description"),
  isOptional: true,
  attributes: html`maxlength="1000"`,
  rows: 2,
})}`;
}

function numbersPart(visit: Visit, isOptional: boolean): Html {
  return textArea(visit, "numbers", visit.t("Numéros à ajouter", "Numbers to add"), {
    hint: pastedLines(visit),
    isOptional,
    attributes: html`spellcheck="false" autocomplete="off"`,
    rows: 5,
  });
}

function newGroup(visit: Visit): View {
  return {
    title: visit.t("Nouveau groupe", "New group"),
    narrow: true,
    back: { href: "/groups", text: visit.t("Groupes", "Groups") },
    body: section(visit.t("Groupe", "Group"), [
      form(visit, "/groups/new", [
        fieldsPart(visit, undefined),
        numbersPart(visit, true),
        button(visit.t("Créer le groupe", "Create group")),
      ]),
    ]),
  };
}

async function create(visit: Visit): Promise<View | Redirect> {
  const [name, description] = [visit.field("name").trim(), visit.field("description").trim()];
  const contacts = numbersGiven(visit);
  if (contacts instanceof Problem) return newGroup(visit.with(contacts));
  const body = { name, ...(description && { description }), ...(contacts.length > 0 && { contacts }) };
  const calling = visit.call("/v1/group/create", body);
  return visit.submit(calling, newGroup, ({ data }) => `/groups/${data.id}?done=made`, LINES);
}

const LINES = { contacts: "numbers" };

/** The people of the typed list, or the problem with some of its lines: then nobody is added. */
function numbersGiven(visit: Visit): PastedPerson[] | Problem {
  const { people, unclear } = readPasted(visit.field("numbers"), visit.company.country);
  return unclearProblem(visit, people.length, unclear, "numbers") ?? people;
}

const pathOf = (visit: Visit) => `/groups/${visit.id}`;

async function read(visit: Visit): Promise<Group> {
  return (await visit.call("/v1/group/{id}")).data;
}

async function group(visit: Visit): Promise<View> {
  const id = visit.id;
  const [found, members] = await Promise.all([
    read(visit),
    visit.listed("/v1/group/{id}/contacts/list", { id, limit: ROWS }),
  ]);
  const twin = visit.field("done") === "made" ? await twinOf(visit, found) : undefined;
  const isEditor = may(visit, "contacts");
  return {
    title: found.name,
    back: { href: "/groups", text: visit.t("Groupes", "Groups") },
    body: html`${doneNotice(visit, {
      made: visit.t("Groupe créé.", "Group created."),
      changed: visit.t("Modifications enregistrées.", "Changes saved."),
      added: visit.t("Numéros ajoutés au groupe.", "Numbers added to the group."),
      out: visit.t("Contact retiré du groupe.", "Contact removed from the group."),
    })}
${twin && twinPart(visit, twin)}
${found.description !== null && html`<p class="lead">${found.description}</p>`}
${actions([
  isEditor &&
    found.contactCount > 0 &&
    linkButton(`/campaigns/new?group=${id}`, visit.t("Envoyer à ce groupe", "Send to this group")),
  isEditor && linkButton(`${pathOf(visit)}/edit`, visit.t("Modifier", "Edit"), "second"),
  isEditor && linkButton(`${pathOf(visit)}/delete`, visit.t("Supprimer", "Delete"), "danger"),
  isEditor &&
    found.contactCount > 0 &&
    linkButton(
      `${pathOf(visit)}/contacts/delete`,
      visit.t("Supprimer tous ses contacts", "Delete all its contacts"),
      "plain",
    ),
])}
${membersPart(visit, members)}
${
  isEditor &&
  section(visit.t("Ajouter des numéros", "Add numbers"), [
    form(visit, pathOf(visit), [
      numbersPart(visit, false),
      actions([
        button(visit.t("Ajouter au groupe", "Add to group"), "second"),
        html`<a href="/contacts/import">${visit.t("Importer un fichier", "Import a file")}</a>`,
      ]),
    ]),
  ])
}`,
  };
}

type Named = Pick<Group, "id" | "name" | "contactCount">;

/** Another group of the same name: two may share one, but seldom on purpose. */
async function twinOf(visit: Visit, { id, name }: Pick<Named, "id" | "name">): Promise<Named | undefined> {
  const wanted = { search: name, limit: TWINS_READ, orderBy: "name" as const };
  const { data } = await visit.call("/v1/group/list", wanted);
  return data.find((other) => other.id !== id && other.name === name);
}

function twinPart(visit: Visit, { id, name, contactCount }: Named): Html {
  const count = visit.contacts(contactCount);
  return notice("wait", [
    html`<p>${visit.t(`Un autre groupe s’appelle déjà « ${name} » (${count}).`, `Another group is already called “${name}” (${count}).`)} <a href="/groups/${id}">${visit.t("Voir l’autre groupe", "View the other group")}</a></p>`,
  ]);
}

type Members = AnswerOf<"/v1/group/{id}/contacts/list">;

function membersPart(visit: Visit, members: Members): Html {
  if (members.totalCount === 0)
    return empty(
      visit.t("Ce groupe est vide", "This group is empty"),
      visit.t("Ajoutez des numéros ci-dessous.", "Add numbers below."),
    );
  const [name, number] = contactColumns(visit);
  const title = visit.contacts(members.totalCount);
  const shown = fieldsOf({ ...visit.place, page: members.page });
  const out: Column<Contact> = [
    "",
    ({ id, name }) =>
      form(
        visit,
        { action: `${pathOf(visit)}/take-out`, members: { contactId: id, ...shown } },
        outButton(visit, name),
      ),
  ];
  const columns = [name, number, may(visit, "contacts") && out];
  return listSection(visit, title, columns, members, pathOf(visit));
}

/** One of many equal buttons: its accessible label names the contact that it removes. */
function outButton(visit: Visit, name: string): Html {
  const label = visit.t(`Retirer du groupe : ${name}`, `Remove from group: ${name}`);
  return button(visit.t("Retirer du groupe", "Remove from group"), "plain", html`aria-label="${label}"`);
}

async function addNumbers(visit: Visit): Promise<View | Redirect> {
  const contacts = numbersGiven(visit);
  if (contacts instanceof Problem) return group(visit.with(contacts));
  if (contacts.length === 0)
    return group(
      visit.wrong(visit.t("Saisissez au moins un numéro.", "Enter at least one number."), "numbers"),
    );
  const calling = visit.call("/v1/group/{id}/contacts/add", { contacts });
  return visit.submit(calling, group, `${pathOf(visit)}?done=added`, LINES);
}

async function takeOut(visit: Visit): Promise<Redirect> {
  const contactIds = [visit.field("contactId")];
  await visit.call("/v1/group/{id}/contacts/remove", { contactIds });
  const shown = visit.place.page > 1 ? fieldsOf(visit.place) : {};
  return new Redirect(pathOf(visit) + queryOf({ done: "out", ...shown }));
}

async function edit(visit: Visit): Promise<View> {
  const found = await read(visit);
  return {
    title: visit.t("Modifier le groupe", "Edit group"),
    narrow: true,
    back: { href: pathOf(visit), text: found.name },
    body: section(found.name, [
      form(visit, `${pathOf(visit)}/edit`, [
        fieldsPart(visit, found),
        button(visit.t("Enregistrer", "Save")),
      ]),
    ]),
  };
}

async function update(visit: Visit): Promise<View | Redirect> {
  const changes = { name: visit.field("name").trim(), description: visit.field("description").trim() };
  const calling = visit.call("/v1/group/{id}/update", { ...changes });
  return visit.submit(calling, edit, `${pathOf(visit)}?done=changed`);
}

async function confirmDelete(visit: Visit): Promise<View> {
  const { name, contactCount } = await read(visit);
  const count = visit.formats.number(contactCount);
  return confirmView(visit, {
    title: visit.t(`Supprimer «\u00a0${name}\u00a0»\u00a0?`, `Delete “${name}”?`),
    back: { href: pathOf(visit), text: name },
    text: visit.t(
      `Le groupe est supprimé. Ses contacts (${count}) et les campagnes déjà envoyées sont conservés. Les campagnes programmées ne seront plus envoyées à ce groupe.`,
      `The group is deleted. Its contacts (${count}) and the campaigns already sent are kept. Scheduled campaigns will no longer be sent to this group.`,
    ),
    yes: visit.t("Supprimer le groupe", "Delete group"),
  });
}

async function remove(visit: Visit): Promise<Redirect> {
  await visit.call("/v1/group/{id}/delete");
  return new Redirect("/groups?done=deleted");
}
