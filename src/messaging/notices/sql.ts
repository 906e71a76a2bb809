// The queries of queued mails and their results.
import { query } from "../../platform/database/query.ts";
import { sealedColumn } from "../../platform/secrets/sealed.ts";

export const insertMail = query("notices.insertMail", "INSERT INTO mails (id, sealed) VALUES ($1, $2)");

export type TakenMail = { id: string; sealed: string; attempts: number; created_at: Date };

/**
 * Takes up to $1 due mails for $2 ms. A process that has not reported by then is dead. Mails that other processes are
 * taking are skipped. `attempts` includes the attempt that starts.
 */
export const takeMails = query<TakenMail>(
  "notices.takeMails",
  `UPDATE mails SET attempts = attempts + 1, next_attempt_at = now() + $2::bigint * interval '1 millisecond'
   WHERE id = ANY(ARRAY(
     SELECT id FROM mails WHERE sealed IS NOT NULL AND next_attempt_at <= now()
     ORDER BY next_attempt_at, id LIMIT $1 FOR UPDATE SKIP LOCKED))
   RETURNING id, sealed, attempts, created_at`,
);

/** Records a delivery, even if another process has taken the mail meanwhile. */
export const markSent = query(
  "notices.markSent",
  "UPDATE mails SET sealed = NULL, sent_at = now(), last_error = NULL WHERE id = $1 AND sealed IS NOT NULL",
);

/** An attempt failed, unless another process has started one since. So many attempts count, the next is in `delayMs`. */
export const updateFailed = query<
  never,
  { id: string; attempt: number; attempts: number; delayMs: number; error: string }
>(
  "notices.updateFailed",
  `UPDATE mails SET attempts = $attempts, next_attempt_at = now() + $delayMs::bigint * interval '1 millisecond', last_error = $error
   WHERE id = $id AND attempts = $attempt AND sealed IS NOT NULL`,
);

/** Attempt $2 was the last one, and failed ($3). */
export const markGivenUp = query(
  "notices.markGivenUp",
  `UPDATE mails SET sealed = NULL, failed_at = now(), last_error = coalesce($3, last_error)
   WHERE id = $1 AND attempts = $2 AND sealed IS NOT NULL`,
);

/** Deletes up to $2 mails older than $1 ms. */
export const deleteOldMails = query<{ id: string }>(
  "notices.deleteOldMails",
  `DELETE FROM mails WHERE id = ANY(ARRAY(
     SELECT id FROM mails WHERE created_at < now() - $1::bigint * interval '1 millisecond' ORDER BY created_at LIMIT $2))
   RETURNING id`,
);

export const sealedMails = sealedColumn("notices", "mails", "sealed");
