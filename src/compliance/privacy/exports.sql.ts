// The queries of exports: their rows and their parts.

import { columnsOf } from "../../platform/database/columns.ts";
import { query } from "../../platform/database/query.ts";
import { sealedColumn } from "../../platform/secrets/sealed.ts";
import type { Progress } from "./shapes.ts";

export type ExportRow = Omit<Progress, "url"> & { id: string; sealedToken: string | null };

export const PROGRESS = ["id", "status", "percent", "rows", "bytes", "sealedToken", "createdAt", "expiresAt"];
export const COUNTS = { rows: "row_count", bytes: "byte_count" };
const COLUMNS = columnsOf(PROGRESS, COUNTS);

/** Returns no row if one is running. */
export const insertExport = query<ExportRow>(
  "privacy.insertExport",
  `INSERT INTO exports (id, company_id) VALUES ($1, $2)
   ON CONFLICT (company_id) WHERE status = 'RUNNING' DO NOTHING RETURNING ${COLUMNS}`,
);

export const findRunning = query<ExportRow>(
  "privacy.findRunning",
  `SELECT ${COLUMNS} FROM exports WHERE company_id = $1 AND status = 'RUNNING'`,
);

export const countOfDay = query<{ count: number }>(
  "privacy.countOfDay",
  "SELECT count(*) FROM exports WHERE company_id = $1 AND created_at > now() - interval '24 hours' AND send_id IS NULL",
);

export const findExport = query<ExportRow>(
  "privacy.findExport",
  `SELECT ${COLUMNS} FROM exports WHERE company_id = $1 AND id = $2 AND send_id IS NULL`,
);

/** An export that one process is writing. */
export type Taken = {
  id: string;
  company_id: string;
  attempt: number;
  send_id: string | null;
  /** The status of the messages in a sheet; null: all. */
  only_status: string | null;
  message_count: number | null;
};

/**
 * Takes an export of a kind ($2: RUNNING or WAITING) that nobody writes, for $1 ms, and counts the attempt. Returns no
 * row if there is none.
 */
export const takeExport = query<Taken>(
  "privacy.takeExport",
  `UPDATE exports SET attempt = attempt + 1, leased_until = now() + $1::bigint * interval '1 millisecond', percent = 0, row_count = 0, byte_count = 0
   WHERE id = (SELECT id FROM exports WHERE status IN ('RUNNING', 'WAITING') AND status = $2 AND leased_until <= now() ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
   RETURNING id, company_id, attempt, send_id, only_status, message_count`,
);

/** Records an attempt's progress and extends its lease. Returns no row if another process restarted it. */
export const noteProgress = query<
  { id: string },
  {
    id: string;
    attempt: number;
    leaseMs: number;
    percent: number;
    rows: number;
    bytes: number;
  }
>(
  "privacy.noteProgress",
  `UPDATE exports SET leased_until = now() + $leaseMs::bigint * interval '1 millisecond', percent = $percent, row_count = $rows, byte_count = $bytes
   WHERE id = $id AND attempt = $attempt AND status IN ('RUNNING', 'WAITING') RETURNING id`,
);

export const insertPart = query<
  never,
  {
    id: string;
    exportId: string;
    attempt: number;
    number: number;
    sealed: string;
  }
>(
  "privacy.insertPart",
  "INSERT INTO export_parts (id, export_id, attempt, number, sealed) VALUES ($id, $exportId, $attempt, $number, $sealed)",
);

/** Finishes an attempt, with a token for some time. Returns no row if another process restarted it. */
export const finishExport = query<
  { id: string },
  {
    id: string;
    attempt: number;
    status: "DONE" | "FAILED";
    tokenDigest: string | null;
    sealedToken: string | null;
    lifetimeMs: number;
  }
>(
  "privacy.finishExport",
  `UPDATE exports SET status = $status, token_digest = $tokenDigest, sealed_token = $sealedToken, percent = CASE $status WHEN 'DONE' THEN 100 ELSE percent END,
     expires_at = now() + $lifetimeMs::bigint * interval '1 millisecond'
   WHERE id = $id AND attempt = $attempt AND status IN ('RUNNING', 'WAITING') RETURNING id`,
);

/** Returns the archive of a token; none of a company that an administrator has suspended. */
export const findArchive = query<{
  id: string;
  company_id: string;
  attempt: number;
  byte_count: number;
  send_id: string | null;
}>(
  "privacy.findArchive",
  `SELECT archive.id, archive.company_id, archive.attempt, archive.byte_count, archive.send_id FROM exports archive JOIN companies ON companies.id = archive.company_id
   WHERE archive.token_digest = $1 AND archive.expires_at > now()
     AND (companies.suspended_at IS NULL OR (companies.closed_at IS NOT NULL AND companies.suspension_reason = 'CLOSED'))`,
);

/** Selects the digests of the live sessions of members of the company $1 for whom `condition` holds. */
export const sessionsOf = (condition: string) =>
  `SELECT member_sessions.digest FROM companies JOIN memberships ON memberships.company_id = companies.id
   JOIN users ON users.id = memberships.user_id JOIN member_sessions ON member_sessions.phone = users.phone
   WHERE companies.id = $1 AND ${condition} AND member_sessions.ends_at > now()
     AND (companies.sessions_from IS NULL OR member_sessions.created_at >= companies.sessions_from)
     AND (users.key_digest <> 'none ' || users.id OR EXISTS (
       SELECT FROM api_keys other WHERE other.company_id = companies.id AND other.user_id = users.id
         AND (other.expires_at IS NULL OR other.expires_at > now())))`;

/** Lists the keys and sessions that may request archives: those of owners, without scopes. Quotas limit them. */
export const listOwnerKeys = query<{ digest: string }>(
  "privacy.listOwnerKeys",
  `SELECT users.key_digest AS digest FROM memberships JOIN users ON users.id = memberships.user_id
   WHERE memberships.company_id = $1 AND memberships.role = 'owner'
   UNION ALL
   SELECT api_keys.digest FROM memberships JOIN api_keys USING (company_id, user_id)
   WHERE memberships.company_id = $1 AND memberships.role = 'owner' AND api_keys.scopes IS NULL
     AND (api_keys.expires_at IS NULL OR api_keys.expires_at > now())
   UNION ALL
   ${sessionsOf("memberships.role = 'owner'")}`,
);

export const findPart = query<{ id: string; sealed: string }>(
  "privacy.findPart",
  "SELECT id, sealed FROM export_parts WHERE export_id = $1 AND attempt = $2 AND number = $3",
);

/** Deletes up to $1 parts that nobody can fetch any longer: of expired archives, and of abandoned attempts. */
export const deleteOldParts = query<{ id: string }>(
  "privacy.deleteOldParts",
  `DELETE FROM export_parts WHERE id = ANY(ARRAY(
     SELECT part.id FROM exports archive JOIN export_parts part ON part.export_id = archive.id
     WHERE part.attempt <> archive.attempt OR archive.status = 'FAILED' OR archive.expires_at < now() LIMIT $1)) RETURNING id`,
);

/** Deletes up to $1 exports that ended a week ago. Their parts are deleted already. */
export const deleteOldExports = query<{ id: string }>(
  "privacy.deleteOldExports",
  `DELETE FROM exports WHERE id = ANY(ARRAY(
     SELECT id FROM exports WHERE expires_at < now() - interval '7 days'
       AND NOT EXISTS (SELECT FROM export_parts WHERE export_id = exports.id) LIMIT $1)) RETURNING id`,
);

/** Ends the sheets of these companies: finished ones expire, and attempts under way restart. */
export const endSheets = query(
  "privacy.endSheets",
  `UPDATE exports SET expires_at = CASE WHEN status = 'DONE' THEN now() END, leased_until = '-infinity',
     attempt = attempt + CASE WHEN status = 'WAITING' AND attempt > 0 THEN 1 ELSE 0 END
   WHERE company_id = ANY($1::text[]) AND send_id IS NOT NULL AND (status = 'WAITING' OR (status = 'DONE' AND expires_at > now()))`,
);

export const sealedParts = sealedColumn("privacy", "export_parts", "sealed");
export const sealedTokens = sealedColumn("privacy", "exports", "sealed_token");
