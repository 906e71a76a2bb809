// The queued sends of accounts, for cancellation.
import type { Statements } from "../../../platform/database/query.ts";
import { goneAmong, keyOf } from "../queue/batches.ts";
import { unpack } from "../queue/packed.ts";
import * as sql from "./queued.sql.ts";

const SENDS_AT_ONCE = 1_000;
const BATCHES_AT_ONCE = 20;
/** After all ids, which are hexadecimal. */
const LAST = "g";

/**
 * Lists the queued sends of these accounts, some at a time. Those to one phone are read from the batches that they
 * share. No send that is queued all the time is missed: the rest of a divided batch gets a lower id, and a message that
 * leaves its batch gets a row of its own, so both are read later.
 */
export async function* listQueuedSends(
  db: Statements,
  accountIds: readonly string[],
): AsyncGenerator<sql.QueuedSend[]> {
  const accounts = new Set(accountIds);
  for (let before: string | undefined = LAST; before !== undefined; ) {
    const batches: Awaited<ReturnType<typeof readShared>> = await readShared(db, before, accounts);
    if (batches.sends.length > 0) yield batches.sends;
    before = batches.last;
  }
  for (let after: string | undefined = ""; after !== undefined; ) {
    const rows: sql.QueuedSend[] = await db.run(sql.listQueuedSends, [accountIds, after, SENDS_AT_ONCE]);
    if (rows.length > 0) yield rows;
    after = rows.length === SENDS_AT_ONCE ? rows.at(-1)?.sendId : undefined;
  }
}

async function readShared(db: Statements, before: string, accounts: ReadonlySet<string>) {
  const batches = await db.run(sql.listSharedBefore, [before, BATCHES_AT_ONCE]);
  const found = batches.flatMap((batch) =>
    unpack(batch)
      .filter(({ accountId, position }) => accounts.has(accountId) && (batch.held || position > batch.intent))
      .map((message) => ({ message, batch })),
  );
  const gone = await goneAmong(
    db,
    found.map(({ message }) => message),
  );
  const sends = found
    .filter(({ message }) => !gone.has(keyOf(message)))
    .map(({ message: { accountId, sendId }, batch }) => ({ accountId, sendId, isHeld: batch.held }));
  return { sends, last: batches.length === BATCHES_AT_ONCE ? batches.at(-1)?.id : undefined };
}
