// Queued messages of an account: the queue has no index of accounts, so its newest part is read.
import { one, type Statements } from "../../../platform/database/query.ts";
import { unfold } from "../queue/packed.ts";
import * as sql from "./queuedof.sql.ts";
import { countQueued } from "./queuedto.sql.ts";

/** Each carries 500 messages at most, which are parsed from text. */
const BATCHES_READ = 40;
const BATCHES_LOOKED_AT = 5_000;
const ROWS_LOOKED_AT = 10_000;

/**
 * Finds the messages of an account that are not final, in sends with ids up to one. `isWhole`: no message was left out.
 * If more than 5,000 batches wait, or more than 40 of the account, only the newest are read. Read the record
 * afterwards: a message that became final meanwhile is in both.
 */
export async function findQueuedOf(
  db: Statements,
  accountId: string,
  upTo: string,
): Promise<{ messages: sql.QueuedOfRow[]; isWhole: boolean }> {
  const counted = await one(db, countQueued, [BATCHES_LOOKED_AT + 1, ROWS_LOOKED_AT + 1]);
  const limits = { lookedAt: BATCHES_LOOKED_AT, most: BATCHES_READ };
  const batches = await db.run(sql.listNewestOf, { accountId, upTo, ...limits });
  const rows = await db.run(sql.listQueuedOf, [accountId, upTo, ROWS_LOOKED_AT]);
  return {
    messages: [...batches.flatMap(foldedIn), ...rows],
    isWhole:
      counted.batches <= BATCHES_LOOKED_AT && counted.rows <= ROWS_LOOKED_AT && batches.length < BATCHES_READ,
  };

  function foldedIn({ messages, held, intent, ...batch }: (typeof batches)[number]): sql.QueuedOfRow[] {
    if (messages === null) return [];
    return unfold({ ...batch, messages })
      .filter((message) => message.accountId === accountId && (held || message.position > intent))
      .map((message) => ({
        account_id: message.accountId,
        send_id: message.sendId,
        number: message.number,
        phone: message.phone,
        status: held && message.position <= intent ? "SENDING" : "QUEUED",
        segments: message.segments,
        price: message.price,
      }));
  }
}
