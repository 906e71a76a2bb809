// The fields of a connector in a form: what a provider over HTTP asks for, and what a person typed.
import { type Html, html } from "../../../platform/http/html.ts";
import { callingCodeOf } from "../../../protocol/sms/plans.ts";
import { type Data, Refused } from "../apiclient.ts";
import { field, select } from "../parts/forms.ts";
import { SECRET_FIELD } from "../screens.ts";
import type { Visit } from "../visit.ts";
import { secretAgain } from "./operatorfields.ts";
import type { OperatorShown } from "./operatorsettings.ts";

/** A connector in a form; one that somebody declared has no name. */
export type ConnectorForm = Data<"/v1/admin/connector/check"> & { name?: string };
type ConnectorField = ConnectorForm["fields"][number];

/** More connectors than there are. */
const CONNECTORS_AT_MOST = 100;

/** Returns the built-in connectors. */
export async function readConnectors(visit: Visit): Promise<Data<"/v1/admin/connector/list">> {
  return (await visit.callAsAdmin("/v1/admin/connector/list", { limit: CONNECTORS_AT_MOST })).data;
}

/** Returns a built-in connector. Throws `not-found`. */
export async function readConnector(visit: Visit, name: string): Promise<ConnectorForm> {
  const found = (await readConnectors(visit)).find((connector) => connector.name === name);
  if (!found) throw new Refused("not-found");
  return found;
}

/** Returns the connector of an operator over HTTP. */
export async function connectorOfOperator(
  visit: Visit,
  { connector, declaration }: OperatorShown,
): Promise<ConnectorForm> {
  if (declaration === null) return readConnector(visit, connector ?? "");
  return (await visit.callAsAdmin("/v1/admin/connector/check", { connector: declaration })).data;
}

/** Returns what names the connector of each of these operators; undefined for one over SMPP. */
export async function connectorTitles(
  visit: Visit,
  operators: readonly OperatorShown[],
): Promise<(operator: OperatorShown) => string | undefined> {
  const isNeeded = operators.some(({ connector }) => connector !== null);
  const titles = new Map(
    (isNeeded ? await readConnectors(visit) : []).map(({ name, title }) => [name, title]),
  );
  return ({ kind, connector, declaration }) => {
    if (kind !== "http") return undefined;
    const title = declaration?.title ?? titles.get(connector ?? "") ?? connector ?? "";
    return typeof title === "string" ? title : title[visit.language];
  };
}

function formName({ name, secret }: ConnectorField): string {
  return `${secret ? SECRET_FIELD : "setting-"}${name}`;
}

/** The field with the address of the provider, beside which a wrong address is shown. */
function addressField({ fields }: ConnectorForm): ConnectorField | undefined {
  return fields.find(({ name, default: usual }) => /url$/i.test(name) || usual?.startsWith("http"));
}

/** Returns the fields of a form by the members of a request, for the errors of the API. */
export function formNames(connector: ConnectorForm): Record<string, string> {
  const names = connector.fields.map((one) => [`connectorSettings.${one.name}`, formName(one)]);
  const address = addressField(connector);
  return { ...Object.fromEntries(names), ...(address && { connectorSettings: formName(address) }) };
}

/** Renders the fields of a connector. `operator` has known values; secret ones are never shown. */
export function connectorFields(
  visit: Visit,
  connector: ConnectorForm,
  operator?: OperatorShown,
): readonly Html[] {
  return connector.fields.map((one) => connectorField(visit, one, operator));
}

function connectorField(visit: Visit, one: ConnectorField, operator: OperatorShown | undefined): Html {
  const [name, { title, secret, optional, choices }] = [formName(one), one];
  const known = operator?.connectorSettings[one.name];
  const hint = hintOf(visit, one, known !== undefined);
  const of = { hint, value: visit.typed(name, secret ? "" : firstValue(one, known)) };
  if (choices.length > 0) {
    const offered = choices.map(({ value, title: text }) => [value, text] as const);
    const isChosen = one.default !== null || choices.some(({ value }) => value === "");
    return select(visit, name, title, {
      ...of,
      isOptional: isChosen || optional ? "silent" : false,
      choices: isChosen ? offered : [["", visit.t("Choisissez", "Choose")], ...offered],
    });
  }
  const isOptional = one.default !== null || (secret && known !== undefined) ? ("silent" as const) : optional;
  const attributes = html`maxlength="2000" autocomplete="${secret ? "new-password" : "off"}" spellcheck="false"${one.default !== null && html` placeholder="${one.default}"`}`;
  if (secret) return field(visit, name, title, { hint, value: "", isOptional, attributes, type: "password" });
  return field(visit, name, title, { ...of, isOptional, attributes });
}

/** A text field whose default is in use stays empty: its value follows the connector. */
function firstValue({ choices, default: usual }: ConnectorField, known: string | undefined): string {
  return known ?? (choices.length > 0 ? (usual ?? "") : "");
}

function hintOf(visit: Visit, one: ConnectorField, isKnown: boolean): string | undefined {
  const { help, secret, default: usual, choices } = one;
  const said = [
    help !== null && visit.t(help, help),
    secretAgain(visit, formName(one)),
    secret &&
      (isKnown
        ? visit.t("Laissez vide pour conserver la valeur actuelle.", "Leave empty to keep the current value.")
        : visit.t("Cette valeur ne sera plus jamais affichée.", "This value is never shown again.")),
    usual !== null && choices.length === 0 && visit.t(`Vide : ${usual}`, `Empty: ${usual}`),
  ].filter((one) => typeof one === "string");
  return said.length === 0 ? undefined : said.join(" ");
}

/** Returns the typed settings: of a known operator those that differ, and of secrets those that were typed. */
export function settingsTyped(
  visit: Visit,
  { fields }: ConnectorForm,
  operator?: OperatorShown,
): Record<string, string> {
  const typed = fields.map((one) => ({ one, value: visit.field(formName(one)).trim() }));
  const changed = typed.filter(({ one, value }) => {
    if (one.secret || !operator) return value !== "";
    return value !== (operator.connectorSettings[one.name] ?? "");
  });
  return Object.fromEntries(changed.map(({ one, value }) => [one.name, value]));
}

/** A sender number such as `+2250000`, by which some connectors know a country. */
const COUNTRY_NUMBER = /^\+(\d{4,})$/;

/** Returns the countries of a connector that asks for one, with their prefixes: `Mali 223`. */
export function prefixChoices({ fields }: ConnectorForm): string[] {
  const choices = fields.find(({ name }) => name === "country")?.choices ?? [];
  return choices.flatMap(({ value, title }) => {
    const prefix = prefixOf(value);
    return prefix === undefined ? [] : [`${title} ${prefix}`];
  });
}

/** Returns the prefix of a country as connectors write it, `225` of `+2250000`; undefined for anything else. */
export function prefixOf(country: string | undefined): string | undefined {
  const [, digits] = COUNTRY_NUMBER.exec(country ?? "") ?? [];
  return digits && callingCodeOf(digits);
}

/** Returns the sentences of a connector's guide. */
export function sentencesOf(guide: string): string[] {
  return guide.split(/(?<=\.)\s/);
}
