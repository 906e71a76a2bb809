// The queries of the sessions of members.
import { columnsOf } from "../../platform/database/columns.ts";
import { countedList } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";

export const insertSession = query<
  { expiresAt: Date },
  {
    id: string;
    digest: string;
    phone: string;
    address: string;
    browser: string;
    lifetimeMs: number;
    idleMs: number;
  }
>(
  "accounts.insertSession",
  `INSERT INTO member_sessions (id, digest, phone, address, browser, ends_at)
   VALUES ($id, $digest, $phone, $address, $browser, now() + least($lifetimeMs::bigint, $idleMs::bigint) * interval '1 millisecond')
   RETURNING created_at + $lifetimeMs::bigint * interval '1 millisecond' AS "expiresAt"`,
);

export type LiveSession = { id: string; phone: string; createdAt: Date };

/** Returns the live session with the digest $1. */
export const findSession = query<LiveSession>(
  "accounts.findSession",
  `SELECT id, phone, created_at AS "createdAt" FROM member_sessions WHERE digest = $1 AND ends_at > now()`,
);

/** Moves the end to $3 ms from now, at most $2 ms after the sign-in. Skips rows that another process is recording. */
export const markSessionsUsed = query(
  "accounts.markSessionsUsed",
  `UPDATE member_sessions SET last_used_at = now(),
     ends_at = least(created_at + $2::bigint * interval '1 millisecond', now() + $3::bigint * interval '1 millisecond')
   WHERE id IN (SELECT id FROM member_sessions WHERE id = ANY($1) AND ends_at > now() FOR NO KEY UPDATE SKIP LOCKED)`,
);

export type SessionRow = { id: string; address: string; browser: string; createdAt: Date; lastUsedAt: Date };

/** Lists the live sessions of a phone. */
export const listSessions = countedList<SessionRow, { phone: string }>("accounts.listSessions", {
  columns: columnsOf(["id", "address", "browser", "createdAt", "lastUsedAt"]),
  from: "member_sessions",
  where: "phone = $phone AND ends_at > now()",
});

/** Ends a session of this phone. Returns no row if it is not of this phone, or was deleted. */
export const endSession = query<{ id: string }>(
  "accounts.endSession",
  "UPDATE member_sessions SET ends_at = least(ends_at, now()) WHERE id = $1 AND phone = $2 RETURNING id",
);

/** Ends all live sessions of a phone but the newest $2. */
export const endOldest = query(
  "accounts.endOldest",
  `UPDATE member_sessions SET ends_at = now() WHERE id = ANY(ARRAY(
     SELECT id FROM member_sessions WHERE phone = $1 AND ends_at > now() ORDER BY id DESC OFFSET $2 LIMIT 1000))`,
);

/** Deletes up to $2 sessions that ended more than $1 milliseconds ago. */
export const deleteOldSessions = query<{ id: string }>(
  "accounts.deleteOldSessions",
  `DELETE FROM member_sessions WHERE id = ANY(ARRAY(
     SELECT id FROM member_sessions WHERE ends_at < now() - $1::bigint * interval '1 millisecond' LIMIT $2)) RETURNING id`,
);

/** Deletes the sessions of a company's members, except of phones that a member of another company has. */
export const deleteSessionsOf = query(
  "accounts.deleteSessionsOf",
  `DELETE FROM member_sessions WHERE phone = ANY(ARRAY(
       SELECT users.phone FROM memberships JOIN users ON users.id = memberships.user_id WHERE memberships.company_id = $1))
     AND NOT EXISTS (SELECT FROM users JOIN memberships ON memberships.user_id = users.id
       WHERE users.phone = member_sessions.phone AND memberships.company_id <> $1)`,
);
