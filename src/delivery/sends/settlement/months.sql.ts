// The queries of the months of the record. They call functions of migrations 0029 and 0050.
import { query } from "../../../platform/database/query.ts";

/** A month that has a partition, by its first day. The oldest partition also contains all months before it. */
export type RecordMonth = { month: string; has_receipts_index: boolean };

export const listMonths = query<RecordMonth>(
  "sends.listMonths",
  `SELECT replace(substr(part.relname, length('messages_') + 1), '_', '-') || '-01' AS month,
          EXISTS (SELECT FROM pg_class WHERE relname = receipts_index_of(part.relname) AND relnamespace = part.relnamespace) AS has_receipts_index
   FROM pg_inherits JOIN pg_class part ON part.oid = inhrelid
   WHERE inhparent = 'messages'::regclass AND part.relname <> 'messages_unforeseen' ORDER BY month`,
);

/** Limits the statements of a transaction to $1 ms. */
export const limitStatements = query(
  "sends.limitStatements",
  "SELECT FROM set_config('statement_timeout', $1, true)",
);

export const makeMonth = query("sends.makeMonth", "SELECT FROM make_record_month($1)");

export const dropReceiptsIndex = query("sends.dropReceiptsIndex", "SELECT FROM drop_receipts_index($1)");

/** Limits receipts to sends with ids from $1 on. The limit never decreases. */
export const raiseReceiptsReach = query(
  "sends.raiseReceiptsReach",
  "UPDATE receipts_reach SET from_id = $1 WHERE from_id < $1",
);

/** Deletes up to $2 messages of sends with ids before $1 that were recorded when their month had no partition. */
export const deleteUnforeseen = query<{ count: number }>(
  "sends.deleteUnforeseen",
  "SELECT delete_unforeseen($1, $2) AS count",
);

/** Drops the partition of a month. */
export const dropMonth = query("sends.dropMonth", "SELECT FROM drop_record_month($1)");

export type RecordKey = { account_id: string; send_id: string; number: number };

/** Finds the last message of a month that was processed before the month is dropped. No row: none was. */
export const findDrop = query<RecordKey>(
  "sends.findDrop",
  "SELECT account_id, send_id, number FROM record_drops WHERE month = $1::date",
);

type Key = { accountId: string; sendId: string; number: number };

export const upsertDrop = query<never, Key & { month: string }>(
  "sends.upsertDrop",
  `INSERT INTO record_drops (month, account_id, send_id, number) VALUES ($month::date, $accountId, $sendId, $number)
   ON CONFLICT (month) DO UPDATE SET account_id = excluded.account_id, send_id = excluded.send_id, number = excluded.number`,
);

/** The recorded outcome of a message. */
export type RecordedOutcome = RecordKey & { status: string; is_sent: boolean; price: number };

/** Lists messages after a key, of sends with ids before one. */
export const listOutcomes = query<RecordedOutcome, Key & { before: string; limit: number }>(
  "sends.listOutcomes",
  `SELECT account_id, send_id, number, status, sent_at IS NOT NULL AS is_sent, price FROM messages
   WHERE send_id < $before AND (account_id, send_id, number) > ($accountId, $sendId, $number)
   ORDER BY account_id, send_id, number LIMIT $limit`,
);

/** A send to one phone, with the outcome of its message. */
type Single = { id: string; status: string; isSent: boolean; price: number; accountId: string };

/** Creates the missing rows of these sends. */
export const keepSingles = query<never, { singles: readonly Single[] }>(
  "sends.keepSingles",
  `INSERT INTO sends (id, account_id, total, sent, failed, delivered, undelivered, refunded)
   SELECT id, account_id, 1, is_sent::int, (NOT is_sent)::int, (status = 'DELIVERED')::int,
          (is_sent AND status NOT IN ('SENT', 'DELIVERED'))::int, CASE WHEN is_sent THEN 0 ELSE price END
   FROM $singles(id text, status text, is_sent boolean, price int, account_id text) AS single (id, status, is_sent, price, account_id)
   ON CONFLICT (id) DO NOTHING`,
);
