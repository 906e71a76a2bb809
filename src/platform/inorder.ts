// Transactions in order on one connection, each sent before the one before it is answered.
import type { Line } from "./line.ts";
import { type Keep, runIn, Transaction, type Tx } from "./transaction.ts";

type Take = (limitMs?: number) => Promise<Line>;
type GiveBack = (line: Line, lost: Error | undefined) => void;

/**
 * Returns a function that runs transactions as `Database.transaction` does, in order on one connection. One begins when
 * the one before it has sent its COMMIT, and does not wait for the answer: over a long distance many are under way.
 * Those behind one that fails run all the same, so each must find out in the database whether the one before it
 * happened. They may fail by it, since statements that it was to prepare are not there. So none is run again after a
 * deadlock. The pool has the connection whenever nothing is under way.
 */
export function transactionsInOrder(take: Take, giveBack: GiveBack, keep?: Keep) {
  let shared: Promise<Line> | undefined;
  let lost: Error | undefined;
  let underWay = 0;
  let sent = Promise.resolve();

  function end(): void {
    if (--underWay > 0) return;
    const [line, why] = [shared!, lost];
    shared = lost = undefined;
    line.then((free) => giveBack(free, why)).catch(() => {}); // there was none, as each transaction has heard
  }

  return async <T>(work: (tx: Tx) => Promise<T>, limitMs?: number): Promise<T> => {
    const before = sent;
    const mine = Promise.withResolvers<void>();
    sent = mine.promise;
    underWay++;
    shared ??= take(limitMs);
    try {
      const line = await shared;
      await before;
      line.discardOldPlans();
      const transaction = new Transaction(line, { keep });
      void transaction.sent.then(mine.resolve);
      return await runIn(transaction, "BEGIN", work, () => {
        lost ??= transaction.lost;
      });
    } finally {
      mine.resolve();
      end();
    }
  };
}
