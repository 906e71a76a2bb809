// The queries of campaigns.

import type { OwnFields } from "../../phonebook/contacts/fields.ts";
import type { GivenContact } from "../../phonebook/contacts/given.ts";
import { columnsOf } from "../../platform/database/columns.ts";
import { pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Campaign, Run } from "./shapes.ts";

/** The messages of a send, by what became of them. */
export type SendTotals = Record<"total" | "sent" | "failed" | "delivered" | "undelivered", number>;

export type CampaignRow = SendTotals &
  Omit<Campaign, "status" | "_count"> & {
    nextAt: Date | null;
    canceledAt: Date | null;
    /** The time at which a series was paused because its runs failed one after another. */
    pausedAt: Date | null;
    failure: string | null;
    /** The id of its send, which differs from its own id once a scheduled campaign has run. */
    sendId: string;
    /** Whether its messages have been queued. */
    wasQueued: boolean;
    groupCount: number;
    blockedCount: number;
  };

/** What only the rest of a campaign's life shows. */
type Later = keyof SendTotals | "canceledAt" | "pausedAt" | "failure" | "sendId" | "wasQueued";

/** A campaign as it is inserted. `week` and `ownVariables` are JSON. */
export type NewCampaign = Omit<CampaignRow, Later | "senderIdId"> & {
  companyId: string;
  senderId: string | null;
  senderName: string;
  week: string | null;
  connectionId: string | null;
  callbackData: string | null;
  ownVariables: string | null;
};

/**
 * Inserts campaigns and counts them by sender. The counters are locked in the order of their keys, as everywhere, so
 * that no deadlock can arise.
 */
export const insertCampaigns = query<never, { campaigns: readonly NewCampaign[] }>(
  "campaigns.insertCampaigns",
  `WITH made AS (
     INSERT INTO campaigns (company_id, id, user_id, name, body, type, sender_id, sender_name, scheduled_date, next_at, week, contact_count,
                            group_count, credit_used, blocked_count, created_at, connection_id, callback_data,
                            own_variables)
     SELECT * FROM $campaigns(company_id text, id text, user_id text, name text, text text, type text, sender_id text, sender_name text,
       scheduled_date timestamptz, next_at timestamptz, week jsonb, contact_count int, group_count int, credit_used bigint,
       blocked_count int, created_at timestamptz, connection_id text, callback_data text, own_variables jsonb)
   )
   INSERT INTO campaign_counts AS counted (company_id, sender_id, campaigns)
   SELECT company_id, coalesce(sender_id, ''), count(*) FROM $campaigns(company_id text, sender_id text) AS made (company_id, sender_id)
   GROUP BY 1, 2 ORDER BY company_id COLLATE "C", coalesce(sender_id, '') COLLATE "C"
   ON CONFLICT (company_id, sender_id) DO UPDATE SET campaigns = counted.campaigns + excluded.campaigns`,
);

/** `number` counts from 1; `fields` is JSON. */
type NamedContact = Omit<GivenContact, "field" | "sex" | "fields"> & {
  number: number;
  fields: string | null;
};

export const insertCampaignContacts = query<
  never,
  { companyId: string; campaignId: string; contacts: readonly NamedContact[] }
>(
  "campaigns.insertCampaignContacts",
  `INSERT INTO campaign_contacts (company_id, campaign_id, number, given, phone, name, first_name, last_name, fields)
   SELECT $companyId, $campaignId, *
   FROM $contacts(number int, given text, phone text, name text, first_name text, last_name text, fields jsonb)`,
);

export const insertCampaignGroups = query(
  "campaigns.insertCampaignGroups",
  `INSERT INTO campaign_groups (company_id, campaign_id, group_id) SELECT $1, $2, unnest($3::text[])`,
);

/** Which of these campaigns exist. */
export const listKnownCampaigns = query<
  { id: string },
  { campaigns: readonly { companyId: string; id: string }[] }
>(
  "campaigns.listKnownCampaigns",
  `SELECT campaign.id FROM $campaigns(company_id text, id text) AS wanted (company_id, id)
   CROSS JOIN LATERAL (SELECT id FROM campaigns WHERE company_id = wanted.company_id AND id = wanted.id LIMIT 1) campaign`,
);

/** Before 2026-11-22 a campaign could be stored without a name; it is then generated as in `nameOfCampaign`. */
export const NAME_COLUMN = `coalesce(campaign.name, to_char(campaign.created_at AT TIME ZONE 'UTC', '"SMS du "DD/MM/YYYY" à "HH24:MI')) AS name`;

/** Each run of a recurring campaign has its own send, so the campaign has none. */
// CASE, because under row-level security the planner treats coalesce as a function that may leak, and reads all sends:
// 3,558 pages beside 1,200 sends of others instead of 9 (2026-11-26).
const SEND_ID = "CASE WHEN campaign.send_id IS NULL THEN campaign.id ELSE campaign.send_id END";

/**
 * A campaign to one person has no row in `sends`: its totals come from the record of its only message. The time of an
 * accepted message is that of the acceptance.
 */
const COLUMNS = `campaign.id, campaign.user_id AS "userId", ${NAME_COLUMN}, campaign.body AS text, campaign.type,
   campaign.sender_id AS "senderIdId", ${columnsOf(
     [
       ...["scheduledDate", "nextAt", "canceledAt", "pausedAt", "failure", "contactCount", "groupCount"],
       ...["creditUsed", "blockedCount", "createdAt"],
     ],
     {},
     "campaign",
   )}, ${SEND_ID} AS "sendId", coalesce(send.total, campaign.contact_count) AS total,
   send.id IS NOT NULL OR campaign.type = 'SMS' AS "wasQueued",
   coalesce(send.sent, (alone.sent_at IS NOT NULL)::int) AS sent,
   coalesce(send.failed, (alone.status IS NOT NULL AND alone.sent_at IS NULL)::int) AS failed,
   coalesce(send.delivered, (alone.status = 'DELIVERED')::int, 0) AS delivered,
   coalesce(send.undelivered, (alone.sent_at IS NOT NULL AND alone.status NOT IN ('SENT', 'DELIVERED'))::int) AS undelivered`;

/** The totals of the messages of `campaign`: the row of its send, or the record of its only message. */
export const SEND = `LEFT JOIN sends send ON send.id = ${SEND_ID}
   LEFT JOIN LATERAL (
     SELECT status, sent_at, price FROM recorded_messages(ARRAY[campaign.company_id], ARRAY[campaign.id], '{1}')
     WHERE send.id IS NULL AND campaign.type = 'SMS'
   ) alone ON true`;

/** A campaign with all its details. */
export type CampaignInFull = CampaignRow & {
  senderName: string;
  /** Minutes after midnight UTC by weekday, 0 is Sunday. */
  week: Record<string, number> | null;
  /** The time of its creation, last run or cancellation. */
  updatedAt: Date;
  creditRefunded: number;
  /** The time at which its company disabled the series. */
  disabledAt: Date | null;
};

/** A campaign with the credits that its hold released. */
export const findCampaign = query<CampaignInFull>(
  "campaigns.findCampaign",
  `SELECT ${COLUMNS}, campaign.sender_name AS "senderName", campaign.week, campaign.disabled_at AS "disabledAt", coalesce(send.refunded, hold.released, CASE WHEN alone.sent_at IS NULL THEN alone.price END, 0) AS "creditRefunded",
     greatest(campaign.created_at, campaign.canceled_at, (
       SELECT run.created_at FROM campaign_runs run WHERE run.company_id = campaign.company_id AND run.campaign_id = campaign.id
       ORDER BY run.occurrence DESC LIMIT 1)) AS "updatedAt"
   FROM campaigns campaign
   ${SEND}
   LEFT JOIN holds hold ON hold.id = send.id
   WHERE campaign.company_id = $1 AND campaign.id = $2`,
);

/** The number of a company's campaigns: of one sender, or of all if `$2` is null. A company has few senders. */
export const countCampaigns = query<{ count: number }>(
  "campaigns.countCampaigns",
  `SELECT coalesce(sum(campaigns), 0)::bigint AS count FROM campaign_counts
   WHERE company_id = $1 AND ($2::text IS NULL OR sender_id = $2)`,
);

/**
 * The query skips rows on the index alone and fetches only those of the page, each by a look-up. LIMIT 1 keeps it a
 * look-up whatever the planner estimates. The company is the parameter `companyId`.
 */
export function pageOf(ids: string, direction: "ASC" | "DESC"): string {
  return `SELECT ${COLUMNS} FROM (${ids}) AS page
     CROSS JOIN LATERAL (SELECT * FROM campaigns WHERE company_id = $companyId AND id = page.id LIMIT 1) AS campaign
     ${SEND}
     ORDER BY campaign.id ${direction}`;
}

/** In order of ids, which is the order of creation. */
export const listCampaigns = pagedQuery<CampaignRow, { companyId: string }>(
  "campaigns.listCampaigns",
  ["id"],
  ({ direction, seek, page }) =>
    pageOf(`SELECT id FROM campaigns WHERE company_id = $companyId AND ${seek} ${page}`, direction),
);

export const lockCampaign = query<CampaignRow>(
  "campaigns.lockCampaign",
  `SELECT ${COLUMNS} FROM campaigns campaign
   ${SEND}
   WHERE campaign.company_id = $1 AND campaign.id = $2
   FOR NO KEY UPDATE OF campaign`,
);

export const markCanceled = query(
  "campaigns.markCanceled",
  `UPDATE campaigns SET canceled_at = now(), next_at = NULL, paused_at = NULL WHERE company_id = $1 AND id = $2`,
);

/** What the steps of a large send need from its campaign. */
export const findCampaignForSteps = query<{
  text: string;
  ownVariables: unknown;
  senderId: string | null;
  senderName: string;
}>(
  "campaigns.findCampaignForSteps",
  `SELECT body AS text, own_variables AS "ownVariables", sender_id AS "senderId", sender_name AS "senderName" FROM campaigns WHERE company_id = $1 AND id = $2`,
);

export const listCampaignContacts = query<
  Omit<NamedContact, "number" | "fields"> & { fields: OwnFields | null }
>(
  "campaigns.listCampaignContacts",
  `SELECT ${columnsOf(["given", "phone", "name", "firstName", "lastName", "fields"])} FROM campaign_contacts
   WHERE company_id = $1 AND campaign_id = $2 ORDER BY number`,
);

export const listCampaignGroups = query<{ id: string }>(
  "campaigns.listCampaignGroups",
  `SELECT group_id AS id FROM campaign_groups WHERE company_id = $1 AND campaign_id = $2`,
);

export const updateContactCount = query(
  "campaigns.updateContactCount",
  `UPDATE campaigns SET contact_count = $3 WHERE company_id = $1 AND id = $2 AND type <> 'RECURRING'`,
);

export type RunRow = SendTotals &
  Pick<Run, "id" | "date" | "contactCount" | "creditUsed" | "creditRefunded"> & {
    failure: string | null;
    blockedCount: number;
  };

/** The totals of `send`, which a run that sent nothing does not have. */
const TOTALS = `coalesce(send.total, 0) AS total, coalesce(send.sent, 0) AS sent, coalesce(send.failed, 0) AS failed,
   coalesce(send.delivered, 0) AS delivered, coalesce(send.undelivered, 0) AS undelivered`;

const RUNS_OF_CAMPAIGN = `FROM campaign_runs run
   LEFT JOIN sends send ON send.id = run.send_id
   LEFT JOIN holds hold ON hold.id = run.send_id
   WHERE run.company_id = $1 AND run.campaign_id = $2`;

/** The newest runs of a recurring campaign. */
export const listRuns = query<RunRow>(
  "campaigns.listRuns",
  `SELECT run.occurrence AS date, run.send_id AS id, run.failure, run.contact_count AS "contactCount", run.credit_used AS "creditUsed",
          run.blocked_count AS "blockedCount", coalesce(send.refunded, hold.released, 0) AS "creditRefunded", ${TOTALS}
   ${RUNS_OF_CAMPAIGN}
   ORDER BY run.occurrence DESC LIMIT $3`,
);

/** Sums over all runs of a recurring campaign, of which there are at most seven a week. */
export const sumRuns = query<SendTotals & Pick<RunRow, "creditRefunded" | "blockedCount">>(
  "campaigns.sumRuns",
  `SELECT coalesce(sum(coalesce(send.refunded, hold.released)), 0)::bigint AS "creditRefunded", coalesce(sum(run.blocked_count), 0)::bigint AS "blockedCount",
          coalesce(sum(send.total), 0)::bigint AS total,
          coalesce(sum(send.sent), 0)::bigint AS sent, coalesce(sum(send.failed), 0)::bigint AS failed,
          coalesce(sum(send.delivered), 0)::bigint AS delivered, coalesce(sum(send.undelivered), 0)::bigint AS undelivered
   ${RUNS_OF_CAMPAIGN}`,
);

/** The send of a run by its id, or of the newest run that sent; with its number of messages. */
export const findSendOfRun = query<SendTotals & { id: string }>(
  "campaigns.findSendOfRun",
  `SELECT run.send_id AS id, ${TOTALS}
   FROM campaign_runs run LEFT JOIN sends send ON send.id = run.send_id
   WHERE run.company_id = $1 AND run.campaign_id = $2 AND run.send_id IS NOT NULL AND ($3::text IS NULL OR run.send_id = $3)
   ORDER BY run.occurrence DESC LIMIT 1`,
);

export const listCampaignsOfSender = pagedQuery<CampaignRow, { companyId: string; senderId: string }>(
  "campaigns.listCampaignsOfSender",
  ["id"],
  ({ direction, seek, page }) =>
    pageOf(
      `SELECT id FROM campaigns WHERE company_id = $companyId AND sender_id = $senderId AND ${seek} ${page}`,
      direction,
    ),
);

/** The groups of a campaign that still exist. */
export const listLivingGroups = query<{ id: string }>(
  "campaigns.listLivingGroups",
  `SELECT groups.id FROM campaign_groups named JOIN groups ON groups.company_id = named.company_id AND groups.id = named.group_id
   WHERE named.company_id = $1 AND named.campaign_id = $2 ORDER BY groups.id LIMIT $3`,
);

/**
 * The version of a campaign's row, which every change replaces. `hasRun`: a run was tried, so people may have received
 * its content, or an administrator may be reviewing it.
 */
export const findVersion = query<{ version: string; hasRun: boolean }>(
  "campaigns.findVersion",
  `SELECT xmin::text AS version, EXISTS (
     SELECT FROM campaign_runs WHERE company_id = $1 AND campaign_id = $2) AS "hasRun"
   FROM campaigns WHERE company_id = $1 AND id = $2`,
);

/** Returns no row if the company has no such campaign. */
export const markNamed = query<{ id: string }>(
  "campaigns.markNamed",
  "UPDATE campaigns SET name = $3 WHERE company_id = $1 AND id = $2 RETURNING id",
);

/** Changes a campaign's text and custom fields, and the numbers of people that it reaches or not. */
export const markSaid = query<
  never,
  {
    companyId: string;
    id: string;
    text: string;
    count: number;
    blockedCount: number;
    ownVariables: string | null;
  }
>(
  "campaigns.markSaid",
  `UPDATE campaigns SET body = $text, contact_count = $count, blocked_count = $blockedCount, own_variables = $ownVariables::jsonb
   WHERE company_id = $companyId AND id = $id`,
);

/** Deletes the named contacts of a campaign: 10,000 at most. */
export const deleteAllNamed = query(
  "campaigns.deleteAllNamed",
  "DELETE FROM campaign_contacts WHERE company_id = $1 AND campaign_id = $2",
);
