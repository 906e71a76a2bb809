// What accounts have queued, for those who cancel it.
import type { Statements } from "../kernel/database.ts";
import { goneAmong, keyOf } from "./batches.ts";
import { unfold } from "./fold.ts";
import * as sql from "./queued.sql.ts";

/** `isWritten`: a session has its message and may have written it; `isShelved`: a session has it and has not. */
export type QueuedSend = sql.QueuedSend & { isWritten: boolean; isShelved: boolean };

const SENDS_AT_ONCE = 1_000;
const BATCHES_AT_ONCE = 20;

/** The sends that these accounts have queued, some at a time. Those to one phone are read out of the batches they share. */
export async function* listQueuedSends(
  db: Statements,
  accountIds: readonly string[],
): AsyncGenerator<QueuedSend[]> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const rows: sql.QueuedSend[] = await db.run(sql.listQueuedSends, [accountIds, after, SENDS_AT_ONCE]);
    if (rows.length > 0) yield rows.map((row) => ({ ...row, isWritten: false, isShelved: false }));
    after = rows.length === SENDS_AT_ONCE ? rows.at(-1)!.sendId : undefined;
  }
  const accounts = new Set(accountIds);
  for (let after: string | undefined = ""; after !== undefined; ) {
    const batches: Awaited<ReturnType<typeof readShared>> = await readShared(db, after, accounts);
    if (batches.sends.length > 0) yield batches.sends;
    after = batches.last;
  }
}

async function readShared(db: Statements, after: string, accounts: ReadonlySet<string>) {
  const batches = await db.run(sql.listSharedAfter, [after, BATCHES_AT_ONCE]);
  const found = batches.flatMap((batch) =>
    unfold(batch)
      .filter(({ accountId, position }) => accounts.has(accountId) && (batch.held || position > batch.intent))
      .map((message) => ({ message, batch })),
  );
  const gone = await goneAmong(
    db,
    found.map(({ message }) => message),
  );
  const sends = found
    .filter(({ message }) => !gone.has(keyOf(message)))
    .map(({ message: { accountId, sendId, position }, batch: { held, intent } }) => ({
      accountId,
      sendId,
      isWritten: held && position <= intent,
      isShelved: held && position > intent,
    }));
  return { sends, last: batches.length === BATCHES_AT_ONCE ? batches.at(-1)!.id : undefined };
}
