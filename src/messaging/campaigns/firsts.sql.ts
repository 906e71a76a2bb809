// The queries of first campaigns: which companies are known, and what is kept back for an administrator.
import { query } from "../../platform/database.ts";
import { type Keyed, pagedList } from "../../platform/pages.ts";
import type { KeptCampaign } from "./shapes.ts";

// A campaign of which nothing was kept back tells that its company was known, or that nothing was asked then. One of a
// trial tells nothing: it went to nobody's phone. Only the
// oldest 1,000 campaigns are looked at, since there is no index for large ones.
const WENT = `SELECT FROM (SELECT id, contact_count, type, send_id, created_at FROM campaigns
       WHERE company_id = asked.company_id ORDER BY id LIMIT 1000) campaign
     WHERE contact_count > $3 AND (type = 'SMS' OR send_id IS NOT NULL)
       AND NOT EXISTS (SELECT FROM companies WHERE companies.id = asked.company_id
         AND (companies.trial OR campaign.created_at < companies.trial_ended_at))
       AND NOT EXISTS (SELECT FROM first_campaigns first WHERE first.company_id = asked.company_id AND first.campaign_id = campaign.id)`;

/** Of these companies, those of which $2 large campaigns were released, or one to more than $3 people went before. */
export const listKnownCompanies = query<{ companyId: string }>(
  "campaigns.listKnownCompanies",
  `SELECT asked.company_id AS "companyId" FROM unnest($1::text[]) AS asked (company_id)
   WHERE (SELECT count(*) FROM first_campaigns first
          WHERE first.company_id = asked.company_id AND first.released_at IS NOT NULL) >= $2
      OR EXISTS (${WENT})`,
);

export const insertFirsts = query(
  "campaigns.insertFirsts",
  `INSERT INTO first_campaigns (company_id, send_id, campaign_id) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])`,
);

/** Whether a send is kept back. A release waits until the transaction has ended. */
export const findKept = query<{ sendId: string }>(
  "campaigns.findKept",
  `SELECT send_id AS "sendId" FROM first_campaigns WHERE company_id = $1 AND send_id = $2 AND released_at IS NULL FOR SHARE`,
);

/** Returns the sends of a campaign that were kept back until now. */
export const markReleased = query<{ sendId: string }>(
  "campaigns.markReleased",
  `UPDATE first_campaigns SET released_at = now()
   WHERE company_id = $1 AND campaign_id = $2 AND released_at IS NULL RETURNING send_id AS "sendId"`,
);

export const findFirst = query<{ campaignId: string }>(
  "campaigns.findFirst",
  `SELECT campaign_id AS "campaignId" FROM first_campaigns WHERE company_id = $1 AND campaign_id = $2 LIMIT 1`,
);

const WAITING = `FROM first_campaigns first
   JOIN campaigns campaign ON campaign.company_id = first.company_id AND campaign.id = first.campaign_id
   LEFT JOIN companies ON companies.id = first.company_id
   WHERE first.released_at IS NULL AND campaign.canceled_at IS NULL AND first.kept_at > now() - $1::bigint * interval '1 millisecond'`;

const KEPT = `campaign.id, first.company_id AS "companyId", companies.name AS "companyName", campaign.name, campaign.body AS text,
            campaign.sender_name AS "senderName", campaign.contact_count AS "contactCount", first.kept_at AS "heldAt"`;

/** Those that still wait: not canceled, and younger than the lifetime $1 of their messages. */
export const listKept = pagedList<KeptCampaign & Keyed>(
  "campaigns.listKept",
  { by: [["first.kept_at", "timestamptz"], "first.send_id"] },
  ({ seek, page, rowKey }) => `SELECT ${rowKey}, ${KEPT}
     ${WAITING} AND ${seek} ${page}`,
);

/** The campaign $2, if it still waits. */
export const findKeptCampaign = query<KeptCampaign>(
  "campaigns.findKeptCampaign",
  `SELECT ${KEPT} ${WAITING} AND first.campaign_id = $2 LIMIT 1`,
);

export const countKept = query<{ count: number }>("campaigns.countKept", `SELECT count(*) ${WAITING}`);
