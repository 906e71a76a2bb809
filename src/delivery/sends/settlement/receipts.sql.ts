// The queries of receipts: the messages that they may belong to, and the changes that they make.
import { query } from "../../../platform/database/query.ts";

/** Reads the lowest id of the sends that receipts may belong to. */
export const findReceiptsReach = query<{ from_id: string }>(
  "sends.findReceiptsReach",
  "SELECT from_id FROM receipts_reach",
);

/** A recorded message to which an operator gave an id. */
export type AnsweredMessage = {
  operator_message_id: string;
  operator_id: string | null;
  account_id: string;
  send_id: string;
  number: number;
  phone: string;
  status: string;
  segments: number;
  sent_at: Date | null;
};

/** The ids that operators gave, and the lowest id of the sends that are searched. */
export type AnsweredWith = { operatorIds: readonly string[]; ids: readonly string[]; fromId: string };

/**
 * Lists the messages to which operators gave these ids, of sends with ids from one on. An id may have several. There is
 * no upper bound, although it would exclude the months to come: the planner estimates a range with two unknown ends as
 * so small that it reads a whole month of a small record.
 */
export const listAnswered = query<AnsweredMessage, AnsweredWith>(
  "sends.listAnswered",
  `SELECT operator_message_id, operator_id, account_id, send_id, number, phone, status, segments, sent_at FROM messages
   WHERE operator_message_id = ANY($ids::text[]) AND operator_id = ANY($operatorIds::text[]) AND send_id >= $fromId`,
);

export type DeliveredSend = {
  account_id: string;
  send_id: string;
  /** The send if it goes to several phones. */
  large_send: string | null;
  operator_id: string | null;
  status: string;
  error: string | null;
  /** When its messages were sent, in quarters of an hour since 1970. */
  quarter: number;
  delivered: number;
  undelivered: number;
  /** The numbers of all these messages; null if the send has no webhook subscription. */
  subscribed: number[] | null;
};

/** Each index of these arrays is the receipt of one message, which was delivered `agesMs` before it arrived. */
export type Received = {
  accountIds: readonly string[];
  sendIds: readonly string[];
  numbers: readonly number[];
  statuses: readonly string[];
  errors: readonly (string | null)[];
  agesMs: readonly number[];
  fromId: string;
};

/**
 * Applies final receipts to messages of one status, of sends with ids from one on: to those that have none yet, or to
 * delivered ones of which another part failed. Returns the counts of each send whose messages changed, by the
 * dimensions of the statistics, with their numbers if it has a webhook subscription. A receipt's age gives the
 * time of delivery. The operator's clock may be wrong by 5 minutes: a time up to so much before the sending becomes the
 * time of the sending. An earlier time is meaningless, and the receipt's arrival counts. The times are calculated
 * separately, since Citus accepts no time arithmetic in CASE and RETURNING.
 */
function updateStatus(name: string, from: "SENT" | "DELIVERED") {
  return query<DeliveredSend, Received>(
    name,
    `WITH said AS MATERIALIZED (
     SELECT *, now() AS received_at, now() - age AS delivered_at, now() - age + interval '5 minutes' AS tolerated_at
     FROM (
       SELECT account_id, send_id, number, status, error, age_ms * interval '1 millisecond' AS age
       FROM unnest($accountIds::text[], $sendIds::text[], $numbers::int[], $statuses::text[], $errors::text[],
                   $agesMs::bigint[])
         AS said (account_id, send_id, number, status, error, age_ms)
     ) said
   ),
   changed AS (
     UPDATE messages message
     SET status = said.status, error = said.error,
         delivered_at = CASE WHEN said.status <> 'DELIVERED' THEN NULL
                             WHEN said.tolerated_at < message.sent_at THEN said.received_at
                             ELSE greatest(said.delivered_at, message.sent_at) END
     FROM said
     WHERE message.account_id = said.account_id AND message.send_id = said.send_id AND message.number = said.number
       AND message.status = '${from}' AND message.send_id >= $fromId
     RETURNING message.account_id, message.send_id, message.number, message.status, message.error, message.operator_id,
               message.sent_at
   )
   SELECT counted.account_id, counted.send_id, CASE WHEN send.total > 1 THEN send.id END AS large_send, counted.operator_id, counted.status, counted.error, counted.quarter, counted.delivered, counted.undelivered,
          CASE WHEN send.about IS NOT NULL THEN numbers END AS subscribed
   FROM (
     SELECT account_id, send_id, operator_id, status, error, floor(extract(epoch FROM sent_at) / 900)::int AS quarter, count(*) FILTER (WHERE status = 'DELIVERED') AS delivered,
            count(*) FILTER (WHERE status <> 'DELIVERED') AS undelivered, array_agg(number) AS numbers
     FROM changed GROUP BY account_id, send_id, operator_id, status, error, quarter
   ) counted LEFT JOIN sends send ON send.id = counted.send_id`,
  );
}

export const updateReceived = updateStatus("sends.updateReceived", "SENT");
export const updateFallen = updateStatus("sends.updateFallen", "DELIVERED");
