// The queries of administrators, their keys and their sessions.
import { columnsOf } from "../../platform/database/columns.ts";
import { countedList } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { AdminRole } from "./roles.ts";
import { Administrator, AdministratorKey, type AdministratorSession } from "./shapes.ts";

type CallerRow = { position: number; id: string; name: string; role: AdminRole; isStale: boolean };

export type SessionCallerRow = CallerRow & { sessionId: string; language: "fr" | "en" };

/** $1 are digests of session keys; `position` counts from 1. A session ends after it was idle for $2 milliseconds. */
export const listSessionCallers = query<SessionCallerRow>(
  "admins.listSessionCallers",
  `SELECT asked.position, administrators.id, administrator_sessions.id AS "sessionId", administrators.name, administrators.role,
          administrators.language,
          administrator_sessions.last_used_at < now() - interval '1 minute' AS "isStale"
   FROM unnest($1::text[]) WITH ORDINALITY AS asked (digest, position)
   JOIN administrator_sessions
     ON administrator_sessions.digest = asked.digest AND administrator_sessions.digest = ANY($1)
   JOIN administrators ON administrators.id = administrator_sessions.administrator_id
   WHERE administrator_sessions.ended_at IS NULL AND administrator_sessions.expires_at > now()
     AND administrator_sessions.last_used_at > now() - $2::bigint * interval '1 millisecond'
     AND administrators.disabled_at IS NULL`,
);

export type KeyCallerRow = CallerRow & { networks: string[] };

/** $1 are digests of machine keys; `position` counts from 1. */
export const listKeyCallers = query<KeyCallerRow>(
  "admins.listKeyCallers",
  `SELECT asked.position, administrator_keys.id, administrator_keys.name, administrator_keys.role, administrator_keys.networks,
          coalesce(administrator_keys.last_used_at, '-infinity') < now() - interval '1 minute' AS "isStale"
   FROM unnest($1::text[]) WITH ORDINALITY AS asked (digest, position)
   JOIN administrator_keys ON administrator_keys.digest = asked.digest AND administrator_keys.digest = ANY($1)
   WHERE administrator_keys.revoked_at IS NULL
     AND (administrator_keys.expires_at IS NULL OR administrator_keys.expires_at > now())`,
);

/** Records the last use, once a minute even with concurrent requests. */
export const touchSession = query(
  "admins.touchSession",
  "UPDATE administrator_sessions SET last_used_at = now() WHERE id = $1 AND last_used_at < now() - interval '1 minute'",
);

export const touchKey = query(
  "admins.touchKey",
  `UPDATE administrator_keys SET last_used_at = now()
   WHERE id = $1 AND coalesce(last_used_at, '-infinity') < now() - interval '1 minute'`,
);

/** Locks a phone until the commit, so that of two administrators who get it concurrently the second sees the first. */
export const lockPhone = query(
  "admins.lockPhone",
  "SELECT FROM pg_advisory_xact_lock(hashtextextended('administrator phone ' || $1, 0))",
);

/** Returns no row if another administrator has the phone. */
export const insertAdministrator = query<
  { id: string },
  Pick<Administrator, "id" | "name" | "phone" | "role" | "language"> & { invitationMs: number }
>(
  "admins.insertAdministrator",
  `INSERT INTO administrators (id, name, phone, role, language, invited_until)
   VALUES ($id, $name, $phone, $role, $language, now() + $invitationMs::bigint * interval '1 millisecond')
   ON CONFLICT (phone) DO NOTHING RETURNING id`,
);

const administrator = columnsOf(Administrator, {
  secondFactor: "enrolled_at IS NOT NULL",
  invitedUntil: "CASE WHEN enrolled_at IS NULL THEN invited_until END",
});

export const findAdministrator = query<Administrator>(
  "admins.findAdministrator",
  `SELECT ${administrator} FROM administrators WHERE id = $1`,
);

export const listAdministrators = countedList<Administrator>("admins.listAdministrators", {
  columns: administrator,
  from: "administrators",
});

export const listAdministratorsAmong = query<Administrator>(
  "admins.listAdministratorsAmong",
  `SELECT ${administrator} FROM administrators WHERE id = ANY($1::text[]) ORDER BY id LIMIT 100`,
);

/** Returns one of the owners who are not disabled; no row if there is none. */
export const findOwner = query<{ id: string }>(
  "admins.findOwner",
  "SELECT id FROM administrators WHERE role = 'owner' AND disabled_at IS NULL ORDER BY id LIMIT 1",
);

export type Reached = { id: string; name: string; phone: string; language: "fr" | "en"; role: AdminRole };

/** The condition to sign in: not disabled, and a second factor is enrolled or the invitation is still valid. */
export const MAY_SIGN_IN =
  "administrators.disabled_at IS NULL AND (administrators.enrolled_at IS NOT NULL OR administrators.invited_until > now())";

/** Returns the person with a phone who may sign in. */
export const findReached = query<Reached>(
  "admins.findReached",
  `SELECT id, name, phone, language, role FROM administrators WHERE phone = $1 AND ${MAY_SIGN_IN}`,
);

/** Returns a person with the current phone, locked until the commit. */
export const lockAdministrator = query<Reached>(
  "admins.lockAdministrator",
  "SELECT id, name, phone, language, role FROM administrators WHERE id = $1 FOR UPDATE",
);

export const findOtherOfPhone = query<{ id: string }>(
  "admins.findOtherOfPhone",
  "SELECT id FROM administrators WHERE phone = $1 AND id <> $2",
);

/** Null changes nothing. A new phone renews the invitation. */
export const updateAdministrator = query<
  never,
  {
    id: string;
    name: string | null;
    phone: string | null;
    role: AdminRole | null;
    language: "fr" | "en" | null;
    invitationMs: number;
  }
>(
  "admins.updateAdministrator",
  `UPDATE administrators SET name = coalesce($name, name), phone = coalesce($phone, phone), role = coalesce($role, role),
     language = coalesce($language, language),
     invited_until = CASE WHEN coalesce($phone, phone) = phone THEN invited_until ELSE now() + $invitationMs::bigint * interval '1 millisecond' END
   WHERE id = $id`,
);

export const markDisabled = query(
  "admins.markDisabled",
  "UPDATE administrators SET disabled_at = coalesce(disabled_at, now()) WHERE id = $1",
);

/** Renews the invitation of a person who has not enrolled yet, for $2 ms. */
export const markEnabled = query(
  "admins.markEnabled",
  `UPDATE administrators SET disabled_at = NULL, invited_until = now() + $2::bigint * interval '1 millisecond' WHERE id = $1`,
);

export const insertSession = query<
  { expiresAt: Date },
  {
    id: string;
    digest: string;
    administratorId: string;
    address: string;
    lifetimeMs: number;
  }
>(
  "admins.insertSession",
  `INSERT INTO administrator_sessions (id, digest, administrator_id, address, expires_at)
   VALUES ($id, $digest, $administratorId, $address, now() + $lifetimeMs::bigint * interval '1 millisecond') RETURNING expires_at AS "expiresAt"`,
);

const isLive = `administrator_sessions.ended_at IS NULL AND administrator_sessions.expires_at > now()
  AND administrator_sessions.last_used_at > now() - $idleMs::bigint * interval '1 millisecond'`;

type SessionsOf = { idleMs: number; administratorId: string | null };

/** Lists the live sessions of an administrator, or of all if null. A session ends after it was idle for some time. */
export const listSessions = countedList<Omit<AdministratorSession, "current">, SessionsOf>(
  "admins.listSessions",
  {
    columns: `administrator_sessions.id, administrator_id AS "administratorId", administrators.name, address,
            administrator_sessions.created_at AS "createdAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt"`,
    from: "administrator_sessions JOIN administrators ON administrators.id = administrator_id",
    where: `${isLive} AND administrators.disabled_at IS NULL AND administrator_id = coalesce($administratorId, administrator_id)`,
    by: ["administrator_sessions.id"],
  },
);

/** Ends a session of the administrator $2, or of any if it is null. */
export const markEnded = query<{ id: string }>(
  "admins.markEnded",
  `UPDATE administrator_sessions SET ended_at = coalesce(ended_at, now())
   WHERE id = $1 AND administrator_id = coalesce($2, administrator_id) RETURNING id`,
);

export const markAllEnded = query(
  "admins.markAllEnded",
  "UPDATE administrator_sessions SET ended_at = now() WHERE administrator_id = $1 AND ended_at IS NULL",
);

/** Deletes up to $2 sessions that ended more than $1 milliseconds ago. */
export const deleteOldSessions = query<{ id: string }>(
  "admins.deleteOldSessions",
  `DELETE FROM administrator_sessions WHERE id IN (
     SELECT id FROM administrator_sessions WHERE expires_at < now() - $1::bigint * interval '1 millisecond' LIMIT $2
   ) RETURNING id`,
);

/**
 * Locks the session $1 and its person until the commit; no row if the session has ended or the person is disabled. The
 * session is fresh for $2 ms after the sign-in.
 */
export const lockSession = query<{ role: AdminRole; isFresh: boolean }>(
  "admins.lockSession",
  `SELECT administrators.role, administrator_sessions.created_at > now() - $2::bigint * interval '1 millisecond' AS "isFresh"
   FROM administrator_sessions JOIN administrators ON administrators.id = administrator_id
   WHERE administrator_sessions.id = $1 AND ended_at IS NULL AND disabled_at IS NULL FOR SHARE`,
);

/** Returns the person who created the key $1, locked until the commit. */
export const lockMaker = query<{ id: string }>(
  "admins.lockMaker",
  `SELECT id FROM administrators
   WHERE id = (SELECT created_by FROM administrator_keys WHERE administrator_keys.id = $1) FOR SHARE`,
);

/** Returns the key $1, locked until the commit; no row if it has ended. */
export const lockKey = query<{ role: AdminRole; isFresh: boolean }>(
  "admins.lockKey",
  `SELECT role, true AS "isFresh" FROM administrator_keys
   WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) FOR SHARE`,
);

/**
 * The creator is `personId` or, if null, the person who created the key `callerId`. A key created with another key
 * expires no later than that key, and works only from its addresses.
 */
export const insertKey = query<
  never,
  Pick<AdministratorKey, "id" | "name" | "role" | "networks" | "expiresAt"> & {
    digest: string;
    personId: string | null;
    callerId: string | null;
  }
>(
  "admins.insertKey",
  `INSERT INTO administrator_keys (id, digest, name, role, networks, expires_at, created_by)
   SELECT $id, $digest, $name, $role, CASE WHEN parent.networks <> '{}' THEN parent.networks ELSE $networks END,
          least($expiresAt::timestamptz, parent.expires_at), coalesce($personId, parent.created_by)
   FROM (SELECT $callerId AS id) asked LEFT JOIN administrator_keys parent ON parent.id = asked.id`,
);

const key = columnsOf(AdministratorKey);

export const findKey = query<AdministratorKey>(
  "admins.findKey",
  `SELECT ${key} FROM administrator_keys WHERE id = $1`,
);

export const listKeys = countedList<AdministratorKey>("admins.listKeys", {
  columns: key,
  from: "administrator_keys",
});

export const listKeysAmong = query<AdministratorKey>(
  "admins.listKeysAmong",
  `SELECT ${key} FROM administrator_keys WHERE id = ANY($1::text[]) ORDER BY id LIMIT 100`,
);

export const markRevoked = query<{ id: string }>(
  "admins.markRevoked",
  "UPDATE administrator_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1 RETURNING id",
);

/** Revokes the keys that a person has created. */
export const markRevokedOf = query<{ id: string }>(
  "admins.markRevokedOf",
  "UPDATE administrator_keys SET revoked_at = now() WHERE created_by = $1 AND revoked_at IS NULL RETURNING id",
);
