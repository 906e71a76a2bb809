// The queries of a trace. An administrator runs them rarely, one after the other.
import { query } from "../../platform/database/query.ts";

export type RequestRow = {
  id: string;
  company_id: string;
  door: string;
  outcome: string;
  code: string | null;
  fields: string[];
  caller: string;
  address: string;
  ms: number;
  bytes: number;
  last_at: Date;
  request_id: string | null;
};

const REQUEST =
  "id, company_id, door, outcome, code, fields, caller, address, ms, bytes, last_at, request_id";

/**
 * Lists the newest $2 requests with this id in their responses. Callers may give one id to several requests, and
 * different callers may use the same one.
 */
export const listNamed = query<RequestRow>(
  "trace.listNamed",
  `SELECT ${REQUEST} FROM requests WHERE request_id = $1 ORDER BY id DESC LIMIT $2`,
);

/** Returns a request by our id, found by the id's time. */
export const findRequest = query<RequestRow>(
  "trace.findRequest",
  `SELECT ${REQUEST} FROM requests WHERE left(id, 12) = left($1, 12) AND id = $1 AND request_id IS NOT NULL LIMIT 1`,
);

export type AuditEntryRow = {
  id: string;
  company_id: string | null;
  actor_kind: string;
  actor_name: string | null;
  address: string;
  action: string;
  thing: string;
  thing_id: string | null;
};

/**
 * Lists what requests ($1) changed, of a company ($2) or, if null, of all; up to $3 of the newest audit entries.
 * Without OFFSET the planner may read the log from its end.
 */
export const listAuditEntries = query<AuditEntryRow>(
  "trace.listAuditEntries",
  `SELECT * FROM (
     SELECT id, company_id, actor_kind, actor_name, address, action, thing, thing_id FROM audit_log
     WHERE request_id = ANY($1::text[]) AND ($2::text IS NULL OR company_id = $2) OFFSET 0
   ) entry ORDER BY id DESC LIMIT $3`,
);

export type SendRow = {
  account_id: string;
  company_name: string;
  campaign_id: string | null;
  type: string | null;
  sender_name: string | null;
  next_at: Date | null;
};

/**
 * Returns the account and campaign for an id: of a campaign, of its send or of one of its runs. It looks into each
 * company's campaigns, since their keys begin with the company.
 */
export const findCampaign = query<SendRow>(
  "trace.findCampaign",
  `SELECT company.id AS account_id, company.name AS company_name, campaign.id AS campaign_id, campaign.type,
          campaign.sender_name, campaign.next_at
   FROM companies company CROSS JOIN LATERAL (
     SELECT * FROM campaigns WHERE company_id = company.id AND id = $1
     UNION ALL
     SELECT * FROM campaigns WHERE company_id = company.id AND send_id = $1
     UNION ALL
     SELECT * FROM campaigns WHERE company_id = company.id AND id = (
       SELECT campaign_id FROM campaign_runs run WHERE run.company_id = company.id AND run.send_id = $1 LIMIT 1)
     LIMIT 1
   ) campaign
   LIMIT 1`,
);

/** Returns the account of a send with counters. */
export const findAccount = query<{ account_id: string | null }>(
  "trace.findAccount",
  "SELECT account_id FROM sends WHERE id = $1",
);

/** Returns the account of a message that has its own row in the queue. */
export const findQueued = query<{ account_id: string }>(
  "trace.findQueued",
  "SELECT account_id FROM message_queue WHERE send_id = $1 AND number = $2 LIMIT 1",
);

/** Lists up to $2 accounts after $1: every sender has a pool, and an operator has the record of its tests. */
export const listAccounts = query<{ id: string }>(
  "trace.listAccounts",
  `SELECT id FROM (SELECT id FROM pools UNION SELECT id FROM operators) account WHERE id > $1 ORDER BY id LIMIT $2`,
);

/** Returns which accounts ($1) recorded a message, by its send ($2) and number ($3), both repeated for each account. */
export const findRecorded = query<{ account_id: string }>(
  "trace.findRecorded",
  "SELECT account_id FROM recorded_messages($1, $2, $3)",
);

/** Lists the newest $3 sends of a campaign. */
export const listSends = query<{ send_id: string; total: number | null }>(
  "trace.listSends",
  `SELECT send.id AS send_id, sends.total FROM (
     SELECT send_id AS id FROM campaign_runs WHERE company_id = $1 AND campaign_id = $2 AND send_id IS NOT NULL
     UNION SELECT coalesce(send_id, id) FROM campaigns WHERE company_id = $1 AND id = $2 AND type <> 'RECURRING'
   ) send LEFT JOIN sends ON sends.id = send.id ORDER BY 1 DESC LIMIT $3`,
);

export type PartRow = { number: number; part: number; operator_message_id: string };

/** Lists the operator's ids of the parts of a send's ($1) long messages, with numbers up to $2. */
export const listParts = query<PartRow>(
  "trace.listParts",
  `SELECT number, part, operator_message_id FROM message_parts WHERE send_id = $1 AND number <= $2 ORDER BY number, part`,
);

export type EventRow = {
  id: string;
  endpoint_id: string;
  type: string;
  status: string;
  attempts: number;
  last_status_code: number | null;
  last_error: string | null;
  created_at: Date;
  delivered_at: Date | null;
  message_id: string | null;
};

/**
 * Lists events of an account's endpoints and of applications caused by requests, emitted since an id, up to `atMost` of
 * the `searched` ones of each endpoint; of one message, or all if null.
 */
export const listEvents = query<
  EventRow,
  {
    accountId: string;
    requests: readonly string[];
    since: string;
    atMost: number;
    searched: number;
    messageId: string | null;
  }
>(
  "trace.listEvents",
  `SELECT id, endpoint_id, type, status, attempts, last_status_code, last_error, created_at, delivered_at,
          data->>'messageId' AS message_id
   FROM (
     SELECT delivery.* FROM (
       SELECT id FROM webhook_endpoints WHERE company_id = $accountId UNION SELECT endpoint_id FROM sends WHERE id = ANY($requests::text[])
     ) endpoint CROSS JOIN LATERAL (
       SELECT * FROM webhook_deliveries WHERE endpoint_id = endpoint.id AND id >= $since ORDER BY id LIMIT $searched
     ) delivery
   ) looked
   WHERE request_id = ANY($requests::text[]) AND ($messageId::text IS NULL OR coalesce(data->>'messageId', $messageId) = $messageId) ORDER BY id LIMIT $atMost`,
);
