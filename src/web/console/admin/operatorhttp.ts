// The form of an operator over HTTP: what its connector asks for, and what every operator has.

import { type Html, html } from "../../../platform/http/html.ts";
import { type Body, type FieldMessage, Refused } from "../apiclient.ts";
import { button, form, textArea } from "../parts/forms.ts";
import { actions, prose, remark } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";
import { EXAMPLE_DECLARATION } from "./connectorexample.ts";
import {
  type ConnectorForm,
  connectorFields,
  connectorOfOperator,
  formNames,
  prefixChoices,
  prefixOf,
  readConnector,
  settingsTyped,
} from "./connectorfields.ts";
import { bodyOf, changeActions, settingField } from "./operatorfields.ts";
import {
  essentials,
  type OperatorShown,
  ofHttp,
  onlyHttp,
  refinements,
  type Setting,
} from "./operatorsettings.ts";

/** A declaration of 32 KiB, in which a form writes each quotation mark as three characters, and everything else. */
const FORM_BYTES = 160 * 1024;
const DECLARATION_CHARACTERS_AT_MOST = 65_536;

export function addAdminOperatorHttp(screens: Screens): void {
  screens.pageAndForm(
    "/admin/operators/new/http/:connector",
    async (visit) => newView(visit, await readConnector(visit, visit.param("connector"))),
    createNamed,
  );
  screens.pageAndForm("/admin/operators/new/declaration", newDeclared, createDeclared, {
    bodyBytes: FORM_BYTES,
  });
}

type Shown = { connector: ConnectorForm; operator?: OperatorShown; declaration?: Html };

function newView(visit: Visit, connector: ConnectorForm, declaration?: Html): View {
  const { name } = connector;
  return {
    title: name === undefined ? declaredTitle(visit) : connector.title,
    narrow: true,
    back: waysBack(visit),
    body: html`${connector.guide !== null && html`<p class="lead">${prose(visit.t(connector.guide, connector.guide))}</p>`}
${form(visit, newUrl(connector), [
  html`${fieldsPart(visit, { connector, ...(declaration && { declaration }) })}`,
  actions([button(visit.t("Ajouter l’opérateur", "Add operator"))]),
])}`,
  };
}

const newUrl = ({ name }: ConnectorForm) =>
  name === undefined ? "/admin/operators/new/declaration" : `/admin/operators/new/http/${name}`;

const waysBack = (visit: Visit) => ({
  href: "/admin/operators/new",
  text: visit.t("Choisir un autre moyen", "Choose another way"),
});

const declaredTitle = (visit: Visit) => visit.t("Autre fournisseur HTTP", "Another HTTP provider");

function fieldsPart(visit: Visit, { connector, operator, declaration }: Shown): Html {
  const [first, rest] = [firstSettings(visit, connector, operator), restSettings(visit)];
  const fieldsOf = (settings: readonly Setting[]) =>
    settings.map((setting) => settingField(visit, setting, operator));
  const isAmongRest = rest.some(({ name }) => visit.problem?.isAt(name));
  return html`${declaration}${connectorFields(visit, connector, operator)}${fieldsOf(first)}
<details${isAmongRest && html` open`}><summary>${visit.t("Réglages avancés", "Advanced settings")}</summary><div class="stack">${fieldsOf(rest)}</div></details>`;
}

/** A new operator begins disabled: it is tried dry first. */
function firstSettings(
  visit: Visit,
  connector: ConnectorForm,
  operator: OperatorShown | undefined,
): Setting[] {
  const countries = operator ? [] : prefixChoices(connector);
  return ofHttp(essentials(visit, !operator))
    .filter(({ name }) => operator || name !== "enabled")
    .map((setting) => {
      if (setting.name === "name") return { ...setting, first: connector.title };
      if (setting.name === "tps" && connector.tps !== null)
        return { ...setting, first: String(connector.tps) };
      if (setting.name !== "prefixes" || countries.length === 0) return setting;
      const hint = visit.t(
        `Vide : tous les numéros du pays choisi (${countries.join(", ")}).`,
        `Empty: all numbers of the chosen country (${countries.join(", ")}).`,
      );
      return { ...setting, hint, isRequired: false };
    });
}

const restSettings = (visit: Visit) => [...ofHttp(refinements(visit)), ...onlyHttp(visit)];

async function createNamed(visit: Visit): Promise<View | Redirect> {
  const connector = await readConnector(visit, visit.param("connector"));
  return create(visit, connector, connector.name, (again) => newView(again, connector));
}

async function create(
  visit: Visit,
  connector: ConnectorForm,
  given: Body<"/v1/admin/operator/create">["connector"],
  again: (visit: Visit) => View,
): Promise<View | Redirect> {
  const connectorSettings = settingsTyped(visit, connector);
  const prefix = prefixOf(connectorSettings.country);
  const isForCountry = prefixChoices(connector).length > 0;
  if (isForCountry && prefix === undefined && visit.field("prefixes").trim() === "")
    return again(
      visit.wrong(
        visit.t(
          "Choisissez le pays du contrat, ou saisissez les préfixes desservis.",
          "Choose the country of the contract, or enter the prefixes that are served.",
        ),
        "setting-country",
      ),
    );
  const body = {
    ...{ kind: "http", connector: given, connectorSettings, enabled: false },
    ...(prefix !== undefined && { prefixes: [prefix] }),
    ...bodyOf(visit, [...firstSettings(visit, connector, undefined), ...restSettings(visit)]),
  };
  const calling = visit.callAsAdmin("/v1/admin/operator/create", body as Body<"/v1/admin/operator/create">);
  return visit.submit(
    calling,
    again,
    ({ data }) => `/admin/operators/${data.id}/setup?done=made`,
    formNames(connector),
  );
}

/** The first step of an operator with a declaration; the second one asks for what the declaration declares. */
function newDeclared(visit: Visit): View {
  return {
    title: declaredTitle(visit),
    narrow: true,
    back: waysBack(visit),
    body: html`<p class="lead">${prose(
      visit.t(
        "Décrivez l’API du fournisseur. Partez de cet exemple : les réglages à saisir (`fields`), la requête (`send`), le sens des réponses (`outcomes`) et les accusés de réception (`receipts`).",
        "Describe the provider’s API. Begin with this example: the settings to enter (`fields`), the request (`send`), the meaning of responses (`outcomes`) and the receipts (`receipts`).",
      ),
    )}</p>
${form(visit, "/admin/operators/new/declaration", [
  declarationArea(visit, visit.typed("connector", JSON.stringify(EXAMPLE_DECLARATION, null, 2))),
  actions([button(visit.t("Continuer", "Continue"))]),
])}`,
  };
}

function declarationArea(visit: Visit, value: string, rows = 24): Html {
  return textArea(visit, "connector", visit.t("Déclaration", "Declaration"), {
    value,
    hint: html`<a href="/docs/guide/connectors">${visit.t("Langage des déclarations", "The language of declarations")}</a>`,
    attributes: html`class="code" maxlength="${DECLARATION_CHARACTERS_AT_MOST}" autocomplete="off" spellcheck="false"`,
    rows,
  });
}

/** A declaration that was typed and what it asks for, or what is wrong with it. */
type Typed = { declaration: Record<string, unknown>; connector: ConnectorForm } | Problem;

async function typedDeclaration(visit: Visit): Promise<Typed> {
  const declaration = parsedJson(visit, visit.field("connector"));
  if (declaration instanceof Problem) return declaration;
  try {
    const { data } = await visit.callAsAdmin("/v1/admin/connector/check", { connector: declaration });
    return { declaration, connector: data };
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "invalid-request") throw error;
    return declarationProblem(error.details.map((detail) => declarationError(visit, detail)));
  }
}

function parsedJson(visit: Visit, text: string): Record<string, unknown> | Problem {
  try {
    const declaration: unknown = JSON.parse(text);
    if (typeof declaration === "object" && declaration !== null && !Array.isArray(declaration))
      return declaration as Record<string, unknown>;
    return declarationProblem([visit.t("Saisissez un objet JSON : { … }.", "Enter a JSON object: { … }.")]);
  } catch (error) {
    const [, line, column] = /line (\d+) column (\d+)/.exec((error as Error).message) ?? [];
    const place =
      line === undefined
        ? ""
        : visit.t(
            ` : erreur à la ligne ${line}, colonne ${column}`,
            `: error in line ${line}, column ${column}`,
          );
    return declarationProblem([
      visit.t(`Ce texte n’est pas du JSON${place}.`, `This text is not JSON${place}.`),
    ]);
  }
}

/** All errors are in one field, so each names its place. */
function declarationProblem([first = "", ...rest]: readonly string[]): Problem {
  const field = "connector";
  return new Problem(first, field, { others: rest.map((sentence) => ({ sentence, field })) });
}

function declarationError(visit: Visit, { field: place, message }: FieldMessage): string {
  const path = place.replace(/^connector\.?/, "");
  return path === ""
    ? visit.t(`La déclaration ${message}.`, `The declaration ${message}.`)
    : visit.t(`« ${path} » : ${message}.`, `“${path}”: ${message}.`);
}

async function createDeclared(visit: Visit): Promise<View | Redirect> {
  const typed = await typedDeclaration(visit);
  if (typed instanceof Problem) return newDeclared(visit.with(typed));
  const { connector, declaration } = typed;
  const view = (again: Visit) =>
    newView(again, connector, declarationDetails(again, again.field("connector")));
  return visit.has("name") ? create(visit, connector, declaration, view) : view(visit);
}

function declarationDetails(visit: Visit, value: string): Html {
  const isOpen = visit.problem?.isAt("connector");
  return html`<details${isOpen && html` open`}><summary>${visit.t("Déclaration", "Declaration")}</summary>${declarationArea(visit, value)}</details>`;
}

/** Renders the form that changes an operator over HTTP. Its kind stays, and so does a built-in connector. */
export async function editHttp(visit: Visit, operator: OperatorShown): Promise<View> {
  return editView(visit, operator, await connectorOfOperator(visit, operator));
}

function editView(visit: Visit, operator: OperatorShown, connector: ConnectorForm): View {
  const { id, name, declaration } = operator;
  const details =
    declaration !== null && declarationDetails(visit, visit.typed("connector", textOf(declaration)));
  return {
    title: name,
    narrow: true,
    back: { href: `/admin/operators/${id}`, text: name },
    body: html`${remark(visit, "note", [
      "Si vous modifiez ces réglages, les envois en cours se terminent d’abord. Aucun message n’est perdu.",
      "If you change these settings, messages in flight are completed first. No messages are lost.",
    ])}
${form(visit, `/admin/operators/${id}/edit`, [
  fieldsPart(visit, { connector, operator, ...(details && { declaration: details }) }),
  changeActions(visit, operator),
])}`,
  };
}

const textOf = (declaration: NonNullable<OperatorShown["declaration"]>) =>
  JSON.stringify(declaration, null, 2);

/** Changes an operator over HTTP: of its settings and its declaration, sends what differs. */
export async function changeHttp(visit: Visit, operator: OperatorShown): Promise<View | Redirect> {
  const known = await connectorOfOperator(visit, operator);
  const isDeclared =
    operator.declaration !== null && visit.field("connector") !== textOf(operator.declaration);
  const typed = isDeclared ? await typedDeclaration(visit) : { connector: known };
  if (typed instanceof Problem) return editView(visit.with(typed), operator, known);
  const { connector } = typed;
  const connectorSettings = settingsTyped(visit, connector, operator);
  const body = {
    id: operator.id,
    ...("declaration" in typed && { connector: typed.declaration }),
    ...(Object.keys(connectorSettings).length > 0 && { connectorSettings }),
    ...bodyOf(visit, [...firstSettings(visit, connector, operator), ...restSettings(visit)], operator),
  };
  const calling = visit.callAsAdmin(
    "/v1/admin/operator/{id}/update",
    body as Body<"/v1/admin/operator/{id}/update">,
  );
  const again = (visit: Visit) => editView(visit, operator, connector);
  const next = `/admin/operators/${operator.id}?done=changed`;
  return visit.submit(calling, again, next, formNames(connector));
}
