// Sealed columns: how to find the sealed values of a table and seal them again.
import { type Query, query } from "../database/query.ts";

type SealedRow = { id: string; sealed: string };

/** The number of values that a key has sealed. */
export type KeyCount = { key_id: string; count: number };

/** A column whose values are sealed, each in the place of its row's `id`. */
export type SealedColumn = {
  readonly table: string;
  readonly column: string;
  /** The rows after the id $1 in the order of ids, $2 at most. */
  readonly list: Query<SealedRow>;
  /** Replaces the old values of rows by fresh ones, unless they have changed. */
  readonly update: Query<never, { fresh: readonly (SealedRow & { old: string })[] }>;
  readonly count: Query<KeyCount>;
};

/** Returns the queries on a sealed column of a table whose primary key is `id`, or `key`. */
export function sealedColumn(folder: string, table: string, column: string, key = "id"): SealedColumn {
  const name = `Sealed ${table}.${column}`;
  return {
    table,
    column,
    list: query<SealedRow>(
      `${folder}.list${name}`,
      `SELECT ${key} AS id, ${column} AS sealed FROM ${table} WHERE ${key} > $1 AND ${column} IS NOT NULL ORDER BY ${key} LIMIT $2`,
    ),
    update: query(
      `${folder}.update${name}`,
      `UPDATE ${table} AS kept SET ${column} = fresh.sealed
       FROM $fresh(id text, old text, sealed text) AS fresh (id, old, sealed)
       WHERE kept.${key} = ANY($fresh.id) AND kept.${key} = fresh.id AND kept.${column} = fresh.old`,
    ),
    count: query<KeyCount>(
      `${folder}.count${name}`,
      `SELECT split_part(${column}, '.', 2) AS key_id, count(*) AS count FROM ${table} WHERE ${column} IS NOT NULL GROUP BY 1`,
    ),
  };
}
