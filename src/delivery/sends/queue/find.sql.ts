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
