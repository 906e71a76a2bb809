// Looking thousands of rows up by key, in one statement.

/**
 * SQL of a subquery: the row of `table` with this key (column → SQL of its value), for `CROSS JOIN LATERAL`. It seeks
 * the first row at or after the key, in the key's order, which only the key's own index can give. With `=` alone the
 * planner may take any index that begins with the same column: where it last saw three companies with a contact each,
 * all were alike to it, and each of 10,000 look-ups read the company's whole phone book: 10 s (2 cores, 2026-11-21).
 * Not for rows to lock: should one go in that very moment, the one after it would be locked.
 */
export function lookUp(table: string, key: Readonly<Record<string, string>>): string {
  const columns = Object.keys(key).join(", ");
  const values = Object.values(key).join(", ");
  return `(SELECT * FROM (
       SELECT * FROM ${table} WHERE (${columns}) >= (${values}) ORDER BY ${columns} LIMIT 1) AS next
     WHERE (${columns}) = (${values}))`;
}
