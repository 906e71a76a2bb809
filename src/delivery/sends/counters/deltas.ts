// The counter deltas of a transaction: one line for each account or send, operator, status and error.
import type { Tx } from "../../../platform/database/transaction.ts";
import { type Delta, insertCounterDeltas } from "./tallies.sql.ts";

type Line = Omit<Delta, "count" | "credits">;

/** Collects lines. `sendId` null: a send to one phone. `quarter`: only for receipts, see migration 0069. */
export class CounterDeltas {
  readonly #lines = new Map<string, Delta>();
  #last: Delta | undefined;

  /** Adds messages and the credits that were captured for them. */
  add(line: Line, count: number, credits: number): void {
    const known = this.#lineOf(line);
    known.count += count;
    known.credits += credits;
  }

  #lineOf(line: Line) {
    const last = this.#last;
    // The messages of a cycle mostly belong to one send with one outcome: this saves computing the key.
    if (
      last !== undefined &&
      last.sendId === line.sendId &&
      last.accountId === line.accountId &&
      last.operatorId === line.operatorId &&
      last.status === line.status &&
      last.error === line.error &&
      last.quarter === line.quarter &&
      last.kind === line.kind
    )
      return last;
    const { accountId, sendId, operatorId, status, error, quarter, kind } = line;
    const key = `${accountId} ${sendId} ${operatorId} ${status} ${quarter} ${kind} ${error}`;
    let known = this.#lines.get(key);
    if (!known) {
      known = { ...line, count: 0, credits: 0 };
      this.#lines.set(key, known);
    }
    this.#last = known;
    return known;
  }

  /** Writes one row. It locks nothing, so it may run anywhere in the transaction. */
  async write(tx: Tx): Promise<void> {
    if (this.#lines.size === 0) return;
    await tx.run(insertCounterDeltas, { deltas: [...this.#lines.values()] });
  }
}
