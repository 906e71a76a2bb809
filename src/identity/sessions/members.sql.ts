// The queries of signing in as a member: phones to which a code was sent, and companies' balances.
import { query } from "../../platform/database/query.ts";

export const insertMemberSignIn = query(
  "sessions.insertMemberSignIn",
  "INSERT INTO member_sign_ins (token_digest, phone) VALUES ($1, $2)",
);

/** Returns the phone of a sign-in that began less than $2 milliseconds ago. */
export const findMemberSignIn = query<{ phone: string }>(
  "sessions.findMemberSignIn",
  `SELECT phone FROM member_sign_ins
   WHERE token_digest = $1 AND created_at > now() - $2::bigint * interval '1 millisecond'`,
);

/** Uses up a sign-in, so that it opens one session. */
export const deleteMemberSignIn = query<{ phone: string }>(
  "sessions.deleteMemberSignIn",
  "DELETE FROM member_sign_ins WHERE token_digest = $1 RETURNING phone",
);

export const deleteOldMemberSignIns = query(
  "sessions.deleteOldMemberSignIns",
  "DELETE FROM member_sign_ins WHERE created_at < now() - $1::bigint * interval '1 millisecond'",
);

export const listBalances = query<{ id: string; available: number }>(
  "sessions.listBalances",
  "SELECT id, available FROM pools WHERE id = ANY($1::text[])",
);
