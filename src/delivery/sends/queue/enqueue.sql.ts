// The queries that queue sends.
import { query } from "../../../platform/database/query.ts";

export const insertSends = query(
  "sends.insertSends",
  `INSERT INTO sends (id, account_id, total, endpoint_id, listener_id, about)
   SELECT id, account_id, total, endpoint_id, listener_id, about::json
   FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[])
     AS send (id, account_id, total, endpoint_id, listener_id, about)`,
);

/**
 * Inserts batches. Those with a session ($7) are leased to it with their whole intent, if the session exists and is
 * still in the term ($14) of the lease: a transaction that takes over its batches, or begins another term, waits for
 * this one. Those held for review ($15) may not be taken until they are released. Returns the ids of the leased ones.
 */
export const insertBatches = query<{ id: string }>(
  "sends.insertBatches",
  `WITH live AS MATERIALIZED (
     SELECT id AS session_id, operator_id FROM gateway_sessions
     WHERE (id, lease_term) IN (SELECT * FROM unnest($7::text[], $14::int[])) FOR KEY SHARE
   ),
   inserted AS (
     INSERT INTO batches (id, lane, prefix, account_id, segments, size, intent, session_id, operator_id, expires_at,
                          send_id, first_number, last_number, held, messages, not_before)
     SELECT batch.id, lane, prefix, account_id, segments, size, CASE WHEN live.session_id IS NULL THEN 0 ELSE size END, live.session_id,
            live.operator_id, expires_at, send_id, first_number, last_number, held, messages,
            CASE WHEN is_kept THEN 'infinity' ELSE now() END
     FROM unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::int[], $6::int[], $7::text[],
                 $8::timestamptz[], $9::text[], $10::int[], $11::int[], $12::bigint[], $13::text[], $15::boolean[])
       AS batch (id, lane, prefix, account_id, segments, size, session_id, expires_at,
                 send_id, first_number, last_number, held, messages, is_kept)
     LEFT JOIN live ON live.session_id = batch.session_id
     RETURNING id, session_id
   )
   SELECT id FROM inserted WHERE session_id IS NOT NULL`,
);

/** Releases batches that were held for review. Their waiting time begins now: no other operator may take them yet. */
export const releaseKept = query(
  "sends.releaseKept",
  `UPDATE batches SET not_before = now()
   WHERE send_id = ANY($1::text[]) AND not_before = 'infinity' AND NOT unknown AND NOT canceled`,
);
