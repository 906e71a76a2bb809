// Tables of the fields of a request or a response.
import { type Html, html } from "../../platform/http/html.ts";
import type { Meaning } from "../../platform/http/meanings.ts";
import type { Locale } from "./locale.ts";
import { meaningOf } from "./meanings.ts";
import type { Schema } from "./operations.ts";

/** A field with its path (`contacts[].phone`) and what it means. */
type Row = { name: string; meaning: Meaning | undefined; schema: Schema; isRequired: boolean };

/** Returns the fields, including nested ones: `contacts[].phone`. */
export function rowsOf(schema: Schema, prefix = ""): Row[] {
  const inside = schema.items ?? schema.anyOf?.find(({ properties, items }) => properties ?? items);
  if (inside) return rowsOf(inside, schema.items ? `${prefix}[]` : prefix);
  return Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    const name = prefix ? `${prefix}.${key}` : key;
    const isRequired = !!schema.required?.includes(key);
    return [{ name, meaning: meaningOf(key, member), schema: member, isRequired }, ...rowsOf(member, name)];
  });
}

type Manner = { isAsked: boolean; isOpen?: boolean };

/** Renders a table of fields that opens by its title; nothing if there are none. */
export function membersPart(
  locale: Locale,
  title: Html | string,
  rows: readonly Row[],
  { isAsked, isOpen = isAsked }: Manner,
): Html | false {
  return (
    rows.length > 0 &&
    html`<details class="members"${isOpen && html` open`}><summary>${title}</summary>
<table><tbody>${rows.map((row) => memberRow(locale, row, isAsked))}</tbody></table></details>`
  );
}

function memberRow(locale: Locale, { name, meaning, schema, isRequired }: Row, isAsked: boolean): Html {
  const standard =
    schema.default !== undefined &&
    html` ${locale.t("; par défaut", "; default")} <code>${JSON.stringify(schema.default)}</code>`;
  // A long name breaks between its parts.
  const parts = name.split(".").map((part, i) => html`${i > 0 && html`.<wbr>`}${part}`);
  return html`<tr><th scope="row"><code>${parts}</code>${isAsked && isRequired && html` <b>${locale.t("requis", "required")}</b>`}</th>
<td>${meaning && locale.say(meaning)}<small>${typeOf(locale, schema)}${standard}</small></td></tr>`;
}

const TYPES: Record<string, { fr: string; en: string }> & { object: { fr: string; en: string } } = {
  string: { fr: "texte", en: "text" },
  integer: { fr: "entier", en: "integer" },
  number: { fr: "nombre", en: "number" },
  boolean: { fr: "booléen", en: "boolean" },
  object: { fr: "objet", en: "object" },
  null: { fr: "null", en: "null" },
};

/** Returns the type of a value in few words: `texte, 1 à 200 caractères`, `"asc" | "desc"`. */
export function typeOf(locale: Locale, schema: Schema): string {
  if (schema.enum) return schema.enum.map((choice) => JSON.stringify(choice)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(locale, one)).join(locale.t(" ou ", " or "));
  if (schema.items) return `${locale.t("liste : ", "list: ")}${typeOf(locale, schema.items)}`;
  const { minimum, maximum, minLength, maxLength, format } = schema;
  const type =
    format === "date-time"
      ? locale.t("date ISO 8601", "ISO 8601 date")
      : locale.say(TYPES[schema.type ?? "object"] ?? TYPES.object);
  if (maxLength !== undefined)
    return `${type}, ${between(locale, minLength ?? 0, maxLength)} ${locale.t("caractères", "characters")}`;
  if (minimum !== undefined && maximum !== undefined) return `${type}, ${between(locale, minimum, maximum)}`;
  return type;
}

function between(locale: Locale, least: number, most: number): string {
  return `${locale.number(least)} ${locale.t("à", "to")} ${locale.number(most)}`;
}
