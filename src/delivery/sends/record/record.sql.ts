// The queries of the record, and of the messages that are not final.
import { inBothOrders, query } from "../../../platform/database/query.ts";
import type { Message } from "./shapes.ts";

export type MessageRow = {
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

/** The messages of one send by the numbers of its recipients. */
type Range = { accountId: string; sendId: string; first: number; last: number };

const MESSAGES = `SELECT number, phone, status, segments, price, operator_id, error, sent_at, delivered_at FROM messages
   WHERE account_id = $accountId AND send_id = $sendId AND number BETWEEN $first AND $last`;
const QUEUED = `SELECT queued.number, queued.phone,
          CASE WHEN queued.unknown_since IS NOT NULL THEN 'UNKNOWN'
               WHEN batch.session_id IS NOT NULL AND queued.position <= batch.intent THEN 'SENDING' ELSE 'QUEUED' END AS status,
          queued.segments, queued.price, NULL, NULL, NULL::timestamptz, NULL::timestamptz
   FROM message_queue queued JOIN batches batch ON batch.id = queued.batch_id
   WHERE queued.account_id = $accountId AND queued.send_id = $sendId AND queued.number BETWEEN $first AND $last`;

/**
 * Lists the messages of one send by the numbers of its recipients, recorded or with rows of their own in the queue.
 * Numbers run from 1 without gaps, so a page is a range of the key and the last page costs as much as the first.
 */
export const listMessages = query<MessageRow, Range>(
  "sends.listMessages",
  `${MESSAGES}
   UNION ALL
   ${QUEUED}
   ORDER BY number`,
);

/** Finds the operator's id of a message. No row: the message is not recorded yet. */
export const findOperatorMessageId = query<{ operator_message_id: string | null }>(
  "sends.findOperatorMessageId",
  "SELECT operator_message_id FROM messages WHERE account_id = $1 AND send_id = $2 AND number = $3",
);

type OfStatus = Range & { status: Message["status"]; limit: number };

/** Lists the first of these messages with a status. */
export const listOfStatus = inBothOrders<MessageRow, OfStatus>("sends.listOfStatus", (direction) => {
  const first = `ORDER BY number ${direction} LIMIT $limit`;
  return `(${MESSAGES} AND status = $status ${first})
   UNION ALL
   (SELECT * FROM (${QUEUED}) waiting WHERE status = $status ${first})
   ${first}`;
});

/** Finds the first number of a send from $3 on, in a direction, that is packed in a batch or has a row in the queue. */
export const findWaiting = {
  asc: query<{ number: number | null }>(
    "sends.findWaiting.ASC",
    `SELECT CASE WHEN next.number < $3 THEN $3::int ELSE next.number END AS number FROM (SELECT least(
       (SELECT first_number FROM batches WHERE send_id = $2 AND messages IS NOT NULL AND last_number >= $3 ORDER BY first_number LIMIT 1),
       (SELECT number FROM message_queue WHERE account_id = $1 AND send_id = $2 AND number >= $3 ORDER BY number LIMIT 1)
     ) AS number) next`,
  ),
  desc: query<{ number: number | null }>(
    "sends.findWaiting.DESC",
    `SELECT CASE WHEN next.number > $3 THEN $3::int ELSE next.number END AS number FROM (SELECT greatest(
       (SELECT last_number FROM batches WHERE send_id = $2 AND messages IS NOT NULL AND first_number <= $3 ORDER BY first_number DESC LIMIT 1),
       (SELECT number FROM message_queue WHERE account_id = $1 AND send_id = $2 AND number <= $3 ORDER BY number DESC LIMIT 1)
     ) AS number) next`,
  ),
} as const;

/** Sums the held credits of messages in batches and of sends not wholly queued. Counts the messages without a batch. */
export const sumInFlight = query<{ price: number; orphans: number }>(
  "sends.sumInFlight",
  `SELECT (coalesce(sum(price) FILTER (WHERE batch.id IS NOT NULL), 0)
           + (SELECT coalesce(sum(held), 0) FROM batches)
           + (SELECT coalesce(sum(remaining), 0) FROM unqueued_sends))::bigint AS price,
          count(*) FILTER (WHERE batch.id IS NULL) AS orphans
   FROM message_queue queued LEFT JOIN batches batch ON batch.id = queued.batch_id`,
);

/** Stores the refunds of sends, by their holds, in their rows, before the holds are deleted. */
export const keepRefunds = query<never, { holds: readonly { id: string; released: number }[] }>(
  "sends.keepRefunds",
  `UPDATE sends send SET refunded = hold.released
   FROM $holds(id text, released bigint) AS hold (id, released) WHERE send.id = hold.id AND send.refunded IS NULL`,
);
