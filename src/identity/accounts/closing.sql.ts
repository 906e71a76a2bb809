// The queries of closing a company.
import { query } from "../../platform/database/query.ts";

/** Closes an open company. Returns no row if it is closed already. */
export const markClosed = query<{ id: string }>(
  "accounts.markClosed",
  "UPDATE companies SET closed_at = now() WHERE id = $1 AND closed_at IS NULL RETURNING id",
);

export const findClosed = query<{ id: string }>(
  "accounts.findClosed",
  "SELECT id FROM companies WHERE id = $1 AND closed_at IS NOT NULL",
);

export const markOpen = query<{ id: string }>(
  "accounts.markOpen",
  "UPDATE companies SET closed_at = NULL WHERE id = $1 AND closed_at IS NOT NULL RETURNING id",
);

/**
 * Clears the personal data and first keys of a company's users, unless they act for another company that is open or
 * closed less than $2 ms ago, which can be reopened.
 */
export const emptyUsers = query(
  "accounts.emptyUsers",
  `UPDATE users SET name = NULL, email = NULL, phone = NULL, key_digest = 'closed ' || id
   WHERE id IN (
     SELECT user_id FROM memberships member WHERE company_id = $1 AND NOT EXISTS (
       SELECT FROM memberships other JOIN companies ON companies.id = other.company_id
       WHERE other.user_id = member.user_id AND other.company_id <> $1
         AND (companies.closed_at IS NULL OR companies.closed_at > now() - $2::bigint * interval '1 millisecond')))`,
);
