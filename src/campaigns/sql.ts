// The queries of campaigns.
import { query } from "../kernel/database.ts";

export type CampaignType = "SMS" | "SCHEDULED" | "RECURRING";

export type CampaignRow = {
  id: string;
  user_id: string;
  name: string | null;
  body: string;
  type: CampaignType;
  sender_id: string | null;
  scheduled_date: Date | null;
  contact_count: number;
  group_count: number;
  credit_used: number;
  blocked_count: number;
  created_at: Date;
  total: number;
  sent: number;
  failed: number;
  delivered: number;
  undelivered: number;
};

export const insertCampaigns = query(
  "campaigns.insertCampaigns",
  `INSERT INTO campaigns (company_id, id, user_id, name, body, type, sender_id, sender_name, contact_count, credit_used, blocked, created_at)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[],
                        $10::bigint[], $11::jsonb[], $12::timestamptz[])`,
);

/** After a commit whose answer was lost: which of these exist. */
export const countKnownCampaigns = query<{ count: number }>(
  "campaigns.countKnownCampaigns",
  `SELECT count(*) FROM holds WHERE id = ANY($1::text[])`,
);

const COLUMNS = `campaign.id, campaign.user_id, campaign.name, campaign.body, campaign.type, campaign.sender_id, campaign.scheduled_date,
   campaign.contact_count, campaign.group_count, campaign.credit_used, coalesce(jsonb_array_length(campaign.blocked), 0) AS blocked_count,
   campaign.created_at, coalesce(totals.total, campaign.contact_count) AS total, coalesce(totals.sent, 0) AS sent,
   coalesce(totals.failed, 0) AS failed, coalesce(totals.delivered, 0) AS delivered, coalesce(totals.undelivered, 0) AS undelivered`;

/** A campaign with what its hold gave back. */
export const findCampaign = query<CampaignRow & { credit_refunded: number }>(
  "campaigns.findCampaign",
  `SELECT ${COLUMNS}, coalesce(hold.released, 0) AS credit_refunded
   FROM campaigns campaign
   LEFT JOIN send_totals totals ON totals.campaign_id = campaign.id
   LEFT JOIN holds hold ON hold.id = campaign.id
   WHERE campaign.company_id = $1 AND campaign.id = $2`,
);

export const countCampaigns = query<{ count: number }>(
  "campaigns.countCampaigns",
  `SELECT count(*) FROM campaigns WHERE company_id = $1`,
);

function listCampaignsBy(direction: "ASC" | "DESC") {
  return query<CampaignRow>(
    `campaigns.listCampaigns.${direction}`,
    `SELECT ${COLUMNS} FROM campaigns campaign
     LEFT JOIN send_totals totals ON totals.campaign_id = campaign.id
     WHERE campaign.company_id = $1
     ORDER BY campaign.id ${direction} LIMIT $2 OFFSET $3`,
  );
}

/** By time of creation, which is the order of ids. */
export const listCampaigns = { asc: listCampaignsBy("ASC"), desc: listCampaignsBy("DESC") } as const;
