// The queries that find queued messages: of one send, or of unknown fate.
import { query } from "../../../platform/database/query.ts";
import { QUEUED_COLUMNS, type QueuedRow } from "./batches.sql.ts";

/** A packed batch. `held`: whether a session has it. */
export type PackedRow = {
  id: string;
  messages: string;
  first: number;
  size: number;
  withdrawn: number[] | null;
  intent: number;
  held: boolean;
};

const FOLDED_COLUMNS = "id, messages, first, size, withdrawn, intent, session_id IS NOT NULL AS held";

/** Lists the batches that pack messages of one send with numbers between $2 and $3. */
export const listPackedOf = query<PackedRow>(
  "sends.listPackedOf",
  `SELECT ${FOLDED_COLUMNS} FROM batches
   WHERE send_id = $1 AND first_number <= $3 AND last_number >= $2 AND messages IS NOT NULL`,
);

/** Lists shared batches with ids from $1 down to $2, the highest first. */
export const listSharedBatches = query<PackedRow>(
  "sends.listSharedBatches",
  `SELECT ${FOLDED_COLUMNS} FROM batches
   WHERE send_id IS NULL AND messages IS NOT NULL AND id <= $1 AND id >= $2 ORDER BY id DESC LIMIT 32`,
);

/**
 * Lists messages of unknown fate that a receipt could belong to, by the last seven digits of the phone. If no operator
 * is known, since the database may have forgotten it, any may have the message.
 */
export const listUnknownByPhone = query<QueuedRow>(
  "sends.listUnknownByPhone",
  `SELECT ${QUEUED_COLUMNS}
   FROM message_queue queued JOIN batches batch ON batch.id = queued.batch_id
   WHERE queued.unknown_since IS NOT NULL AND right(queued.phone, 7) = ANY($2::text[])
     AND (batch.operator_id = ANY($1::text[]) OR batch.operator_id IS NULL) AND batch.session_id IS NULL
   LIMIT 10000`,
);

/** Lists those of these messages that are of unknown fate with these operators. Each index of the arrays is one. */
export const listUnknownByKey = query<
  QueuedRow,
  { operatorIds: readonly string[]; sendIds: readonly string[]; numbers: readonly number[] }
>(
  "sends.listUnknownByKey",
  `SELECT ${QUEUED_COLUMNS}
   FROM unnest($sendIds::text[], $numbers::int[]) AS wanted (send_id, number) CROSS JOIN LATERAL (
     SELECT * FROM message_queue WHERE send_id = wanted.send_id AND number = wanted.number OFFSET 0
   ) queued JOIN batches batch ON batch.id = queued.batch_id
   WHERE queued.unknown_since IS NOT NULL
     AND (batch.operator_id = ANY($operatorIds::text[]) OR batch.operator_id IS NULL) AND batch.session_id IS NULL`,
);

/** Lists the phones of messages of unknown fate of these operators. */
export const listUnknownPhones = query<{ phone: string }>(
  "sends.listUnknownPhones",
  `SELECT DISTINCT queued.phone FROM batches batch JOIN message_queue queued ON queued.batch_id = batch.id
   WHERE (batch.operator_id = ANY($1::text[]) OR batch.operator_id IS NULL) AND batch.unknown AND batch.session_id IS NULL
   LIMIT 10000`,
);

/** Finds a message of unknown fate by its own key, for a late answer. */
export const findUnknown = query<QueuedRow>(
  "sends.findUnknown",
  `SELECT ${QUEUED_COLUMNS} FROM message_queue queued JOIN batches batch ON batch.id = queued.batch_id
   WHERE queued.send_id = $1 AND queued.number = $2 AND queued.unknown_since IS NOT NULL AND batch.session_id IS NULL`,
);

/** A message of unknown fate. `lost_ms`: since when. */
export type UnknownRow = {
  account_id: string;
  send_id: string;
  number: number;
  phone: string;
  lost_ms: number;
};

/** Lists those of these messages that are of unknown fate. Each index of the arrays is one. */
export const listUnknownOf = query<UnknownRow>(
  "sends.listUnknownOf",
  `SELECT queued.account_id, queued.send_id, queued.number, queued.phone,
          (extract(epoch FROM now() - queued.unknown_since) * 1000)::float8 AS lost_ms
   FROM unnest($1::text[], $2::int[]) AS wanted (send_id, number) CROSS JOIN LATERAL (
     SELECT * FROM message_queue WHERE send_id = wanted.send_id AND number = wanted.number OFFSET 0
   ) queued JOIN batches batch ON batch.id = queued.batch_id
   WHERE queued.unknown_since IS NOT NULL AND batch.session_id IS NULL`,
);

/**
 * Finds and locks a message that was lost once, whole and at this operator, with its batch: no session takes it meanwhile.
 * One-time passwords (lane 0) are never sent again.
 */
export const lockUnsent = query<QueuedRow, { operatorId: string; sendId: string; number: number }>(
  "sends.lockUnsent",
  `SELECT ${QUEUED_COLUMNS} FROM message_queue queued JOIN batches batch ON batch.id = queued.batch_id
   WHERE queued.send_id = $sendId AND queued.number = $number AND queued.unknown_since IS NOT NULL AND queued.losses = 1
     AND queued.accepted = 0 AND batch.operator_id = $operatorId AND batch.session_id IS NULL AND batch.lane > 0
   FOR UPDATE`,
);
