// The queries of lost data.

import { columnsOf } from "../../platform/database/columns.ts";
import { countedList, type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Acknowledged, SendingApp } from "../../platform/files/acknowledgedlines.ts";
import type { Counted } from "../../platform/http/paging.ts";
import { Forgotten, ForgottenCampaign, type ForgottenSums } from "./shapes.ts";

export type Kind = Acknowledged["kind"];

type Found = { id: string };

/** Which of these exist: by their ids, and their accounts, which only campaigns need. */
function findBy(name: string, same: string) {
  return query<Found, { seen: readonly Pick<Acknowledged, "id" | "accountId">[] }>(
    name,
    `SELECT seen.id FROM $seen(id text, account_id text) AS seen (id, account_id)
     WHERE EXISTS (SELECT FROM ${same} OFFSET 0)`,
  );
}

export const findThere = {
  campaign: findBy(
    "recovery.findCampaigns",
    "campaigns WHERE company_id = seen.account_id AND campaigns.id = seen.id",
  ),
  code: findBy("recovery.findCodes", "otp_codes WHERE token_digest = seen.id"),
  credits: findBy("recovery.findEntries", "entries WHERE key = seen.id"),
  change: findBy("recovery.findChanges", "audit_log WHERE audit_log.id = seen.id"),
} as const satisfies Record<Kind, unknown>;

/** What is missing. `app` is JSON. */
type Missing = Pick<Acknowledged, "kind" | "id" | "accountId" | "count"> & {
  name: string | null;
  app: string | null;
  at: Date;
};

/** Records what an incarnation lacks. An entry of an earlier incarnation moves to this one. */
export const insertForgotten = query<never, { incarnation: number; missing: readonly Missing[] }>(
  "recovery.insertForgotten",
  `INSERT INTO forgotten (incarnation, kind, id, account_id, count, name, app, acknowledged_at)
   SELECT $incarnation, * FROM $missing(kind text, id text, account_id text, count bigint, name text, app jsonb, at timestamptz)
   ON CONFLICT (kind, id) DO UPDATE SET incarnation = excluded.incarnation`,
);

export type ReportRow = ForgottenSums & {
  host: string;
  folder: string;
  since: Date;
  acknowledged: number;
  reported_at: Date;
};

/** A repeated report replaces the earlier one if it covers at least as many acknowledged items. */
export const upsertReport = query<never, Omit<ReportRow, "reported_at"> & { incarnation: number }>(
  "recovery.upsertReport",
  `INSERT INTO forgotten_reports (incarnation, host, folder, since, acknowledged, campaigns, messages, codes, credits, changes)
   VALUES ($incarnation, $host, $folder, $since, $acknowledged, $campaigns, $messages, $codes, $credits, $changes)
   ON CONFLICT (incarnation, host, folder) DO UPDATE SET since = excluded.since, acknowledged = excluded.acknowledged,
     campaigns = excluded.campaigns, messages = excluded.messages, codes = excluded.codes, credits = excluded.credits,
     changes = excluded.changes, reported_at = now()
   WHERE excluded.acknowledged >= forgotten_reports.acknowledged`,
);

/** The newest $2 reports of an incarnation. */
export const listReports = query<ReportRow>(
  "recovery.listReports",
  `SELECT host, folder, since, acknowledged, campaigns, messages, codes, credits, changes, reported_at FROM forgotten_reports
   WHERE incarnation = $1 ORDER BY reported_at DESC, host, folder LIMIT $2`,
);

/** The sums of what an incarnation lacks, over all reports. */
export const sumReports = query<ForgottenSums>(
  "recovery.sumReports",
  `SELECT coalesce(sum(campaigns), 0)::bigint AS campaigns, coalesce(sum(messages), 0)::bigint AS messages,
          coalesce(sum(codes), 0)::bigint AS codes, coalesce(sum(credits), 0)::bigint AS credits,
          coalesce(sum(changes), 0)::bigint AS changes
   FROM forgotten_reports WHERE incarnation = $1`,
);

/** The lost data of one kind, or of all (null). */
export const listForgotten = {
  ...pagedQuery<Forgotten & Keyed, { kind: Kind | null }>(
    "recovery.listForgotten",
    ["kind", "id"],
    ({ seek, page, rowKey }) =>
      `SELECT ${columnsOf(Forgotten, { accountName: "companies.name" }, "page")}, page.row_key FROM (
       SELECT kind, id, account_id, count, name, acknowledged_at, notified_at, ${rowKey}
       FROM forgotten WHERE ($kind::text IS NULL OR kind = $kind) AND ${seek} ${page}
     ) page LEFT JOIN companies ON companies.id = page.account_id`,
  ),
  count: query<Counted, { kind: Kind | null }>(
    "recovery.countForgotten",
    "SELECT count(*) FROM forgotten WHERE $kind::text IS NULL OR kind = $kind",
  ),
};

/** The lost campaigns of an account, once it was notified. */
export const listCampaigns = countedList<ForgottenCampaign & Keyed, { accountId: string }>(
  "recovery.listCampaigns",
  {
    columns: columnsOf(ForgottenCampaign, {
      ...{ campaignId: "id", contactCount: "count", createdAt: "acknowledged_at" },
    }),
    from: "forgotten",
    where: "account_id = $accountId AND kind = 'campaign' AND notified_at IS NOT NULL",
    by: [["id", "text"]],
  },
);

export type ToNotify = {
  id: string;
  account_id: string;
  count: number;
  app: SendingApp | null;
  acknowledged_at: Date;
  /** Whether the account was notified of others within the last day. */
  isRepeated: boolean;
};

/** Takes up to $1 campaigns of one account to notify. None while sending is held: a better copy may be found. */
export const takeToNotify = query<ToNotify>(
  "recovery.takeToNotify",
  `WITH account AS (
     SELECT account_id AS id FROM forgotten WHERE kind = 'campaign' AND notified_at IS NULL
       AND (SELECT state <> 'HELD' FROM incarnations ORDER BY number DESC LIMIT 1)
     ORDER BY account_id LIMIT 1
   ),
   taken AS (
     SELECT kind, id FROM forgotten WHERE kind = 'campaign' AND notified_at IS NULL AND account_id = (SELECT id FROM account)
     ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
   )
   UPDATE forgotten SET notified_at = now() FROM taken
   WHERE forgotten.kind = taken.kind AND forgotten.id = taken.id
   RETURNING forgotten.id, account_id, count, app, acknowledged_at,
     EXISTS (SELECT FROM forgotten told WHERE told.account_id = (SELECT id FROM account) AND told.kind = 'campaign'
               AND told.notified_at > now() - interval '1 day') AS "isRepeated"`,
);

/** Deletes up to $2 rows older than $1 days. */
export const deleteOld = query<Found>(
  "recovery.deleteOld",
  `DELETE FROM forgotten WHERE (kind, id) IN (
     SELECT kind, id FROM forgotten WHERE acknowledged_at < now() - $1::int * interval '1 day' LIMIT $2) RETURNING id`,
);

export const deleteOldReports = query(
  "recovery.deleteOldReports",
  "DELETE FROM forgotten_reports WHERE reported_at < now() - $1::int * interval '1 day'",
);
