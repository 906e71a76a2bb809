// The queries of campaigns that wait for their time: whose turn it is, their runs, pauses, and how many there may be.
import type { QuotaChoice } from "../../identity/accounts/accounts.ts";
import { query } from "../../platform/database.ts";
import type { Language } from "../../platform/refusals.ts";
import type { Campaign } from "./shapes.ts";
import { NAME_COLUMN } from "./sql.ts";

/**
 * The companies with due campaigns, by the time of their first one; $1 is a time other than the database's. One step of
 * the search for each company and time: it passes over all campaigns that a company has at that time. Those of suspended
 * companies wait.
 */
export const listDueCompanies = query<{ company_id: string }>(
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
   SELECT company_id FROM due
   WHERE NOT EXISTS (SELECT FROM companies WHERE id = company_id AND suspended_at IS NOT NULL)
   GROUP BY company_id ORDER BY min(step)`,
);

export type DueCampaign = {
  company_id: string;
  id: string;
  name: string;
  body: string;
  own_variables: unknown;
  type: Campaign["type"];
  sender_id: string | null;
  sender_name: string;
  next_at: Date;
  week: Record<string, number> | null;
  failed_runs: number;
  /** Its company has disabled the series. */
  is_disabled: boolean;
  callback_data: string | null;
  /** Whether a webhook of the company is told of sends, and in which language. */
  listens: boolean;
  language: Language;
  /** When it was found. */
  now: Date;
  /**
   * Whether it may have run in a time that the database has forgotten, of which an administrator has given up what was
   * sent.
   */
  is_doubtful: boolean;
};

/**
 * The campaign of a company that has waited longest for its time, for one process alone; $2 is a time other than the
 * database's.
 */
export const lockDueCampaign = query<DueCampaign>(
  "campaigns.lockDueCampaign",
  `SELECT company_id, id, ${NAME_COLUMN}, body, own_variables, type, sender_id, sender_name, next_at, week, failed_runs, callback_data,
          disabled_at IS NOT NULL AS is_disabled,
          coalesce((SELECT listens FROM companies WHERE id = $1), false) AS listens,
          coalesce((SELECT language FROM companies WHERE id = $1), 'fr') AS language, coalesce($2, now()) AS now,
          EXISTS (SELECT FROM incarnations WHERE decision = 'UNKNOWN' AND next_at <= made_at
                    AND (next_at >= since OR since <= least(last_beat_at, made_at))) AS is_doubtful
   FROM campaigns campaign
   WHERE company_id = $1 AND next_at <= coalesce($2::timestamptz, now()) ORDER BY next_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
);

export const insertRun = query(
  "campaigns.insertRun",
  `INSERT INTO campaign_runs (company_id, campaign_id, occurrence, send_id, failure, contact_count, credit_used, blocked_count)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

/**
 * Records a run: the time of the next one ($3), how many have failed ($9), and whether it was the last one until somebody
 * resumes the series ($10). A campaign of a single run also gets the outcome and the send ($8), a paused one why.
 */
export const markRun = query(
  "campaigns.markRun",
  `UPDATE campaigns SET next_at = $3,
     failure = CASE WHEN type = 'SCHEDULED' OR $10 THEN $4 END,
     contact_count = CASE WHEN type = 'SCHEDULED' AND $4::text IS NULL THEN $5 ELSE contact_count END,
     blocked_count = CASE WHEN type = 'SCHEDULED' AND $4::text IS NULL THEN $7 ELSE blocked_count END,
     send_id = CASE WHEN type = 'SCHEDULED' THEN $8 END,
     credit_used = credit_used + $6,
     failed_runs = $9,
     paused_at = CASE WHEN $10 THEN now() END
   WHERE company_id = $1 AND id = $2`,
);

/**
 * How many campaigns of a company wait for their time, and the quotas that it has of its own. Counting stops at its quota,
 * or at that of the installation ($2).
 */
export const countWaiting = query<{ count: number; quotas: QuotaChoice }>(
  "campaigns.countWaiting",
  `SELECT (SELECT count(*) FROM (
             SELECT FROM campaigns WHERE company_id = $1 AND next_at IS NOT NULL
             LIMIT coalesce((companies.quotas->>'schedules')::bigint, $2)) waiting) AS count, quotas
   FROM companies WHERE id = $1`,
);

/**
 * A campaign to a group ($2) of a company that is still to run, or a paused series. A quota bounds those that are looked
 * at.
 */
export const findPlanned = query<{ id: string }>(
  "campaigns.findPlanned",
  `SELECT campaign.id FROM campaigns campaign
   JOIN campaign_groups named ON named.company_id = campaign.company_id AND named.campaign_id = campaign.id
   WHERE campaign.company_id = $1 AND (campaign.next_at IS NOT NULL OR campaign.paused_at IS NOT NULL)
     AND named.group_id = $2 LIMIT 1`,
);

/** Whether a company has another paused series ($2 is this one) that was paused in the last 24 hours. */
export const findRecentPause = query<{ id: string }>(
  "campaigns.findRecentPause",
  `SELECT id FROM campaigns WHERE company_id = $1 AND paused_at > now() - interval '24 hours' AND id <> $2 LIMIT 1`,
);

export type Series = {
  week: Record<string, number> | null;
  canceled_at: Date | null;
  disabled_at: Date | null;
  paused_at: Date | null;
  /** The time of its last run. */
  ran_at: Date | null;
};

export const lockSeries = query<Series>(
  "campaigns.lockSeries",
  `SELECT week, canceled_at, disabled_at, paused_at, (
     SELECT occurrence FROM campaign_runs WHERE company_id = $1 AND campaign_id = $2 ORDER BY occurrence DESC LIMIT 1) AS ran_at
   FROM campaigns WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE`,
);

export const markResumed = query(
  "campaigns.markResumed",
  `UPDATE campaigns SET next_at = $3, paused_at = NULL, disabled_at = NULL, failed_runs = 0, failure = NULL
   WHERE company_id = $1 AND id = $2`,
);

/** Disables a series ($3), whose occurrences are skipped then, or enables it again. */
export const markDisabled = query(
  "campaigns.markDisabled",
  "UPDATE campaigns SET disabled_at = CASE WHEN $3::boolean THEN now() END WHERE company_id = $1 AND id = $2",
);

export type Waiting = { type: Campaign["type"]; isWaiting: boolean };

/** Locks a campaign against its runs. `isWaiting`: it has a time that has not come yet. */
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

export const markRescheduled = query(
  "campaigns.markRescheduled",
  "UPDATE campaigns SET scheduled_date = $3, week = $4, next_at = $5 WHERE company_id = $1 AND id = $2",
);
