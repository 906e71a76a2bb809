// Columns of statements under the names that responses give them.
import type { TObject } from "typebox";

/**
 * Returns the select list of the members of a response, or of members with these names: for `createdAt` it has
 * `created_at AS "createdAt"`. `from`: the SQL of members that are no column of that name, used as it is. `table`: the
 * table, or its alias, of all the others.
 */
export function columnsOf(
  shown: Pick<TObject, "properties"> | readonly string[],
  from: Readonly<Record<string, string>> = {},
  table?: string,
): string {
  const names = "properties" in shown ? Object.keys(shown.properties) : shown;
  return names
    .map((name) => {
      const column = from[name] ?? `${table ? `${table}.` : ""}${snakeCase(name)}`;
      return column === name ? column : `${column} AS "${name}"`;
    })
    .join(", ");
}

/** Returns the column of a member. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
