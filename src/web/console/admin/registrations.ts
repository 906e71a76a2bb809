// Registrations of sender names at operators: those of one sender, which an administrator keeps, and the list of all.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Body, Data } from "../apiclient.ts";
import { countryName } from "../parts/countries.ts";
import { button, field, form, formButton, linkButton, select } from "../parts/forms.ts";
import { type Column, listPart, queryOf, table, tabs } from "../parts/lists.ts";
import { doneNotice, section } from "../parts/parts.ts";
import { REGISTRATION_STATES, registrationColumns } from "../parts/registrations.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";
import { companyLink, mayAdminister } from "./admin.ts";

type Sender = Data<"/v1/admin/sender/{id}">;
type Registration = Sender["registrations"][number];
type State = Registration["state"];

const SHOWN = 25;
const OPERATORS_SHOWN = 100;
const STATES = Object.keys(REGISTRATION_STATES) as State[];
const URL_OF_LIST = "/admin/registrations";
const URL_OF_SENDERS = "/admin/registrations/senders";
const urlOf = (id: string) => `/admin/reviews/senders/${id}`;

/** `page` shows the sender, with the problem of a form of this part. */
export function addAdminRegistrations(screens: Screens, page: (visit: Visit) => Promise<View>): void {
  screens.page(URL_OF_LIST, list);
  screens.page(URL_OF_SENDERS, listSenders);
  screens.form("/admin/reviews/senders/:id/registrations", (visit) => set(visit, page));
  screens.form("/admin/reviews/senders/:id/registrations/delete", (visit) => remove(visit, page));
}

const titleOfList = (visit: Visit) => visit.t("Enregistrements des expéditeurs", "Sender registrations");

async function list(visit: Visit): Promise<View> {
  const state = STATES.find((one) => one === visit.field("state"));
  const title = titleOfList(visit);
  const listed = await visit.listedAsAdmin("/v1/admin/sender/registration/list", {
    limit: SHOWN,
    ...(state && { state }),
  });
  const columns: Column<(typeof listed.data)[number]>[] = [
    [
      visit.t("Expéditeur", "Sender"),
      ({ senderId, senderName }) => html`<a href="${urlOf(senderId)}">${senderName}</a>`,
    ],
    [
      visit.t("Entreprise", "Company"),
      ({ companyId, companyName }) => companyLink(visit, companyId, companyName),
    ],
    ...registrationColumns(visit),
  ];
  const hrefOf = (one?: State) => URL_OF_LIST + queryOf({ state: one });
  return {
    title,
    back: { href: "/admin/reviews", text: visit.t("À valider", "Reviews") },
    body: html`${tabs(visit.t("État", "State"), hrefOf(state), [
      [hrefOf(), visit.t("Tous", "All")],
      ...STATES.map((one) => [hrefOf(one), visit.t(...wordsOf(one))] as const),
    ])}
${listPart(visit, listed, {
  title,
  columns,
  url: URL_OF_LIST,
  filters: { state },
  add: linkButton(URL_OF_SENDERS, visit.t("Expéditeurs acceptés", "Accepted senders"), "second"),
  none: [
    visit.t("Aucun enregistrement", "No registrations"),
    visit.t(
      "Choisissez un expéditeur accepté pour ajouter son enregistrement.",
      "Choose an accepted sender to add its registration.",
    ),
  ],
  missed: [
    visit.t("Aucun enregistrement dans cet état", "No registrations with this state"),
    "",
    visit.t("Tous les enregistrements", "All registrations"),
  ],
})}`,
  };
}

/** The senders that can be registered, the newest first. */
async function listSenders(visit: Visit): Promise<View> {
  const title = visit.t("Expéditeurs acceptés", "Accepted senders");
  const listed = await visit.listedAsAdmin("/v1/admin/sender/list", { limit: SHOWN, status: "ACCEPTED" });
  return {
    title,
    back: { href: URL_OF_LIST, text: titleOfList(visit) },
    body: listPart(visit, listed, {
      title,
      columns: [
        [visit.t("Expéditeur", "Sender"), ({ id, name }) => html`<a href="${urlOf(id)}">${name}</a>`],
        [
          visit.t("Entreprise", "Company"),
          ({ companyId, companyName }) => companyLink(visit, companyId, companyName),
        ],
      ],
      url: URL_OF_SENDERS,
      none: [visit.t("Aucun expéditeur accepté", "No accepted senders"), ""],
    }),
  };
}

function wordsOf(state: State): [fr: string, en: string] {
  const [, fr, en] = REGISTRATION_STATES[state];
  return [fr, en];
}

/** Says that a registration of a sender has been saved. */
export function registrationNotice(visit: Visit): Html | false {
  return doneNotice(visit, {
    registration: visit.t("L’enregistrement est à jour.", "The registration is up to date."),
  });
}

/** Renders the registrations of a sender, with the form that adds and changes them. */
export async function registrationsPart(visit: Visit, { id, registrations }: Sender): Promise<Html> {
  const title = visit.t("Enregistrement chez les opérateurs", "Registration at operators");
  const mayChange = mayAdminister(visit, "review");
  const columns: (Column<Registration> | false)[] = [
    ...registrationColumns(visit),
    [visit.t("Dossier", "Reference"), ({ reference, document }) => referenceWords(reference, document)],
    mayChange && [visit.t("Action", "Action"), (one) => deleteButton(visit, id, one)],
  ];
  return section(title, [
    registrations.length === 0
      ? html`<p>${visit.t("Ce nom n’est enregistré chez aucun opérateur.", "This name is not registered at any operator.")}</p>`
      : table(title, columns, registrations),
    mayChange && (await setForm(visit, id)),
  ]);
}

function referenceWords(reference: string, document: string): Html {
  return html`<span>${reference || "–"}${document && html` <small class="line">${document}</small>`}</span>`;
}

function deleteButton(visit: Visit, id: string, { operatorId, country }: Registration): Html {
  return formButton(visit, `${urlOf(id)}/registrations/delete`, visit.t("Supprimer", "Delete"), {
    kind: "plain",
    members: { operatorId, country },
  });
}

async function setForm(visit: Visit, id: string): Promise<Html> {
  const { data: operators } = await visit.callAsAdmin("/v1/admin/operator/list", { limit: OPERATORS_SHOWN });
  return html`<details${visit.problem && html` open`}><summary>${visit.t("Ajouter ou modifier", "Add or change")}</summary>${form(
    visit,
    `${urlOf(id)}/registrations`,
    [
      select(visit, "operatorId", visit.t("Opérateur", "Operator"), {
        value: visit.field("operatorId"),
        choices: operators.map((operator) => [operator.id, operator.name]),
      }),
      field(visit, "country", visit.t("Pays", "Country"), {
        hint: visit.t(
          `Code de deux lettres : CI pour ${countryName(visit, "CI")}.`,
          `Code of two letters: CI for ${countryName(visit, "CI")}.`,
        ),
        value: visit.typed("country", "CI"),
        attributes: html`class="short" maxlength="2" autocapitalize="characters" autocomplete="off"`,
      }),
      select(visit, "state", visit.t("État", "State"), {
        value: visit.typed("state", "REQUESTED"),
        choices: STATES.map((state) => [state, visit.t(...wordsOf(state))]),
      }),
      field(visit, "reference", visit.t("Numéro du dossier", "Reference"), {
        isOptional: true,
        attributes: html`maxlength="200" autocomplete="off"`,
      }),
      field(visit, "document", visit.t("Justificatifs", "Documents"), {
        hint: visit.t("Où ils se trouvent.", "Where they are."),
        isOptional: true,
        attributes: html`maxlength="500" autocomplete="off"`,
      }),
      field(visit, "expiresOn", visit.t("Dernier jour de validité", "Last day of validity"), {
        isOptional: true,
        type: "date",
      }),
      button(visit.t("Enregistrer", "Save")),
    ],
  )}</details>`;
}

function set(visit: Visit, page: (visit: Visit) => Promise<View>): Promise<View | Redirect> {
  const names = ["operatorId", "country", "state", "reference", "document", "expiresOn"];
  // An empty field of a registration that exists keeps what is stored.
  const given = names.flatMap((name) => (visit.field(name) ? [[name, visit.field(name).trim()]] : []));
  const body = { ...Object.fromEntries(given), id: visit.id };
  const calling = visit.callAsAdmin(
    "/v1/admin/sender/{id}/registration/set",
    body as Body<"/v1/admin/sender/{id}/registration/set">,
  );
  return visit.submit(calling, page, `${urlOf(visit.id)}?done=registration`);
}

function remove(visit: Visit, page: (visit: Visit) => Promise<View>): Promise<View | Redirect> {
  const [operatorId, country] = [visit.field("operatorId"), visit.field("country")];
  const calling = visit.callAsAdmin("/v1/admin/sender/{id}/registration/delete", { operatorId, country });
  return visit.submit(calling, page, urlOf(visit.id));
}
