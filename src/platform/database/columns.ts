// Columns of statements under the names that responses give them.
import type { TObject } from "typebox";

/**
 * SQL of the columns of a response, or of members with these names: `createdAt` is `created_at AS "createdAt"`. `from` has
 * the SQL of members that are no column of that name; `table` is the name of their table.
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

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
