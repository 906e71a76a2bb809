// The queries of first-campaign review: which companies are known, and which sends are held for an administrator.

import { countedList, type Keyed } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { KeptCampaign } from "./shapes.ts";

// A campaign that was not held shows that its company was known, or that the review was off. A campaign of a trial
// shows nothing, because it reached no real phone. Only the oldest 1,000 campaigns are read, since no index covers
// large ones.
const WENT = `SELECT FROM (SELECT id, contact_count, type, send_id, created_at FROM campaigns
       WHERE company_id = asked.company_id ORDER BY id LIMIT 1000) campaign
     WHERE contact_count > $3 AND (type = 'SMS' OR send_id IS NOT NULL)
       AND NOT EXISTS (SELECT FROM companies WHERE companies.id = asked.company_id
         AND (companies.trial OR campaign.created_at < companies.trial_ended_at))
       AND NOT EXISTS (SELECT FROM first_campaigns first WHERE first.company_id = asked.company_id AND first.campaign_id = campaign.id)`;

/** The companies among these with $2 released large campaigns, or with an earlier campaign to more than $3 people. */
export const listKnownCompanies = query<{ companyId: string }>(
  "campaigns.listKnownCompanies",
  `SELECT asked.company_id AS "companyId" FROM unnest($1::text[]) AS asked (company_id)
   WHERE (SELECT count(*) FROM first_campaigns first
          WHERE first.company_id = asked.company_id AND first.released_at IS NOT NULL) >= $2
      OR EXISTS (${WENT})`,
);

/** A send that is held for review. */
export type KeptSend = { companyId: string; sendId: string; campaignId: string };

export const insertFirsts = query<never, { kept: readonly KeptSend[] }>(
  "campaigns.insertFirsts",
  `INSERT INTO first_campaigns (company_id, send_id, campaign_id) SELECT * FROM $kept(company_id text, send_id text, campaign_id text)`,
);

/** Whether a send is held for review. The lock delays a release until the transaction ends. */
export const findKept = query<{ sendId: string }>(
  "campaigns.findKept",
  `SELECT send_id AS "sendId" FROM first_campaigns WHERE company_id = $1 AND send_id = $2 AND released_at IS NULL FOR SHARE`,
);

/** Returns the sends of a campaign that were held until now. */
export const markReleased = query<{ sendId: string }>(
  "campaigns.markReleased",
  `UPDATE first_campaigns SET released_at = now()
   WHERE company_id = $1 AND campaign_id = $2 AND released_at IS NULL RETURNING send_id AS "sendId"`,
);

export const findFirst = query<{ campaignId: string }>(
  "campaigns.findFirst",
  `SELECT campaign_id AS "campaignId" FROM first_campaigns WHERE company_id = $1 AND campaign_id = $2 LIMIT 1`,
);

const KEPT = {
  columns: `campaign.id, first.company_id AS "companyId", companies.name AS "companyName", campaign.name, campaign.body AS text,
            campaign.sender_name AS "senderName", campaign.contact_count AS "contactCount", first.kept_at AS "heldAt"`,
  from: `first_campaigns first
   JOIN campaigns campaign ON campaign.company_id = first.company_id AND campaign.id = first.campaign_id
   LEFT JOIN companies ON companies.id = first.company_id`,
  where: `first.released_at IS NULL AND campaign.canceled_at IS NULL
     AND first.kept_at > now() - $lifetimeMs::bigint * interval '1 millisecond'`,
};

/** The campaigns still held for review: not canceled, and younger than the lifetime of their messages. */
export const listKept = countedList<KeptCampaign & Keyed, { lifetimeMs: number }>("campaigns.listKept", {
  ...KEPT,
  by: [["first.kept_at", "timestamptz"], "first.send_id"],
});

/** A campaign, if it is still held for review. */
export const findKeptCampaign = query<KeptCampaign, { lifetimeMs: number; id: string }>(
  "campaigns.findKeptCampaign",
  `SELECT ${KEPT.columns} FROM ${KEPT.from} WHERE ${KEPT.where} AND first.campaign_id = $id LIMIT 1`,
);
