// Members: the tables of what a request asks and what an answer has, name by name.
import { type Html, html } from "../kernel/html.ts";
import type { Place, TermOf } from "./glossary.ts";
import type { Schema } from "./operations.ts";
import type { Reader } from "./reader.ts";

export type Row = { name: string; schema: Schema; isRequired: boolean };

/** Members, and the members of their members: `contacts[].phone`. */
export function rowsOf(schema: Schema, prefix = ""): Row[] {
  const inside = schema.items ?? schema.anyOf?.find(({ properties, items }) => properties ?? items);
  if (inside) return rowsOf(inside, schema.items ? `${prefix}[]` : prefix);
  return Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    const name = prefix ? `${prefix}.${key}` : key;
    return [{ name, schema: member, isRequired: !!schema.required?.includes(key) }, ...rowsOf(member, name)];
  });
}

type Manner = {
  path: string;
  isAsked: boolean;
  isOpen?: boolean;
  termOf: TermOf;
};

/** A table of members, which opens by its title. Nothing where there are none. */
export function membersPart(
  reader: Reader,
  title: Html | string,
  rows: readonly Row[],
  { path, isAsked, isOpen = isAsked, termOf }: Manner,
): Html | false {
  return (
    rows.length > 0 &&
    html`<details class="members"${isOpen && html` open`}><summary>${title}</summary>
<table><tbody>${rows.map((row) => memberRow(reader, row, { path, isAsked }, termOf))}</tbody></table></details>`
  );
}

function memberRow(
  reader: Reader,
  { name, schema, isRequired }: Row,
  at: Pick<Place, "path" | "isAsked">,
  termOf: TermOf,
): Html {
  const term = termOf(name.replace(/^.*[.\]]/, ""), { ...at, member: name });
  const standard =
    schema.default !== undefined &&
    html` ${reader.t("; par défaut", "; default")} <code>${JSON.stringify(schema.default)}</code>`;
  // A long name breaks between its members.
  const parts = name.split(".").map((part, i) => html`${i > 0 && html`.<wbr>`}${part}`);
  return html`<tr><th scope="row"><code>${parts}</code>${at.isAsked && isRequired && html` <b>${reader.t("requis", "required")}</b>`}</th>
<td>${term && reader.say(term)}<small>${typeOf(reader, schema)}${standard}</small></td></tr>`;
}

const TYPES: Record<string, { fr: string; en: string }> = {
  string: { fr: "texte", en: "text" },
  integer: { fr: "entier", en: "integer" },
  number: { fr: "nombre", en: "number" },
  boolean: { fr: "oui ou non", en: "true or false" },
  object: { fr: "objet", en: "object" },
  null: { fr: "null", en: "null" },
};

/** The type of a value in few words: `texte, 1 à 200 caractères`, `"asc" | "desc"`. */
function typeOf(reader: Reader, schema: Schema): string {
  if (schema.enum) return schema.enum.map((choice) => JSON.stringify(choice)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(reader, one)).join(reader.t(" ou ", " or "));
  if (schema.items) return `${reader.t("liste : ", "list: ")}${typeOf(reader, schema.items)}`;
  const { minimum, maximum, minLength, maxLength, format } = schema;
  const type =
    format === "date-time"
      ? reader.t("date ISO 8601", "ISO 8601 date")
      : reader.say(TYPES[schema.type ?? "object"] ?? TYPES.object!);
  if (maxLength !== undefined)
    return `${type}, ${between(reader, minLength ?? 0, maxLength)} ${reader.t("caractères", "characters")}`;
  if (minimum !== undefined && maximum !== undefined) return `${type}, ${between(reader, minimum, maximum)}`;
  return type;
}

function between(reader: Reader, least: number, most: number): string {
  return `${reader.number(least)} ${reader.t("à", "to")} ${reader.number(most)}`;
}
