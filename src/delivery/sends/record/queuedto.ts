// Queued messages to a phone: the queue has no index of phones, so its newest part is read.
import { one, type Statements } from "../../../platform/database/query.ts";
import { unfold } from "../queue/packed.ts";
import * as sql from "./queuedto.sql.ts";

// 200 batches of 500 texts, each a different one of 130 characters, are searched in 35 ms; 5,000 of others, and 10,000
// rows, take 9 ms (2 busy cores, 2026-11-24).
const BATCHES_SEARCHED = 200;
const BATCHES_LOOKED_AT = 5_000;
const ROWS_LOOKED_AT = 10_000;

/**
 * Finds the messages to a phone that are not final, of an account or (null) of all. `isWhole`: no message was left out.
 * If more than 5,000 batches wait, or more than 200 that may be of the account, only the newest are searched. Read the
 * record afterwards: a message that became final meanwhile is in both.
 */
export async function findQueuedTo(
  db: Statements,
  accountId: string | null,
  phone: string,
): Promise<{ messages: sql.QueuedToRow[]; isWhole: boolean }> {
  const limits = { lookedAt: BATCHES_LOOKED_AT, most: BATCHES_SEARCHED };
  const counted = await one(db, sql.countQueued, [BATCHES_LOOKED_AT + 1, ROWS_LOOKED_AT + 1]);
  const batches = await db.run(sql.listNamingNewest, { accountId, text: `"${phone}"`, ...limits });
  const rows = await db.run(sql.listQueuedTo, [accountId, phone, ROWS_LOOKED_AT]);
  return {
    messages: [...batches.flatMap(foldedTo), ...rows],
    isWhole:
      counted.batches <= BATCHES_LOOKED_AT &&
      counted.rows <= ROWS_LOOKED_AT &&
      batches.length < BATCHES_SEARCHED,
  };

  function foldedTo({ messages, held, intent, ...batch }: (typeof batches)[number]): sql.QueuedToRow[] {
    if (messages === null) return [];
    return unfold({ ...batch, messages })
      .filter((message) => message.phone === phone && (held || message.position > intent))
      .filter((message) => accountId === null || message.accountId === accountId)
      .map((message) => ({
        account_id: message.accountId,
        send_id: message.sendId,
        number: message.number,
        status: held && message.position <= intent ? "SENDING" : "QUEUED",
        segments: message.segments,
        price: message.price,
      }));
  }
}
