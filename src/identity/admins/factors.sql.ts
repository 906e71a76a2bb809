// The queries of second factors: one-time passwords of authenticator apps, and recovery codes.

import { query } from "../../platform/database/query.ts";
import { sealedColumn } from "../../platform/secrets/sealed.ts";
import type { Reached } from "./sql.ts";

export const sealedTotps = sealedColumn("admins", "administrators", "sealed_totp");

/** Counts a try before it is compared; returns no row if $2 were wrong in the last $3 milliseconds. */
export const countTry = query<{ tries: number }>(
  "admins.countTry",
  `UPDATE administrators
   SET tries = CASE WHEN tried_from > now() - $3::bigint * interval '1 millisecond' THEN tries + 1 ELSE 1 END,
       tried_from = CASE WHEN tried_from > now() - $3::bigint * interval '1 millisecond' THEN tried_from ELSE now() END
   WHERE id = $1 AND disabled_at IS NULL
     AND (tries < $2 OR tried_from <= now() - $3::bigint * interval '1 millisecond')
   RETURNING tries`,
);

export const findFactor = query<{ sealedTotp: string | null; isEnrolled: boolean }>(
  "admins.findFactor",
  `SELECT sealed_totp AS "sealedTotp", enrolled_at IS NOT NULL AS "isEnrolled"
   FROM administrators WHERE id = $1 AND disabled_at IS NULL`,
);

/** Offers another secret to a person who has not enrolled one. */
export const updateOffered = query<{ id: string }>(
  "admins.updateOffered",
  "UPDATE administrators SET sealed_totp = $2 WHERE id = $1 AND enrolled_at IS NULL RETURNING id",
);

/** Uses up a time step, unless that one or a later one was used. The counter is reset, since this try was right. */
export const markStep = query<{ id: string }>(
  "admins.markStep",
  `UPDATE administrators SET last_step = $2, tries = 0
   WHERE id = $1 AND last_step < $2 AND enrolled_at IS NOT NULL AND disabled_at IS NULL RETURNING id`,
);

/** Enrolls the sealed secret $3, if it still is the offered one. */
export const markEnrolled = query<{ id: string }>(
  "admins.markEnrolled",
  `UPDATE administrators SET enrolled_at = now(), last_step = $2, tries = 0
   WHERE id = $1 AND sealed_totp = $3 AND enrolled_at IS NULL AND disabled_at IS NULL RETURNING id`,
);

/** Invites the person to enroll another factor, for $2 ms. */
export const resetFactor = query<Reached>(
  "admins.resetFactor",
  `UPDATE administrators SET sealed_totp = NULL, enrolled_at = NULL, tries = 0,
     invited_until = now() + $2::bigint * interval '1 millisecond'
   WHERE id = $1
   RETURNING id, name, phone, language, role`,
);

export const insertRecoveryCodes = query(
  "admins.insertRecoveryCodes",
  "INSERT INTO administrator_recovery_codes (administrator_id, digest) SELECT $1, unnest($2::text[])",
);

export const deleteRecoveryCodes = query(
  "admins.deleteRecoveryCodes",
  "DELETE FROM administrator_recovery_codes WHERE administrator_id = $1",
);

export const markUsed = query<{ digest: string }>(
  "admins.markUsed",
  `UPDATE administrator_recovery_codes SET used_at = now()
   WHERE administrator_id = $1 AND digest = $2 AND used_at IS NULL RETURNING digest`,
);

export const countUnused = query<{ count: number }>(
  "admins.countUnused",
  "SELECT count(*) AS count FROM administrator_recovery_codes WHERE administrator_id = $1 AND used_at IS NULL",
);

export const forgetTries = query("admins.forgetTries", "UPDATE administrators SET tries = 0 WHERE id = $1");
