// The queries of pending campaigns: which company is next, their runs, pauses, and quotas.
import type { QuotaChoice } from "../../identity/accounts/quotas.ts";
import { columnsOf } from "../../platform/database/columns.ts";
import { IS_NOT_HELD } from "../../platform/database/incarnations.sql.ts";
import { query } from "../../platform/database/query.ts";
import type { Language } from "../../platform/http/refusals.ts";
import type { Campaign } from "./shapes.ts";
import { type CampaignInFull, NAME_COLUMN } from "./sql.ts";

/**
 * The companies with due campaigns, in the order of their first due time; $1 replaces the database's time. The search
 * takes one step per company and time: it skips the other campaigns that a company has at that time. Suspended
 * companies are left out.
 */
export const listDueCompanies = query<{ id: string }>(
  "campaigns.listDueCompanies",
  `WITH RECURSIVE due (next_at, company_id, step) AS (
     (SELECT next_at, company_id, 1 FROM campaigns WHERE next_at <= coalesce($1::timestamptz, now())
      ORDER BY next_at, company_id LIMIT 1)
     UNION ALL
     SELECT later.next_at, later.company_id, step + 1 FROM due CROSS JOIN LATERAL (
       SELECT next_at, company_id FROM campaigns
       WHERE next_at <= coalesce($1, now()) AND (next_at, company_id) > (due.next_at, due.company_id)
       ORDER BY next_at, company_id LIMIT 1) later
     WHERE step < $2
   )
   SELECT company_id AS id FROM due
   WHERE NOT EXISTS (SELECT FROM companies WHERE id = company_id AND suspended_at IS NOT NULL)
   GROUP BY company_id ORDER BY min(step)`,
);

export type DueCampaign = Pick<CampaignInFull, "id" | "name" | "text" | "type" | "senderName" | "week"> & {
  companyId: string;
  ownVariables: unknown;
  senderId: string | null;
  nextAt: Date;
  failedRuns: number;
  /** The company has disabled the series. */
  isDisabled: boolean;
  callbackData: string | null;
  /** Whether the company has a webhook subscription for sends, and its language. */
  listens: boolean;
  language: Language;
  /** The time of the query. */
  now: Date;
  /**
   * Whether it may have run in a period that a restored database has lost, whose sends an administrator has given up.
   */
  isInDoubt: boolean;
};

/**
 * Locks the campaign of a company that has been due the longest, for one process alone; $2 replaces the database's
 * time. No row while sending is held: the decision says whether it is run.
 */
export const lockDueCampaign = query<DueCampaign>(
  "campaigns.lockDueCampaign",
  `SELECT ${columnsOf(
    ["companyId", "id", "text", "ownVariables", "type", "senderId", "senderName", "nextAt", "week"],
    { text: "body" },
  )}, ${NAME_COLUMN}, failed_runs AS "failedRuns", callback_data AS "callbackData", disabled_at IS NOT NULL AS "isDisabled",
          coalesce((SELECT listens FROM companies WHERE id = $1), false) AS listens,
          coalesce((SELECT language FROM companies WHERE id = $1), 'fr') AS language, coalesce($2, now()) AS now,
          EXISTS (SELECT FROM incarnations WHERE decision = 'UNKNOWN' AND next_at <= made_at
                    AND (next_at >= since OR since <= least(last_beat_at, made_at))) AS "isInDoubt"
   FROM campaigns campaign
   WHERE company_id = $1 AND next_at <= coalesce($2::timestamptz, now()) AND ${IS_NOT_HELD}
   ORDER BY next_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
);

/** What became of a run of a campaign (`id`). `sendId` is null if nothing was sent. */
type Outcome = {
  companyId: string;
  id: string;
  sendId: string | null;
  failure: string | null;
  count: number;
  price: number;
  blockedCount: number;
};

export const insertRun = query<never, Outcome & { occurrence: Date }>(
  "campaigns.insertRun",
  `INSERT INTO campaign_runs (company_id, campaign_id, occurrence, send_id, failure, contact_count, credit_used, blocked_count)
   VALUES ($companyId, $id, $occurrence, $sendId, $failure, $count, $price, $blockedCount)`,
);

/**
 * Records a run: the time of the next one, the number of failed runs in a row, and whether the series is now paused. A
 * campaign with a single run also gets the outcome and the send, a paused one the reason.
 */
export const markRun = query<never, Outcome & { nextAt: Date | null; failedRuns: number; isPaused: boolean }>(
  "campaigns.markRun",
  `UPDATE campaigns SET next_at = $nextAt,
     failure = CASE WHEN type = 'SCHEDULED' OR $isPaused THEN $failure END,
     contact_count = CASE WHEN type = 'SCHEDULED' AND $failure::text IS NULL THEN $count ELSE contact_count END,
     blocked_count = CASE WHEN type = 'SCHEDULED' AND $failure::text IS NULL THEN $blockedCount ELSE blocked_count END,
     send_id = CASE WHEN type = 'SCHEDULED' THEN $sendId END,
     credit_used = credit_used + $price,
     failed_runs = $failedRuns,
     paused_at = CASE WHEN $isPaused THEN now() END
   WHERE company_id = $companyId AND id = $id`,
);

/**
 * The number of pending campaigns of a company, and its own quotas. Counting stops at its quota, or at that of the
 * installation ($2).
 */
export const countWaiting = query<{ count: number; quotas: QuotaChoice }>(
  "campaigns.countWaiting",
  `SELECT (SELECT count(*) FROM (
             SELECT FROM campaigns WHERE company_id = $1 AND next_at IS NOT NULL
             LIMIT coalesce((companies.quotas->>'schedules')::bigint, $2)) waiting) AS count, quotas
   FROM companies WHERE id = $1`,
);

/**
 * A pending campaign or paused series of a company that includes a group ($2). A quota bounds the rows that are read.
 */
export const findPlanned = query<{ id: string }>(
  "campaigns.findPlanned",
  `SELECT campaign.id FROM campaigns campaign
   JOIN campaign_groups named ON named.company_id = campaign.company_id AND named.campaign_id = campaign.id
   WHERE campaign.company_id = $1 AND (campaign.next_at IS NOT NULL OR campaign.paused_at IS NOT NULL)
     AND named.group_id = $2 LIMIT 1`,
);

/** Whether another series of the company ($2 is this one) was paused in the last 24 hours. */
export const findRecentPause = query<{ id: string }>(
  "campaigns.findRecentPause",
  `SELECT id FROM campaigns WHERE company_id = $1 AND paused_at > now() - interval '24 hours' AND id <> $2 LIMIT 1`,
);

export type Series = Pick<CampaignInFull, "week" | "canceledAt" | "disabledAt" | "pausedAt"> & {
  /** The time of its last run. */
  ranAt: Date | null;
};

export const lockSeries = query<Series>(
  "campaigns.lockSeries",
  `SELECT ${columnsOf(["week", "canceledAt", "disabledAt", "pausedAt"])}, (
     SELECT occurrence FROM campaign_runs WHERE company_id = $1 AND campaign_id = $2 ORDER BY occurrence DESC LIMIT 1) AS "ranAt"
   FROM campaigns WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE`,
);

export const markResumed = query(
  "campaigns.markResumed",
  `UPDATE campaigns SET next_at = $3, paused_at = NULL, disabled_at = NULL, failed_runs = 0, failure = NULL
   WHERE company_id = $1 AND id = $2`,
);

/** Disables a series ($3), so that its occurrences are skipped, or enables it again. */
export const markDisabled = query(
  "campaigns.markDisabled",
  "UPDATE campaigns SET disabled_at = CASE WHEN $3::boolean THEN now() END WHERE company_id = $1 AND id = $2",
);

export type Waiting = { type: Campaign["type"]; isWaiting: boolean };

/** Locks a campaign against its runs. `isWaiting`: its next time has not come yet. */
export const lockWaiting = query<Waiting>(
  "campaigns.lockWaiting",
  `SELECT type, coalesce(next_at > clock_timestamp(), false) AS "isWaiting" FROM campaigns
   WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE`,
);

/** The time of the last run of a campaign. */
export const findLastRun = query<{ occurrence: Date }>(
  "campaigns.findLastRun",
  "SELECT occurrence FROM campaign_runs WHERE company_id = $1 AND campaign_id = $2 ORDER BY occurrence DESC LIMIT 1",
);

export const markRescheduled = query<
  never,
  { companyId: string; id: string; scheduledDate: Date | null; week: string | null; nextAt: Date }
>(
  "campaigns.markRescheduled",
  "UPDATE campaigns SET scheduled_date = $scheduledDate, week = $week, next_at = $nextAt WHERE company_id = $companyId AND id = $id",
);
