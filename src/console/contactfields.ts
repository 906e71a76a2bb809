// Own fields in the form of a contact: a line for each that the company uses, and one for a new one.
import { type Html, html } from "../kernel/html.ts";
import type { Contact } from "./contacts.ts";
import { field } from "./forms.ts";
import { Problem } from "./sentences.ts";
import type { Visit } from "./visit.ts";

/** Lines of the form; a contact has no more fields. */
const LINES_AT_MOST = 20;
const OWN = "own_";

type Fields = Contact["fields"];

/** The names that stand in the form: those of the contact, then others of the company. */
async function namesInForm(visit: Visit, fields: Fields): Promise<string[]> {
  const { data } = await visit.ask("/v1/contact/field/list", { limit: 100 });
  const names = new Set([...Object.keys(fields), ...data.map(({ name }) => name)]);
  return [...names].slice(0, LINES_AT_MOST);
}

/** The own fields of a contact, with what was typed where a form comes back. */
export async function ownFieldsPart(
  visit: Visit,
  of: Pick<Contact, "fields"> | undefined,
  problem: Problem | undefined,
): Promise<Html> {
  const stored = of?.fields ?? {};
  const names = await namesInForm(visit, stored);
  const line = (name: string, label: string, value: string, more: { hint?: string; most: number }) =>
    field(visit, {
      ...{ name, label, problem, hint: more.hint, isOptional: "silent" },
      value: name in visit.fields ? visit.field(name) : value,
      attributes: html`maxlength="${more.most}" autocomplete="off"`,
    });
  const example = names[0] ?? "ville";
  return html`<fieldset class="field"><legend>${visit.t("Champs personnalisés", "Own fields")}</legend>
<p class="hint">${visit.t(
    `Ce que vous notez d’autre de cette personne. Un texte le dit par une variable : @${example}.`,
    `What else you note of this person. A text says it by a variable: @${example}.`,
  )}</p>
${names.map((name) => line(OWN + name, name, valueIn(stored, name), { most: 100 }))}
${line("newField", visit.t("Nom d’un autre champ", "Name of another field"), "", {
  most: 30,
  hint: visit.t(
    "Lettres sans accents, chiffres et _, sans espace.",
    "Letters without accents, digits and _, no space.",
  ),
})}
${line("newValue", visit.t("Valeur de ce champ", "Value of this field"), "", { most: 100 })}</fieldset>`;
}

const valueIn = (fields: Fields, name: string) => (Object.hasOwn(fields, name) ? fields[name]! : "");

/** What an input shows of a value: it has one line. */
const inLine = (value: string) => value.replace(/[\r\n]/g, "");

/** The own fields that the form changes: an empty value removes one. */
export function fieldsOfForm(visit: Visit, before?: Pick<Contact, "fields">): Fields | Problem {
  const stored = before?.fields ?? {};
  const changes = Object.keys(visit.fields)
    .filter((name) => name.startsWith(OWN))
    .map((name): [string, string] => [name.slice(OWN.length), visit.field(name).trim()])
    .filter(([name, value]) => value !== inLine(valueIn(stored, name)));
  const [name, value] = [visit.field("newField").trim(), visit.field("newValue").trim()];
  if (name === "" && value !== "")
    return new Problem(visit.t("Donnez un nom à ce champ.", "Give this field a name."), "newField");
  return Object.fromEntries(name === "" ? changes : [...changes, [name, value]]);
}
