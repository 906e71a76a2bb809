// The queries of the search for messages by phone.
import type { Message } from "../../delivery/sends/record/shapes.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";

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

/** Sends with ids from one to before another. */
type InRange = { fromId: string; beforeId: string };

/** Counts the messages of an account in a range, no further than a limit. */
export const countOfAccount = query<Counted, InRange & { accountId: string; limit: number }>(
  "messages.countOfAccount",
  `SELECT count(*) AS count FROM (
     SELECT FROM messages WHERE account_id = $accountId AND send_id >= $fromId AND send_id < $beforeId LIMIT $limit) AS few`,
);

const NEWEST = "ORDER BY send_id DESC, number DESC LIMIT";

/** Lists the newest of these messages to a phone. It reads all of them, so they must be few. */
export const listOfAccount = query<FoundRow, InRange & { accountId: string; phone: string; limit: number }>(
  "messages.listOfAccount",
  `SELECT ${COLUMNS} FROM (
     SELECT * FROM messages WHERE account_id = $accountId AND send_id >= $fromId AND send_id < $beforeId OFFSET 0) AS few
   WHERE phone = $phone ${NEWEST} $limit`,
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
 * Lists the newest messages to a phone in a range, of an account (null: of all). It searches the summary of the phones
 * of each month: see migration 0009. It requires `planByValues`.
 */
export const listToPhone = query<
  FoundRow,
  InRange & { phone: string; limit: number; accountId: string | null }
>(
  "messages.listToPhone",
  `WITH theirs AS MATERIALIZED (
     SELECT ${COLUMNS} FROM messages WHERE phone = $phone AND send_id >= $fromId AND send_id < $beforeId
   )
   SELECT ${COLUMNS} FROM theirs WHERE $accountId::text IS NULL OR account_id = $accountId ${NEWEST} $limit`,
);

export type CampaignOfSend = {
  send_id: string;
  id: string;
  name: string | null;
  body: string;
  sender_name: string;
  connection_id: string | null;
};

/** The campaigns of sends, including those that ran later. Other sends have none. */
export const listCampaignsOf = query<
  CampaignOfSend,
  { sends: readonly { accountId: string; sendId: string }[] }
>(
  "messages.listCampaignsOf",
  `SELECT wanted.send_id, campaign.id, campaign.name, campaign.body, campaign.sender_name, campaign.connection_id
   FROM $sends(account_id text, send_id text) AS wanted (account_id, send_id)
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
