// The queries of sign-ins: administrators who requested a code and have not proved a second factor yet, and members.
import { query } from "../../platform/database/query.ts";
import { MAY_SIGN_IN, type Reached } from "../admins/sql.ts";

export const insertSignIn = query(
  "sessions.insertSignIn",
  "INSERT INTO administrator_sign_ins (token_digest, administrator_id) VALUES ($1, $2)",
);

export type SignIn = Reached & { codeDigest: string | null };

/** Returns a sign-in that began less than $2 milliseconds ago, of a person who may sign in. */
export const findSignIn = query<SignIn>(
  "sessions.findSignIn",
  `SELECT administrators.id, administrators.name, administrators.phone, administrators.language, administrators.role,
          administrator_sign_ins.code_digest AS "codeDigest"
   FROM administrator_sign_ins JOIN administrators ON administrators.id = administrator_sign_ins.administrator_id
   WHERE token_digest = $1 AND ${MAY_SIGN_IN}
     AND administrator_sign_ins.created_at > now() - $2::bigint * interval '1 millisecond'`,
);

export const markProved = query(
  "sessions.markProved",
  "UPDATE administrator_sign_ins SET code_digest = $2 WHERE token_digest = $1",
);

/** Uses up a sign-in with a confirmed code, so that it opens one session. */
export const deleteProved = query<{ administrator_id: string }>(
  "sessions.deleteProved",
  `DELETE FROM administrator_sign_ins WHERE token_digest = $1 AND code_digest IS NOT NULL RETURNING administrator_id`,
);

export const deleteSignIn = query(
  "sessions.deleteSignIn",
  "DELETE FROM administrator_sign_ins WHERE token_digest = $1",
);

export const deleteOf = query(
  "sessions.deleteOf",
  "DELETE FROM administrator_sign_ins WHERE administrator_id = $1",
);

export const deleteOld = query(
  "sessions.deleteOld",
  "DELETE FROM administrator_sign_ins WHERE created_at < now() - $1::bigint * interval '1 millisecond'",
);

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
