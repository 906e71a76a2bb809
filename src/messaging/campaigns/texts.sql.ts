// The queries that empty old texts of campaigns.
import { query } from "../../platform/database/query.ts";

/** The next $2 accounts after $1 that have campaigns, found by one index descent each. */
export const listAccounts = query<{ company_id: string }>(
  "campaigns.listAccounts",
  `WITH RECURSIVE account AS (
     (SELECT company_id FROM campaign_counts WHERE company_id > $1 ORDER BY company_id LIMIT 1)
     UNION ALL
     SELECT next.company_id FROM account CROSS JOIN LATERAL (
       SELECT company_id FROM campaign_counts WHERE company_id > account.company_id ORDER BY company_id LIMIT 1) next
   )
   SELECT company_id FROM account LIMIT $2`,
);

/** The accounts among these ($1) with campaigns before the id $2 and after their marks. */
export const listWithOldTexts = query<{ company_id: string }>(
  "campaigns.listWithOldTexts",
  `SELECT account.id AS company_id
   FROM unnest($1::text[]) AS account (id) LEFT JOIN text_marks mark ON mark.company_id = account.id
   CROSS JOIN LATERAL (
     SELECT FROM campaigns WHERE company_id = account.id AND campaigns.id > coalesce(mark.until_id, '') AND campaigns.id < $2
     ORDER BY company_id, campaigns.id LIMIT 1) old`,
);

/** The mark of an account: the id up to which its texts are emptied. No row: there is none yet. */
export const lockMark = query<{ until_id: string }>(
  "campaigns.lockMark",
  "SELECT until_id FROM text_marks WHERE company_id = $1 FOR UPDATE",
);

/** The last of the next campaigns of an account between two ids, exclusive. No row: there are none. */
export const findTextStep = query<
  { id: string },
  { companyId: string; after: string; before: string; limit: number }
>(
  "campaigns.findTextStep",
  `SELECT id FROM (SELECT id FROM campaigns WHERE company_id = $companyId AND id > $after AND id < $before ORDER BY id LIMIT $limit) step
   ORDER BY id DESC LIMIT 1`,
);

/** The campaigns of an account with ids after the first one up to the second. */
type TextStep = { companyId: string; after: string; until: string };

/** Empties the texts of campaigns of type SMS. */
export const emptySent = query<{ id: string }, TextStep>(
  "campaigns.emptySent",
  `UPDATE campaigns SET body = '', callback_data = NULL
   WHERE company_id = $companyId AND id > $after AND id <= $until AND type = 'SMS' AND body <> '' RETURNING id`,
);

/** Records the other campaigns, whose texts may still be needed. */
export const insertLasting = query<never, TextStep>(
  "campaigns.insertLasting",
  `INSERT INTO lasting_texts (company_id, campaign_id)
   SELECT company_id, id FROM campaigns WHERE company_id = $companyId AND id > $after AND id <= $until AND type <> 'SMS' AND body <> ''
   ON CONFLICT DO NOTHING`,
);

/** Deletes some of the named contacts of campaigns of type SMS. */
export const deleteNamedOfSent = query<{ number: number }, TextStep & { limit: number }>(
  "campaigns.deleteNamedOfSent",
  `DELETE FROM campaign_contacts WHERE ctid = ANY(ARRAY(
     SELECT named.ctid FROM campaign_contacts named
     JOIN campaigns campaign ON campaign.company_id = named.company_id AND campaign.id = named.campaign_id
     WHERE named.company_id = $companyId AND named.campaign_id > $after AND named.campaign_id <= $until AND campaign.type = 'SMS' LIMIT $limit))
   RETURNING number`,
);

export const upsertMark = query(
  "campaigns.upsertMark",
  `INSERT INTO text_marks (company_id, until_id) VALUES ($1, $2)
   ON CONFLICT (company_id) DO UPDATE SET until_id = greatest(text_marks.until_id, excluded.until_id)`,
);

/** The next campaigns after a place with lasting texts. `isOver`: no further runs, and the last was before a time. */
export const listLasting = query<
  { company_id: string; campaign_id: string; isOver: boolean },
  { companyId: string; campaignId: string; before: Date; limit: number }
>(
  "campaigns.listLasting",
  `SELECT lasting.company_id, lasting.campaign_id, coalesce(campaign.next_at IS NULL AND campaign.paused_at IS NULL
     AND greatest(campaign.created_at, campaign.scheduled_date, campaign.canceled_at, run.created_at) < $before, true) AS "isOver"
   FROM (SELECT company_id, campaign_id FROM lasting_texts WHERE (company_id, campaign_id) > ($companyId, $campaignId)
         ORDER BY company_id, campaign_id LIMIT $limit) lasting
   LEFT JOIN campaigns campaign ON campaign.company_id = lasting.company_id AND campaign.id = lasting.campaign_id
   LEFT JOIN LATERAL (
     SELECT created_at FROM campaign_runs WHERE company_id = lasting.company_id AND campaign_id = lasting.campaign_id
     ORDER BY occurrence DESC LIMIT 1) run ON true
   ORDER BY lasting.company_id, lasting.campaign_id`,
);

/** Deletes up to $3 named contacts of a campaign. */
export const deleteNamedOf = query<{ number: number }>(
  "campaigns.deleteNamedOf",
  `DELETE FROM campaign_contacts WHERE company_id = $1 AND campaign_id = $2 AND number = ANY(ARRAY(
     SELECT number FROM campaign_contacts WHERE company_id = $1 AND campaign_id = $2 LIMIT $3)) RETURNING number`,
);

/** Empties the text of a campaign that has no further runs. */
export const emptyLasting = query(
  "campaigns.emptyLasting",
  `WITH gone AS (DELETE FROM lasting_texts WHERE company_id = $1 AND campaign_id = $2)
   UPDATE campaigns SET body = '', callback_data = NULL WHERE company_id = $1 AND id = $2`,
);
