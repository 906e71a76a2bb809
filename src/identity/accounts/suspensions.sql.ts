// The queries of suspensions: which companies are suspended, and which accounts' messages wait for that.
import { query } from "../../platform/database/query.ts";

/** Returns no row if there is no such company. A suspended company keeps its time and gets the new reason. */
export const markSuspended = query<{ id: string }>(
  "accounts.markSuspended",
  `UPDATE companies SET suspended_at = coalesce(suspended_at, now()), suspension_reason = $2 WHERE id = $1 RETURNING id`,
);

/** A company that has closed itself stays suspended for that reason. */
export const markResumed = query<{ isClosed: boolean }>(
  "accounts.markResumed",
  `UPDATE companies SET suspended_at = CASE WHEN closed_at IS NOT NULL THEN suspended_at END,
     suspension_reason = CASE WHEN closed_at IS NOT NULL THEN 'CLOSED' END
   WHERE id = $1 RETURNING closed_at IS NOT NULL AS "isClosed"`,
);

/** An account, and the cause that its messages wait for: a company or a connection. */
export type Cause = { accountId: string; cause: string };

/** Suspends each account for its cause. */
export const insertSuspended = query<never, { accounts: readonly Cause[] }>(
  "accounts.insertSuspended",
  `WITH counted AS (UPDATE suspension_changes SET count = count + 1)
   INSERT INTO suspended_accounts (cause, account_id) SELECT * FROM $accounts(cause text, account_id text) ON CONFLICT DO NOTHING`,
);

export const deleteSuspended = query(
  "accounts.deleteSuspended",
  `WITH counted AS (UPDATE suspension_changes SET count = count + 1)
   DELETE FROM suspended_accounts WHERE cause = ANY($1::text[])`,
);

/** Lists the users of a company who act for no other company that is not suspended. */
export const listUsersOfAlone = query<{ user_id: string }>(
  "accounts.listUsersOfAlone",
  `SELECT user_id FROM memberships member WHERE company_id = $1 AND NOT EXISTS (
     SELECT FROM memberships other JOIN companies ON companies.id = other.company_id
     WHERE other.user_id = member.user_id AND other.company_id <> $1 AND companies.suspended_at IS NULL)`,
);

export const findSuspensionChanges = query<{ count: number }>(
  "accounts.findSuspensionChanges",
  `SELECT count FROM suspension_changes`,
);

export const listSuspended = query<{ account_id: string }>(
  "accounts.listSuspended",
  `SELECT DISTINCT account_id FROM suspended_accounts`,
);
