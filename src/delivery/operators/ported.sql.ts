// The queries of ported numbers.
import { query } from "../../platform/database/query.ts";

/** Whether any number is ported; it reads one row. */
export const findAnyPorted = query<{ any: boolean }>(
  "operators.findAnyPorted",
  "SELECT EXISTS (SELECT FROM ported_numbers) AS any",
);

/**
 * Lists the ported ones among these phones ($1), in one walk along the key, the table's only index. 10,000 phones among
 * 3 million ported ones read 12,000 pages in 50 to 180 ms (EXPLAIN ANALYZE, 2 cores with a load of 8, 2026-11-22).
 */
export const listPorted = query<{ phone: number; operator_id: string }>(
  "operators.listPorted",
  "SELECT phone, operator_id FROM ported_numbers WHERE phone = ANY($1::bigint[])",
);

/** Whether any of these operators serves a phone: by a prefix, or because the number is ported to it. */
export const findServing = query<{ serves: boolean }>(
  "operators.findServing",
  `SELECT EXISTS (SELECT FROM operators CROSS JOIN unnest(prefixes) AS prefix WHERE id = ANY($1::text[]) AND starts_with($2, prefix))
       OR EXISTS (SELECT FROM ported_numbers WHERE phone = $2::text::bigint AND operator_id = ANY($1)) AS serves`,
);

/** Finds a ported number; `operator` is null if the operator is deleted. */
export const findPorted = query<{ operator_id: string; operator: string | null }>(
  "operators.findPorted",
  `SELECT ported.operator_id, operators.name AS operator
   FROM ported_numbers ported LEFT JOIN operators ON operators.id = ported.operator_id AND NOT operators.deleted
   WHERE phone = $1::bigint`,
);

/** Lists the names of all operators. There are tens of them. */
export const listNames = query<{ id: string; name: string }>(
  "operators.listNames",
  "SELECT id, name FROM operators WHERE NOT deleted ORDER BY id LIMIT 1000",
);

/**
 * Sets the operators of phones, each of which occurs once. A number that already has this operator is not written
 * again. Sorted, so that two imports wait for each other instead of deadlocking.
 */
export const upsertPorted = query<never, { ported: readonly { phone: string; operatorId: string | null }[] }>(
  "operators.upsertPorted",
  `INSERT INTO ported_numbers AS ported (phone, operator_id)
   SELECT given.phone, given.operator_id FROM $ported(phone bigint, operator_id text) AS given (phone, operator_id)
   WHERE NOT EXISTS (
     SELECT FROM ported_numbers known WHERE known.phone = given.phone AND known.operator_id = given.operator_id OFFSET 0
   )
   ORDER BY given.phone
   ON CONFLICT (phone) DO UPDATE SET operator_id = excluded.operator_id`,
);

/** Deletes numbers that are no longer ported. They are locked in order, as by `upsertPorted`. */
export const deletePorted = query(
  "operators.deletePorted",
  `WITH gone AS MATERIALIZED (
     SELECT phone FROM ported_numbers WHERE phone = ANY($1::bigint[]) ORDER BY phone FOR UPDATE
   )
   DELETE FROM ported_numbers ported USING gone WHERE ported.phone = gone.phone`,
);

/** Deletes all ported numbers at once. Fails with 55P03 if it does not get its lock within half a second. */
export const forgetPorted = query("operators.forgetPorted", "SELECT forget_ported_numbers()");
