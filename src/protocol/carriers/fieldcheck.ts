// Checks what an administrator entered in the fields of a connector.
import type { Sentence } from "../../platform/http/refusals.ts";
import type { Connector, ConnectorField } from "./connector.ts";
import { originOf } from "./opening.ts";

/** What is wrong with the value of one field; `field` is empty if the values together do not give a URL. */
export type FieldProblem = { field: string; message: Sentence };

/** Long enough for a token of several kilobytes. */
const CHARACTERS_AT_MOST = 4_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: no value has a line end or another control
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Returns what is wrong with the values of fields; none if the connector may be opened with them. */
export function checkFields(connector: Connector, given: Readonly<Record<string, string>>): FieldProblem[] {
  const known = new Set(connector.fields.map(({ name }) => name));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  const problems = [
    ...unknown.map((field) => ({
      field,
      message: { fr: "n’est pas un champ de ce connecteur", en: "is not a field of this connector" },
    })),
    ...connector.fields.flatMap((field) => {
      const message = problemOf(field, valueIn(given, field.name), connector.fields, given);
      return message ? [{ field: field.name, message }] : [];
    }),
  ];
  if (problems.length > 0 || originOf(connector, given) !== "") return problems;
  return [{ field: "", message: { fr: "ne donne pas une adresse valide", en: "does not give a valid URL" } }];
}

type Given = Readonly<Record<string, string>>;

function valueIn(given: Given, name: string): string {
  return (Object.hasOwn(given, name) ? given[name] : undefined) ?? "";
}

/** Whether a field may stay empty, whatever the others have. */
export function mayBeEmpty({ optional, default: usual, choices = [] }: ConnectorField): boolean {
  return Boolean(optional || usual) || choices.some(({ value }) => value === "");
}

/** Returns why a field may not be empty; undefined: it may. */
function missingIn(
  field: ConnectorField,
  all: readonly ConnectorField[],
  given: Given,
): Sentence | undefined {
  if (mayBeEmpty(field)) return undefined;
  const other = all.find(({ name }) => name === field.unless);
  if (!other) return { fr: "est obligatoire", en: "is required" };
  if (valueIn(given, other.name) !== "") return undefined;
  const { title } = other;
  const [fr, en] = typeof title === "string" ? [title, title] : [title.fr, title.en];
  return { fr: `est obligatoire, sauf si « ${fr} » est indiqué`, en: `is required unless “${en}” is given` };
}

function problemOf(
  field: ConnectorField,
  value: string,
  all: readonly ConnectorField[],
  given: Given,
): Sentence | undefined {
  if (value === "") return missingIn(field, all, given);
  if (value.length > CHARACTERS_AT_MOST)
    return {
      fr: `doit avoir au plus ${CHARACTERS_AT_MOST} caractères`,
      en: `must have at most ${CHARACTERS_AT_MOST} characters`,
    };
  if (CONTROL.test(value))
    return {
      fr: "ne doit pas contenir de retour à la ligne ni d’autre caractère de contrôle",
      en: "must not contain line ends or other control characters",
    };
  if (field.choices && !field.choices.some((choice) => choice.value === value))
    return { fr: "n’est pas l’un des choix", en: "is not one of the choices" };
  if (field.format === "number" && !INTERNATIONAL.test(value)) return NO_NUMBER;
  return field.format === "url" && !isAddress(value) ? NO_ADDRESS : undefined;
}

const INTERNATIONAL = /^\+[1-9][0-9]{4,14}$/;
const NO_NUMBER: Sentence = {
  fr: "doit être un numéro au format international : + et 5 à 15 chiffres",
  en: "must be a number in international format: + and 5 to 15 digits",
};
const NO_ADDRESS: Sentence = {
  fr: "doit être une adresse http:// ou https://, sans identifiants, ? ni #",
  en: "must be an http:// or https:// address, without credentials, ? or #",
};

/** The value is inserted as it is, so it must be a URL as written and not only after a browser's corrections. */
function isAddress(value: string): boolean {
  if (!/^https?:\/\/[^@?#\\\s]+$/i.test(value) || /[^\u0021-\u007e]/.test(value) || !URL.canParse(value))
    return false;
  return new URL(value).hostname !== "";
}
