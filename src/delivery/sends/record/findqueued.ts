// Queued messages of an account, or to a phone: the queue has no index of either, so its newest part is read.
import { one, type Statements } from "../../../platform/database/query.ts";
import { findIn } from "../queue/find.ts";
import type { QueuedMessage } from "../queue/packed.ts";
import type { NamingRow } from "../settlement/erase.sql.ts";
import * as sql from "./findqueued.sql.ts";

const BATCHES_LOOKED_AT = 5_000;
const ROWS_LOOKED_AT = 10_000;
/** Each carries 500 messages at most, which are parsed from text. */
const BATCHES_READ = 40;
// 200 batches of 500 texts, each a different one of 130 characters, are searched in 35 ms; 5,000 of others, and 10,000
// rows, take 9 ms (2 busy cores, 2026-11-24).
const BATCHES_SEARCHED = 200;

/** `isWhole`: no message was left out. */
type Found = { messages: sql.FoundQueuedRow[]; isWhole: boolean };

/**
 * Finds the messages of an account that are not final, in sends with ids up to one. If more than 5,000 batches wait, or
 * more than 40 of the account, only the newest are read. Read the record afterwards: a message that became final
 * meanwhile is in both.
 */
export function findQueuedOf(db: Statements, accountId: string, upTo: string): Promise<Found> {
  return findQueued(db, {
    batchesAtMost: BATCHES_READ,
    listBatches: () =>
      db.run(sql.listNewestOf, { accountId, upTo, lookedAt: BATCHES_LOOKED_AT, most: BATCHES_READ }),
    listRows: () => db.run(sql.listQueuedOf, [accountId, upTo, ROWS_LOOKED_AT]),
    isWanted: (message) => message.accountId === accountId,
  });
}

/**
 * Finds the messages to a phone that are not final, of an account or (null) of all. If more than 5,000 batches wait, or
 * more than 200 that may be of the account, only the newest are searched. Read the record afterwards: a message that
 * became final meanwhile is in both.
 */
export function findQueuedTo(db: Statements, accountId: string | null, phone: string): Promise<Found> {
  const limits = { lookedAt: BATCHES_LOOKED_AT, most: BATCHES_SEARCHED };
  return findQueued(db, {
    batchesAtMost: BATCHES_SEARCHED,
    listBatches: () => db.run(sql.listNamingNewest, { accountId, text: `"${phone}"`, ...limits }),
    listRows: () => db.run(sql.listQueuedTo, [accountId, phone, ROWS_LOOKED_AT]),
    isWanted: (message) => message.phone === phone && (accountId === null || message.accountId === accountId),
  });
}

type Search = {
  batchesAtMost: number;
  listBatches: () => Promise<NamingRow[]>;
  listRows: () => Promise<sql.FoundQueuedRow[]>;
  isWanted: (message: QueuedMessage) => boolean;
};

async function findQueued(db: Statements, search: Search): Promise<Found> {
  const counted = await one(db, sql.countQueued, [BATCHES_LOOKED_AT + 1, ROWS_LOOKED_AT + 1]);
  const batches = await search.listBatches();
  const rows = await search.listRows();
  return {
    messages: [...batches.flatMap((batch) => packedIn(batch, search.isWanted)), ...rows],
    isWhole:
      counted.batches <= BATCHES_LOOKED_AT &&
      counted.rows <= ROWS_LOOKED_AT &&
      batches.length < search.batchesAtMost,
  };
}

function packedIn({ messages, ...batch }: NamingRow, isWanted: Search["isWanted"]): sql.FoundQueuedRow[] {
  if (messages === null) return [];
  return findIn({ ...batch, messages }, isWanted).map(({ message, isWritten }) => ({
    account_id: message.accountId,
    send_id: message.sendId,
    number: message.number,
    phone: message.phone,
    status: isWritten ? "SENDING" : "QUEUED",
    segments: message.segments,
    price: message.price,
  }));
}
