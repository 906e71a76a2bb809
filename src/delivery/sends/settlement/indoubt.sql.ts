// The queries of messages that were queued when the database became another one: they may have been sent meanwhile.
import { query } from "../../../platform/database/query.ts";
import { BATCH_COLUMNS, type BatchRow } from "../queue/batches.sql.ts";
import type { QueuedMessage } from "../queue/packed.ts";

/** Marks all batches, except those held for review. */
export const markBatchesInDoubt = query(
  "sends.markBatchesInDoubt",
  "UPDATE batches SET doubtful = true WHERE doubtful IS NULL AND (not_before < 'infinity' OR unknown)",
);

/** Also marks those held for review: they may have been released and sent. */
export const markHeldForReviewInDoubt = query(
  "sends.markHeldForReviewInDoubt",
  "UPDATE batches SET doubtful = true WHERE doubtful IS NULL AND not_before = 'infinity' AND NOT unknown",
);

export const markUnqueuedInDoubt = query(
  "sends.markUnqueuedInDoubt",
  "UPDATE unqueued_sends SET doubtful = true WHERE doubtful IS NULL",
);

export const clearBatchesInDoubt = query(
  "sends.clearBatchesInDoubt",
  "UPDATE batches SET doubtful = NULL WHERE doubtful",
);

export const clearUnqueuedInDoubt = query(
  "sends.clearUnqueuedInDoubt",
  "UPDATE unqueued_sends SET doubtful = NULL WHERE doubtful",
);

/** Marks the batches that a step of a send in doubt has queued. */
export const markSendInDoubt = query(
  "sends.markSendInDoubt",
  "UPDATE batches SET doubtful = true WHERE send_id = $1",
);

/**
 * Counts messages in doubt: packed ones after the intent, those with rows of their own, and those still to be queued.
 */
export const countInDoubt = query<{ count: number }>(
  "sends.countInDoubt",
  `SELECT ((SELECT coalesce(sum(size - greatest(intent, first - 1) - coalesce(cardinality(withdrawn), 0)), 0) FROM batches
            WHERE doubtful AND messages IS NOT NULL AND NOT canceled)
         + (SELECT count(*) FROM batches batch JOIN message_queue queued ON queued.batch_id = batch.id
            WHERE batch.doubtful AND batch.messages IS NULL AND NOT batch.canceled)
         + (SELECT coalesce(sum(send.total - unqueued.next_number + 1), 0) FROM unqueued_sends unqueued JOIN sends send ON send.id = unqueued.id
            WHERE unqueued.doubtful))::bigint AS count`,
);

/** Locks up to $1 batches in doubt that no session has. */
export const lockInDoubt = query<BatchRow>(
  "sends.lockInDoubt",
  `SELECT ${BATCH_COLUMNS} FROM batches batch WHERE doubtful AND session_id IS NULL ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED`,
);

/** Takes messages out of packed batches that no session has. */
export const withdrawMessages = query<
  never,
  { messages: readonly Pick<QueuedMessage, "batchId" | "position">[] }
>(
  "sends.withdrawMessages",
  `UPDATE batches batch SET withdrawn = array_cat(batch.withdrawn, gone.positions)
   FROM (SELECT id, array_agg(position) AS positions FROM $messages(batch_id text, position int) AS gone (id, position) GROUP BY id) gone
   WHERE batch.id = gone.id AND batch.id = ANY($messages.batch_id)`,
);

export const clearTheseInDoubt = query(
  "sends.clearTheseInDoubt",
  "UPDATE batches SET doubtful = NULL WHERE id = ANY($1::text[])",
);

/** Whether anything is in doubt. */
export const findInDoubt = query<{ isInDoubt: boolean }>(
  "sends.findInDoubt",
  `SELECT EXISTS (SELECT FROM batches WHERE doubtful) OR EXISTS (SELECT FROM unqueued_sends WHERE doubtful) AS "isInDoubt"`,
);

/** `bindKey`: in the form of `bindKeyOf`. */
type Seen = { sessionId: string; bindKey: string; cycle: number };

/**
 * Counts those sessions that the database no longer knows, or of which it lacks cycles, although no process other than
 * this one has taken their bind.
 */
export const countForgottenTurns = query<{ count: number }, { node: string; seen: readonly Seen[] }>(
  "sends.countForgottenTurns",
  `SELECT count(*) FROM $seen(session_id text, bind_key text, cycle bigint) AS seen (id, bind_key, turn)
   WHERE NOT EXISTS (SELECT FROM gateway_sessions session WHERE session.id = seen.id AND session.turn >= seen.turn)
     AND NOT EXISTS (
       SELECT FROM operator_binds bind
       WHERE bind.operator_id || ' ' || bind.number = seen.bind_key AND bind.session_id > seen.id AND bind.node <> $node)`,
);
