// The queries of queue depths, for metrics: each reads a bounded number of rows, however long the queue is.
import { query } from "../../../platform/database/query.ts";

/** The messages that wait for any link in one lane, for one prefix. `age_ms` is null if none is due. */
export type QueueDepth = { lane: number; prefix: string; messages: number; age_ms: number | null };

/**
 * Reads the depths of batches that no session has: of $1 places at most, each a lane and a prefix, by a loose scan of
 * the index for free batches, and from $2 batches at most, the same number in each place. Messages of suspended
 * accounts do not count, nor do messages of unknown fate, since they wait for receipts. 100 million messages in 200,000
 * batches of 10,000 companies take 30 to 60 ms, and no more with a million batches of single sends beside them (2 busy
 * cores, 2026-11-22).
 */
export const listQueueDepths = query<QueueDepth>(
  "sends.listQueueDepths",
  `WITH RECURSIVE walk AS (
     (SELECT lane, prefix FROM batches WHERE session_id IS NULL ORDER BY lane, prefix LIMIT 1)
     UNION ALL
     SELECT next.lane, next.prefix FROM walk, LATERAL (
       SELECT lane, prefix FROM batches further
       WHERE session_id IS NULL AND (further.lane, further.prefix) > (walk.lane, walk.prefix) ORDER BY lane, prefix LIMIT 1
     ) next
   ),
   places AS MATERIALIZED (SELECT lane, prefix FROM walk LIMIT $1)
   SELECT lane, prefix, coalesce(messages, 0)::bigint AS messages,
          (extract(epoch FROM now() - oldest) * 1000)::bigint AS age_ms
   FROM places CROSS JOIN LATERAL (
     SELECT sum(size - greatest(intent, first - 1) - coalesce(cardinality(withdrawn), 0)) FILTER (WHERE NOT unknown) AS messages,
            min(not_before) FILTER (WHERE not_before <= now()) AS oldest
     FROM (
       SELECT size, intent, first, withdrawn, unknown, not_before FROM batches
       WHERE session_id IS NULL AND lane = places.lane AND prefix = places.prefix
         AND account_id <> ALL(ARRAY(SELECT account_id FROM suspended_accounts))
       ORDER BY account_id, not_before, id LIMIT (SELECT $2::bigint / count(*) FROM places)
     ) batch
   ) counted`,
);

/** Counts messages of unknown fate by the operator that may have them, $1 at most in all. */
export const countUnknownByOperator = query<{ operator_id: string | null; count: number }>(
  "sends.countUnknownByOperator",
  `SELECT operator_id, count(*) AS count FROM (
     SELECT batch.operator_id FROM batches batch JOIN message_queue queued ON queued.batch_id = batch.id
     WHERE batch.unknown AND batch.session_id IS NULL LIMIT $1
   ) unknown GROUP BY operator_id`,
);
