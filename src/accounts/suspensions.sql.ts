// The queries of suspensions: which companies are suspended, and whose messages wait for that.
import { query } from "../kernel/database.ts";

/** Returns no row where there is no such company. One that is suspended keeps its time, and gets the new reason. */
export const markSuspended = query<{ id: string }>(
  "accounts.markSuspended",
  `UPDATE companies SET suspended_at = coalesce(suspended_at, now()), suspension_reason = $2 WHERE id = $1 RETURNING id`,
);

export const markResumed = query<{ id: string }>(
  "accounts.markResumed",
  `UPDATE companies SET suspended_at = NULL, suspension_reason = NULL WHERE id = $1 RETURNING id`,
);

/** Each account ($2) is suspended for the cause beside it ($1). */
export const insertSuspended = query(
  "accounts.insertSuspended",
  `INSERT INTO suspended_accounts (cause, account_id) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING`,
);

export const deleteSuspended = query(
  "accounts.deleteSuspended",
  `DELETE FROM suspended_accounts WHERE cause = ANY($1::text[])`,
);

/** Changes whenever an account is added or removed: what is added is the latest, and what is removed is missing. */
export const markOfSuspended = query<{ mark: string }>(
  "accounts.markOfSuspended",
  `SELECT concat_ws(' ', count(*), max(since)) AS mark FROM suspended_accounts`,
);

export const listSuspended = query<{ account_id: string }>(
  "accounts.listSuspended",
  `SELECT DISTINCT account_id FROM suspended_accounts`,
);
