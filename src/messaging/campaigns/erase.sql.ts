// The queries that remove a person from campaigns.
import { query } from "../../platform/database/query.ts";

/** The place of a named contact among those of all companies. */
type NamedPlace = { companyId: string; campaignId: string; number: number };

/** The last of the next named contacts of campaigns after a place; `only` limits them to one company. */
export const findNamedStep = query<
  {
    company_id: string;
    campaign_id: string;
    number: number;
    count: number;
  },
  NamedPlace & { limit: number; only: string | null }
>(
  "campaigns.findNamedStep",
  `SELECT company_id, campaign_id, number, count(*) OVER () AS count
   FROM (SELECT company_id, campaign_id, number FROM campaign_contacts
         WHERE (company_id, campaign_id, number) > ($companyId, $campaignId, $number::int) AND company_id <= coalesce($only::text, 'g')
         ORDER BY company_id, campaign_id, number LIMIT $limit) step
   ORDER BY company_id DESC, campaign_id DESC, number DESC LIMIT 1`,
);

/** Removes a phone from the named contacts of campaigns after a place up to the `last` one. */
export const deleteNamed = query<
  { company_id: string; campaign_id: string },
  NamedPlace & { lastCompanyId: string; lastCampaignId: string; lastNumber: number; phone: string }
>(
  "campaigns.deleteNamed",
  `DELETE FROM campaign_contacts
   WHERE (company_id, campaign_id, number) > ($companyId, $campaignId, $number::int)
     AND (company_id, campaign_id, number) <= ($lastCompanyId, $lastCampaignId, $lastNumber::int)
     AND phone = $phone
   RETURNING company_id, campaign_id`,
);

type Campaigns = { campaigns: readonly { companyId: string; id: string }[] };

/** Empties the texts and names of those of these campaigns that named one person alone and now name nobody. */
export const emptyNamedTexts = query<{ company_id: string; campaign_id: string }, Campaigns>(
  "campaigns.emptyNamedTexts",
  `UPDATE campaigns campaign SET body = '', name = NULL, callback_data = NULL
   FROM $campaigns(company_id text, id text) AS wanted (company_id, id)
   WHERE campaign.company_id = wanted.company_id AND campaign.id = wanted.id AND contact_count <= 1 AND group_count = 0
     AND NOT EXISTS (SELECT FROM campaign_contacts named WHERE named.company_id = wanted.company_id AND named.campaign_id = wanted.id)
   RETURNING campaign.company_id, campaign.id AS campaign_id`,
);

/**
 * Empties the texts and names of the campaigns that went to one person alone, by their sends. The send of a scheduled
 * campaign has its own id.
 */
export const emptyTexts = query<
  { company_id: string; campaign_id: string },
  { sends: readonly { accountId: string; sendId: string }[] }
>(
  "campaigns.emptyTexts",
  `UPDATE campaigns campaign SET body = '', name = NULL, callback_data = NULL
   FROM (
     SELECT sent.company_id, coalesce(run.campaign_id, sent.id) AS id FROM $sends(account_id text, send_id text) AS sent (company_id, id)
     LEFT JOIN campaign_runs run ON run.company_id = sent.company_id AND run.send_id = sent.id
   ) wanted
   WHERE campaign.company_id = wanted.company_id AND campaign.id = wanted.id
     AND contact_count <= 1 AND group_count = 0 AND next_at IS NULL AND type <> 'RECURRING'
   RETURNING campaign.company_id, campaign.id AS campaign_id`,
);

/** Deletes up to $2 named contacts of an account's campaigns. */
export const deleteSomeNamed = query<{ number: number }>(
  "campaigns.deleteSomeNamed",
  `DELETE FROM campaign_contacts WHERE company_id = $1 AND (campaign_id, number) IN (
     SELECT campaign_id, number FROM campaign_contacts WHERE company_id = $1 ORDER BY campaign_id, number LIMIT $2) RETURNING number`,
);

/** Empties the next $3 campaigns of an account after $2, and cancels those that are pending; returns the last one. */
export const emptyNext = query<{ id: string }>(
  "campaigns.emptyNext",
  `WITH step AS MATERIALIZED (SELECT id FROM campaigns WHERE company_id = $1 AND id > $2 ORDER BY id LIMIT $3),
   emptied AS (
     UPDATE campaigns SET body = '', name = NULL, callback_data = NULL, next_at = NULL, paused_at = NULL,
       canceled_at = CASE WHEN next_at IS NOT NULL OR paused_at IS NOT NULL THEN now() ELSE canceled_at END
     WHERE company_id = $1 AND id = ANY(ARRAY(SELECT id FROM step))
   )
   SELECT id FROM step ORDER BY id DESC LIMIT 1`,
);

/** The sends of these campaigns: under their own ids, and those of their runs. */
export const listSendsOf = query<{ id: string | null }, Campaigns>(
  "campaigns.listSendsOf",
  `SELECT $campaigns(id text) AS id
   UNION ALL
   SELECT run.send_id FROM $campaigns(company_id text, id text) AS wanted (company_id, id)
   JOIN campaign_runs run ON run.company_id = wanted.company_id AND run.campaign_id = wanted.id AND run.send_id IS NOT NULL`,
);

/** Sends with `callbackData` of the next campaigns of an account after an id. */
export const listToldNext = query<
  { id: string },
  { accountId: string; after: string; campaignCount: number; limit: number }
>(
  "campaigns.listToldNext",
  `SELECT send.id
   FROM (SELECT id FROM campaigns WHERE company_id = $accountId AND id > $after ORDER BY id LIMIT $campaignCount) step
   CROSS JOIN LATERAL (
     SELECT step.id UNION ALL SELECT send_id FROM campaign_runs WHERE company_id = $accountId AND campaign_id = step.id
   ) AS sent (id)
   JOIN sends send ON send.id = sent.id
   WHERE send.about->'callbackData' IS NOT NULL LIMIT $limit`,
);
