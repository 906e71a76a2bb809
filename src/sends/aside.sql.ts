// The queries of messages that are put aside.
import { query } from "../kernel/database.ts";

/** Lists up to $1 batches aside whose account is not suspended any more. An index has those alone that are aside. */
export const lockResumed = query<{ id: string }>(
  "sends.lockResumed",
  `SELECT id FROM batches batch
   WHERE lane < 2 AND account_id <> '' AND session_id IS NULL
     AND NOT EXISTS (SELECT FROM suspended_accounts suspended WHERE suspended.account_id = batch.account_id)
   LIMIT $1 FOR UPDATE SKIP LOCKED`,
);

/** Gives batches back to no account, so that links take them as any others of their lane. */
export const releaseBatches = query(
  "sends.releaseBatches",
  "UPDATE batches SET account_id = '' WHERE id = ANY($1::text[])",
);
