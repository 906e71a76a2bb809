// The queries that cancel sends.
import { query } from "../../../platform/database/query.ts";
import { QUEUED_COLUMNS, type QueuedRow } from "../queue/batches.sql.ts";

/** Lists the batches that belong to one send alone and are not canceled. */
export const listBatchesToCancel = query<{ id: string }>(
  "sends.listBatchesToCancel",
  `SELECT id FROM batches WHERE send_id = $1 AND NOT canceled AND (held > 0 OR messages IS NULL)
   UNION
   SELECT batch_id FROM (SELECT DISTINCT batch_id FROM message_queue WHERE send_id = $1) AS own
   WHERE EXISTS (SELECT FROM batches WHERE id = own.batch_id AND lane <> 1 AND NOT canceled)
   ORDER BY id`,
);

/**
 * Ends the time of these batches, so that whichever process finds them settles them. Batches of unknown fate keep their
 * time, since their messages may have been accepted, but they are not sent again.
 */
export const markBatchesCanceled = query<{ id: string }>(
  "sends.markBatchesCanceled",
  `UPDATE batches
   SET canceled = true, expires_at = CASE WHEN unknown THEN expires_at ELSE now() END,
       not_before = CASE WHEN unknown THEN 'infinity' ELSE not_before END
   WHERE id = ANY($1::text[]) AND NOT canceled
   RETURNING id`,
);

/** Lists messages of a small send in batches that it shares with others, if no gateway has these batches. */
export const listFreeSingles = query<QueuedRow>(
  "sends.listFreeSingles",
  `SELECT ${QUEUED_COLUMNS}
   FROM message_queue queued JOIN batches batch ON batch.id = queued.batch_id
   WHERE queued.account_id = $1 AND queued.send_id = $2 AND batch.lane < 2 AND batch.session_id IS NULL
     AND queued.unknown_since IS NULL
   FOR UPDATE`,
);
