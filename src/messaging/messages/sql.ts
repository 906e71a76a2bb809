// The queries of the search for messages by phone.
import type { Message } from "../../delivery/sends/record/shapes.ts";
import { query } from "../../platform/database/query.ts";

export type FoundRow = {
  account_id: string;
  send_id: string;
  number: number;
  phone: string;
  status: Message["status"];
  segments: number;
  price: number;
  operator_id: string | null;
  error: string | null;
  sent_at: Date | null;
  delivered_at: Date | null;
};

export const COLUMNS =
  "account_id, send_id, number, phone, status, segments, price, operator_id, error, sent_at, delivered_at";

/** Counts the messages of an account ($1) in sends with ids from $2 to before $3, no further than $4. */
export const countOfAccount = query<{ count: number }>(
  "messages.countOfAccount",
  `SELECT count(*) AS count FROM (
     SELECT FROM messages WHERE account_id = $1 AND send_id >= $2 AND send_id < $3 LIMIT $4) AS few`,
);

const NEWEST = "ORDER BY send_id DESC, number DESC LIMIT";

/** Lists the newest $5 of these messages to a phone ($4). It reads all of them, so they must be few. */
export const listOfAccount = query<FoundRow>(
  "messages.listOfAccount",
  `SELECT ${COLUMNS} FROM (
     SELECT * FROM messages WHERE account_id = $1 AND send_id >= $2 AND send_id < $3 OFFSET 0) AS few
   WHERE phone = $4 ${NEWEST} $5`,
);

/**
 * Makes this transaction plan by the values. Without them the planner estimates a range with two unknown ends as so
 * small that it reads all keys of a month beside the summary of its phones.
 */
export const planByValues = query(
  "messages.planByValues",
  "SELECT FROM set_config('plan_cache_mode', 'force_custom_plan', true)",
);

/**
 * Lists the newest $4 messages to a phone ($1) in sends with ids from $2 to before $3, of an account ($5; null: of
 * all). It searches the summary of the phones of each month: see migration 0009. It requires `planByValues`.
 */
export const listToPhone = query<FoundRow>(
  "messages.listToPhone",
  `WITH theirs AS MATERIALIZED (
     SELECT ${COLUMNS} FROM messages WHERE phone = $1 AND send_id >= $2 AND send_id < $3
   )
   SELECT ${COLUMNS} FROM theirs WHERE $5::text IS NULL OR account_id = $5 ${NEWEST} $4`,
);

export type CampaignOfSend = {
  send_id: string;
  id: string;
  name: string | null;
  body: string;
  sender_name: string;
  connection_id: string | null;
};

/** The campaigns of sends ($1 accounts, $2 sends), including those that ran later. Other sends have none. */
export const listCampaignsOf = query<CampaignOfSend>(
  "messages.listCampaignsOf",
  `SELECT wanted.send_id, campaign.id, campaign.name, campaign.body, campaign.sender_name, campaign.connection_id
   FROM unnest($1::text[], $2::text[]) AS wanted (account_id, send_id)
   CROSS JOIN LATERAL (
     SELECT * FROM campaigns WHERE company_id = wanted.account_id AND id = wanted.send_id
     UNION ALL
     SELECT * FROM campaigns WHERE company_id = wanted.account_id AND campaigns.send_id = wanted.send_id
     UNION ALL
     SELECT * FROM campaigns WHERE company_id = wanted.account_id AND id = (
       SELECT campaign_id FROM campaign_runs run WHERE run.company_id = wanted.account_id AND run.send_id = wanted.send_id LIMIT 1)
     LIMIT 1
   ) campaign`,
);

export const listCompanyNames = query<{ id: string; name: string }>(
  "messages.listCompanyNames",
  "SELECT id, name FROM companies WHERE id = ANY($1::text[])",
);

export const findContactTo = query<{ id: string; name: string }>(
  "messages.findContactTo",
  "SELECT id, name FROM contacts WHERE company_id = $1 AND phone = $2",
);
