// The queries of a trace. An operator of the service asks them now and then, one after the other.
import { query } from "../kernel/database.ts";

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
  request_id: string;
};

/** Requests by what their answers called them or ($2) by our ids, the newest $3. Callers may give one name twice. */
export const listRequests = query<RequestRow>(
  "trace.listRequests",
  `SELECT id, company_id, door, outcome, code, fields, caller, address, ms, bytes, last_at, request_id FROM (
     SELECT * FROM requests WHERE request_id = $1
     UNION SELECT * FROM requests WHERE id = ANY($2::text[]) AND request_id IS NOT NULL
   ) found ORDER BY id DESC LIMIT $3`,
);

export type AuditEntryRow = {
  id: string;
  actor_kind: string;
  actor_name: string | null;
  address: string;
  action: string;
  thing: string;
  thing_id: string | null;
};

/** What requests ($1) changed, up to $2 entries of the audit log. */
export const listAuditEntries = query<AuditEntryRow>(
  "trace.listAuditEntries",
  `SELECT id, actor_kind, actor_name, address, action, thing, thing_id FROM audit_log
   WHERE request_id = ANY($1::text[]) ORDER BY id LIMIT $2`,
);

export type SendRow = {
  account_id: string;
  company_name: string | null;
  campaign_id: string | null;
  type: string | null;
  sender_name: string | null;
};

/**
 * The account that sends belong to, and the campaign, by an id that is of a campaign, of its send or of one of its runs. A
 * look into each company's campaigns, since their keys begin with the company: 10,000 take 60 ms.
 */
export const findCampaign = query<SendRow>(
  "trace.findCampaign",
  `SELECT company.id AS account_id, company.name AS company_name, campaign.id AS campaign_id, campaign.type,
          campaign.sender_name
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

/** The account of a send that is counted. */
export const findAccount = query<{ account_id: string | null; total: number }>(
  "trace.findAccount",
  "SELECT account_id, total FROM sends WHERE id = $1",
);

/** The account of a message that has a row of its own in the queue. */
export const findQueued = query<{ account_id: string }>(
  "trace.findQueued",
  "SELECT account_id FROM message_queue WHERE send_id = $1 AND number = $2 LIMIT 1",
);

/** Up to $2 accounts after $1: whoever sends has a pool, and an operator that was tried the record of the trial. */
export const listAccounts = query<{ id: string }>(
  "trace.listAccounts",
  `SELECT id FROM (SELECT id FROM pools UNION SELECT id FROM operators) account WHERE id > $1 ORDER BY id LIMIT $2`,
);

/** Which of these accounts has recorded the first message of a send, or the one with a number ($3). */
export const findRecorded = query<{ account_id: string }>(
  "trace.findRecorded",
  `SELECT account_id FROM recorded_messages($1::text[], (SELECT array_agg($2::text) FROM unnest($1::text[])),
                                            (SELECT array_agg($3::int) FROM unnest($1::text[])))`,
);

/** The sends of a campaign, the newest $3. */
export const listSends = query<{ send_id: string; total: number | null }>(
  "trace.listSends",
  `SELECT send.id AS send_id, sends.total FROM (
     SELECT send_id AS id FROM campaign_runs WHERE company_id = $1 AND campaign_id = $2 AND send_id IS NOT NULL
     UNION SELECT coalesce(send_id, id) FROM campaigns WHERE company_id = $1 AND id = $2 AND type <> 'RECURRING'
   ) send LEFT JOIN sends ON sends.id = send.id ORDER BY 1 DESC LIMIT $3`,
);

export type PartRow = { number: number; part: number; operator_message_id: string };

/** The ids that the operator gave to parts of long messages of a send ($1), with numbers up to $2. */
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
};

/** Events of an account's endpoints and of applications ($1) that requests ($2) led to, emitted since $3, $4 at most. */
export const listEvents = query<EventRow>(
  "trace.listEvents",
  `SELECT id, endpoint_id, type, status, attempts, last_status_code, last_error, created_at, delivered_at FROM (
     SELECT delivery.* FROM (
       SELECT id FROM webhook_endpoints WHERE company_id = $1 UNION SELECT endpoint_id FROM sends WHERE id = ANY($2::text[])
     ) endpoint CROSS JOIN LATERAL (
       SELECT * FROM webhook_deliveries WHERE endpoint_id = endpoint.id AND id >= $3 ORDER BY id LIMIT $5
     ) delivery
   ) looked WHERE request_id = ANY($2::text[]) ORDER BY id LIMIT $4`,
);
