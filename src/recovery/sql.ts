// The queries of what the database has forgotten.
import type { Acknowledged, SendingApp } from "../kernel/acknowledged.ts";
import { query } from "../kernel/database.ts";
import { pagedList } from "../kernel/pages.ts";

export type Kind = Acknowledged["kind"];

type Found = { id: string };

/** By kind, which of these are there: by their ids ($1), and their accounts ($2), which only campaigns need. */
export const findThere = {
  campaign: query<Found>(
    "recovery.findCampaigns",
    `SELECT seen.id FROM unnest($1::text[], $2::text[]) AS seen (id, account_id)
     WHERE EXISTS (SELECT FROM campaigns WHERE company_id = seen.account_id AND campaigns.id = seen.id OFFSET 0)`,
  ),
  code: query<Found>(
    "recovery.findCodes",
    `SELECT seen.id FROM unnest($1::text[], $2::text[]) AS seen (id, account_id)
     WHERE EXISTS (SELECT FROM otp_codes WHERE token_digest = seen.id OFFSET 0)`,
  ),
  credits: query<Found>(
    "recovery.findEntries",
    `SELECT seen.id FROM unnest($1::text[], $2::text[]) AS seen (id, account_id)
     WHERE EXISTS (SELECT FROM entries WHERE key = seen.id OFFSET 0)`,
  ),
  change: query<Found>(
    "recovery.findChanges",
    `SELECT seen.id FROM unnest($1::text[], $2::text[]) AS seen (id, account_id)
     WHERE EXISTS (SELECT FROM audit_log WHERE audit_log.id = seen.id OFFSET 0)`,
  ),
} as const satisfies Record<Kind, unknown>;

/** Notes what is not there, by incarnation $1. What an earlier incarnation lacked too is noted of this one. */
export const insertForgotten = query(
  "recovery.insertForgotten",
  `INSERT INTO forgotten (incarnation, kind, id, account_id, count, name, app, acknowledged_at)
   SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::jsonb[], $8::timestamptz[])
   ON CONFLICT (kind, id) DO UPDATE SET incarnation = excluded.incarnation`,
);

export const upsertReport = query(
  "recovery.upsertReport",
  `INSERT INTO forgotten_reports (incarnation, node, since, acknowledged, forgotten) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (incarnation, node) DO UPDATE SET since = excluded.since, acknowledged = excluded.acknowledged,
     forgotten = excluded.forgotten, reported_at = now()`,
);

export type ReportRow = {
  node: string;
  since: Date;
  acknowledged: number;
  forgotten: number;
  reported_at: Date;
};

/** The first $2 reports of an incarnation. */
export const listReports = query<ReportRow>(
  "recovery.listReports",
  `SELECT node, since, acknowledged, forgotten, reported_at FROM forgotten_reports
   WHERE incarnation = $1 ORDER BY node LIMIT $2`,
);

/** By kind, how many an incarnation lacks, and with how many people or credits. */
export const sumForgotten = query<{ kind: Kind; number: number; count: number }>(
  "recovery.sumForgotten",
  `SELECT kind, count(*) AS number, sum(count)::bigint AS count FROM forgotten WHERE incarnation = $1 GROUP BY kind`,
);

export type ForgottenRow = {
  kind: Kind;
  id: string;
  account_id: string | null;
  account_name: string | null;
  count: number;
  name: string | null;
  acknowledged_at: Date;
  notified_at: Date | null;
};

/** What is forgotten, of one kind ($1) or all. */
export const listForgotten = pagedList<ForgottenRow & { row_key: string[] }>(
  "recovery.listForgotten",
  { by: ["kind", "id"] },
  ({ seek, page, rowKey }) =>
    `SELECT page.*, companies.name AS account_name FROM (
       SELECT kind, id, account_id, count, name, acknowledged_at, notified_at, ${rowKey}
       FROM forgotten WHERE ($1::text IS NULL OR kind = $1) AND ${seek} ${page}
     ) page LEFT JOIN companies ON companies.id = page.account_id`,
);

export const countForgotten = query<{ count: number }>(
  "recovery.countForgotten",
  "SELECT count(*) FROM forgotten WHERE $1::text IS NULL OR kind = $1",
);

/** The campaigns of an account ($1) that are forgotten, once it was notified. */
export const listCampaigns = pagedList<Pick<ForgottenRow, "id" | "name" | "count" | "acknowledged_at">>(
  "recovery.listCampaigns",
  { by: ["id"] },
  ({ seek, page }) =>
    `SELECT id, name, count, acknowledged_at FROM forgotten
     WHERE account_id = $1 AND kind = 'campaign' AND notified_at IS NOT NULL AND ${seek} ${page}`,
);

export const countCampaigns = query<{ count: number }>(
  "recovery.countCampaigns",
  "SELECT count(*) FROM forgotten WHERE account_id = $1 AND kind = 'campaign' AND notified_at IS NOT NULL",
);

export type ToNotify = {
  id: string;
  account_id: string;
  count: number;
  app: SendingApp | null;
  acknowledged_at: Date;
};

/** Takes up to $1 campaigns of one account that is to be notified: an administrator has decided, so no better copy is sought. */
export const takeToNotify = query<ToNotify>(
  "recovery.takeToNotify",
  `WITH taken AS (
     SELECT kind, id FROM forgotten
     WHERE kind = 'campaign' AND notified_at IS NULL AND account_id = (
       SELECT account_id FROM forgotten WHERE kind = 'campaign' AND notified_at IS NULL
         AND incarnation IN (SELECT number FROM incarnations WHERE decision IS NOT NULL)
       ORDER BY account_id LIMIT 1)
     ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
   )
   UPDATE forgotten SET notified_at = now() FROM taken
   WHERE forgotten.kind = taken.kind AND forgotten.id = taken.id
   RETURNING forgotten.id, account_id, count, app, acknowledged_at`,
);

/** Deletes up to $2 rows that are older than $1 days. */
export const deleteOld = query<Found>(
  "recovery.deleteOld",
  `DELETE FROM forgotten WHERE (kind, id) IN (
     SELECT kind, id FROM forgotten WHERE acknowledged_at < now() - $1::int * interval '1 day' LIMIT $2) RETURNING id`,
);

export const deleteOldReports = query(
  "recovery.deleteOldReports",
  "DELETE FROM forgotten_reports WHERE reported_at < now() - $1::int * interval '1 day'",
);
