// SQL that finds the rows of one account without reading those of others.

/**
 * SQL of a subquery for `CROSS JOIN LATERAL`: the row of `table` with this key (column → SQL of its value). Name the
 * column of the account first. The subquery seeks the first row at or after the key among the rows that equal it in all
 * columns but the last, in the order of the last: only the key's own index gives that order, and it ends where the
 * account ends.
 *
 * Three shorter forms read unnecessary rows:
 * - With `=` alone the planner may take any index that begins with the same column. When it had last seen three
 *   companies with one contact each, each of 10,000 look-ups read the whole phone book: 10 s (2 cores, 2026-11-21).
 * - `(a, b) >= (x, y)` has no upper bound. Under row-level security a missing key behind an account read the rows of
 *   every later account: one new contact beside 240,000 of others took 171 ms instead of 10 (2 cores, 2026-11-26).
 * - `a = x AND (a, b) >= (x, y)` reads the account's own rows from the first one on.
 *
 * Do not lock rows with it: if another transaction deletes the row, the lock may be on the next row.
 */
export function lookUp(table: string, key: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(key);
  const [last, sought] = pairs.at(-1)!;
  const same = pairs.slice(0, -1).map(([column, value]) => `${column} = ${value}`);
  const columns = pairs.map(([column]) => column).join(", ");
  return `(SELECT * FROM (
       SELECT * FROM ${table} WHERE ${[...same, `${last} >= ${sought}`].join(" AND ")} ORDER BY ${columns} LIMIT 1) AS next
     WHERE ${last} = ${sought})`;
}

/**
 * SQL of the condition that a row belongs to an account, for lists in an order that another index has too, such as that
 * of a unique `id`. The second comparison is redundant. It makes the planner expect fewer rows by the index that begins
 * with the account: with `=` alone, a database that had last analyzed one company listed the requests of an account by
 * reading those of all accounts in the order of their ids (2026-11-26).
 */
export function isOf(column: string, account: string): string {
  return `${column} = ${account} AND ${column} >= ${account}`;
}
