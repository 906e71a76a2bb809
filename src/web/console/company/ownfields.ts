// The own fields of a contact in its form: one input for each, and one for a new one.
import { type Html, html } from "../../../platform/http/html.ts";
import { field } from "../parts/forms.ts";
import type { Visit } from "../visit.ts";

type Fields = Readonly<Record<string, string>>;

const PREFIX = "own.";
/** The maximum that a contact may have. */
const SHOWN_AT_MOST = 20;
const ATTRIBUTES = html`maxlength="100" autocomplete="off"`;

/** Renders the fields that the contact has, then others of the company, and an empty one for a new name. */
export async function ownFieldsPart(visit: Visit, of: Fields): Promise<Html> {
  const { data } = await visit.call("/v1/contact/field/list", { limit: 100 });
  const names = new Set([...Object.keys(of), ...data.map(({ name }) => name)]);
  const shown = [...names].slice(0, SHOWN_AT_MOST);
  const shownOf = (name: string) => {
    const typed = PREFIX + name;
    if (typed in visit.fields) return visit.field(typed);
    return (Object.hasOwn(of, name) && of[name]) || "";
  };
  const inputOf = (name: string) =>
    field(visit, PREFIX + name, `@${name}`, {
      value: shownOf(name),
      isOptional: true,
      attributes: ATTRIBUTES,
    });
  return html`${shown.map(inputOf)}
${field(visit, "newField", visit.t("Nom du nouveau champ", "Name of the new field"), {
  hint: visit.t(
    "Par exemple city, à utiliser dans vos textes sous la forme @city.",
    "For example city, used in your texts as @city.",
  ),
  isOptional: true,
  attributes: html`maxlength="30" autocomplete="off"`,
})}
${field(visit, "newValue", visit.t("Valeur pour ce contact", "Value for this contact"), {
  isOptional: true,
  attributes: ATTRIBUTES,
})}`;
}

/** Returns the own fields of the form as input for the API: an empty text removes one. */
export function ownFieldsGiven(visit: Visit): Record<string, string> {
  const inputs = Object.keys(visit.fields).filter((name) => name.startsWith(PREFIX));
  const given = inputs.map((name) => [name.slice(PREFIX.length), visit.field(name).trim()]);
  const [name, value] = [visit.field("newField").trim(), visit.field("newValue").trim()];
  return Object.fromEntries([...given, ...(name !== "" ? [[name, value]] : [])]);
}

/** The input at which a refusal of own fields is shown. */
export const OWN_FIELDS_INPUT = { fields: "newField" };
