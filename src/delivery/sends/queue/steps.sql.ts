// The queries of sends that are queued in steps.
import { query } from "../../../platform/database/query.ts";
import type { SubscribedTotal } from "./subscription.sql.ts";

/** A send of which a part is held but not queued yet: `remaining` credits, for the contacts from `cursor` on. */
export type UnqueuedSend = {
  id: string;
  accountId: string;
  campaignId: string;
  poolId: string;
  remaining: number;
  nextNumber: number;
  cursor: string;
};

/** The same when read: with whether it has a webhook subscription, and whether it may have been sent already. */
export type FoundUnqueued = UnqueuedSend & { isSubscribed: boolean; isInDoubt: boolean };

const UNQUEUED_COLUMNS = `id, account_id AS "accountId", campaign_id AS "campaignId", pool_id AS "poolId", remaining,
   next_number AS "nextNumber", cursor, doubtful IS NOT NULL AS "isInDoubt",
   EXISTS (SELECT FROM sends WHERE sends.id = unqueued_sends.id AND about IS NOT NULL) AS "isSubscribed"`;

export const insertUnqueued = query<never, UnqueuedSend>(
  "sends.insertUnqueued",
  `INSERT INTO unqueued_sends (id, account_id, campaign_id, pool_id, remaining, next_number, cursor)
   VALUES ($id, $accountId, $campaignId, $poolId, $remaining, $nextNumber, $cursor)`,
);

export const lockUnqueued = query<FoundUnqueued>(
  "sends.lockUnqueued",
  `SELECT ${UNQUEUED_COLUMNS} FROM unqueued_sends ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`,
);

export const lockUnqueuedOf = query<FoundUnqueued>(
  "sends.lockUnqueuedOf",
  `SELECT ${UNQUEUED_COLUMNS} FROM unqueued_sends WHERE id = $1 FOR UPDATE`,
);

/** One step of a send: it queued messages for `price`, and the next one begins at the number and the cursor. */
export type Step = { price: number; nextNumber: number; cursor: string };

export const updateUnqueued = query<never, Step & { id: string }>(
  "sends.updateUnqueued",
  `UPDATE unqueued_sends SET remaining = remaining - $price, next_number = $nextNumber, cursor = $cursor WHERE id = $id`,
);

/** Raises the total before any of the messages is tried, because a cycle that counts more than the total fails. */
export const raiseTotal = query(
  "sends.raiseTotal",
  "UPDATE sends SET total = $2 WHERE id = $1 AND total < $2",
);

export const deleteUnqueued = query("sends.deleteUnqueued", "DELETE FROM unqueued_sends WHERE id = $1");

/** Sets the total of a send. Returns the send if it has a webhook subscription. */
export const updateTotal = query<SubscribedTotal>(
  "sends.updateTotal",
  `WITH updated AS (
     UPDATE sends SET total = $2 WHERE id = $1
     RETURNING id AS send_id, endpoint_id, listener_id, about, total, sent, failed, false AS settled
   )
   SELECT * FROM updated WHERE about IS NOT NULL`,
);
