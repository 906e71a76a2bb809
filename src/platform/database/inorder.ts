// Transactions in order on one connection, each sent before the one before it is answered.
import type { PgConnection } from "./connection.ts";
import { type Beginning, type Keep, runIn, Transaction, type Tx } from "./transaction.ts";

type Take = (limitMs?: number) => Promise<PgConnection>;
type GiveBack = (connection: PgConnection, lost: Error | undefined) => void;

/**
 * Returns a function that runs transactions as `Database.transaction` does, in order on one connection. One begins when
 * the one before it has sent its COMMIT, without waiting for the answer, so many are in progress over a long distance.
 * A transaction also runs if the one before it fails, so each must check in the database whether that one was
 * committed. It may fail as a consequence, since statements that the other was to prepare are missing. So none is
 * retried after a deadlock. The pool gets the connection back whenever nothing is in progress.
 */
export function transactionsInOrder(take: Take, giveBack: GiveBack, beginning: Beginning, keep?: Keep) {
  let shared: Promise<PgConnection> | undefined;
  let lost: Error | undefined;
  let underWay = 0;
  let sent = Promise.resolve();

  function end(): void {
    if (--underWay > 0) return;
    const [connection, why] = [shared!, lost];
    shared = lost = undefined;
    connection.then((free) => giveBack(free, why)).catch(() => {}); // without a connection, each transaction got the error
  }

  return async <T>(work: (tx: Tx) => Promise<T>, limitMs?: number): Promise<T> => {
    const before = sent;
    const mine = Promise.withResolvers<void>();
    sent = mine.promise;
    underWay++;
    shared ??= take(limitMs);
    try {
      const connection = await shared;
      await before;
      connection.discardOldPlans();
      const transaction = new Transaction(connection, beginning, { keep, isFollowed: true });
      void transaction.sent.then(mine.resolve);
      return await runIn(transaction, work, () => {
        lost ??= transaction.lost;
      });
    } finally {
      mine.resolve();
      end();
    }
  };
}
