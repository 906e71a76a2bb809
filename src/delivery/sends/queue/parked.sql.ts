// The queries of parked messages.
import { query } from "../../../platform/database/query.ts";

/**
 * Lists accounts that have parked batches and are no longer suspended, by one descent of the index for each account
 * that has any.
 */
export const listResumed = query<{ account_id: string }>(
  "sends.listResumed",
  `WITH RECURSIVE aside AS (
     (SELECT account_id FROM batches WHERE lane < 2 AND account_id <> '' ORDER BY account_id LIMIT 1)
     UNION ALL
     SELECT next.account_id FROM aside CROSS JOIN LATERAL (
       SELECT account_id FROM batches
       WHERE lane < 2 AND account_id <> '' AND account_id > aside.account_id ORDER BY account_id LIMIT 1) next
   )
   SELECT account_id FROM aside
   WHERE NOT EXISTS (SELECT FROM suspended_accounts suspended WHERE suspended.account_id = aside.account_id)`,
);

/** Releases up to $2 parked batches of an account, so that links take them like any others of their lane. */
export const releaseBatches = query<{ id: string }>(
  "sends.releaseBatches",
  `UPDATE batches SET account_id = '' WHERE id = ANY(ARRAY(
     SELECT id FROM batches WHERE lane < 2 AND account_id <> '' AND account_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED))
   RETURNING id`,
);
