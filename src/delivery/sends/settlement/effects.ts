// The counter deltas and credits of one transaction, written at its end.
import { emitToSubscribers } from "../../../events/webhooks/webhooks.ts";
import { settleCredits } from "../../../ledger/credits/credits.ts";
import type { Settled } from "../../../ledger/credits/sql.ts";
import type { Tx } from "../../../platform/database/transaction.ts";
import { CounterDeltas } from "../counters/deltas.ts";
import { COUNTING, type QueuedMessage } from "../queue/packed.ts";
import { type Finals, findEvents } from "../queue/subscription.ts";
import type { DeliveredSend } from "./receipts.sql.ts";
import type { AppliedReceipt } from "./receipts.ts";
import * as sql from "./settle.sql.ts";

/**
 * Evidence to count in metrics after the commit: the first receipts of messages, and the messages of unknown fate that
 * a receipt or a late answer settled.
 */
export type Evidence = {
  receipts: (AcceptedMessage & { status: AppliedReceipt["status"]; sentAt: Date | null })[];
  proven: AcceptedMessage[];
};
/** A message that an operator accepted. */
type AcceptedMessage = { operatorId: string | null; phone: string };

type Ended = { message: QueuedMessage; status: string; error: string | null };
/**
 * Collects the effects of a transaction on sends and pools, and writes them at its end: totals before pools, each row
 * once and in order of its key. Two operators that send for one account lock the same rows in every cycle. In any other
 * order they deadlock, and each deadlock silences both links for a second (6 in 60 campaigns before this; 2026-11-21).
 */
export class SettlementEffects {
  readonly evidence: Evidence = { receipts: [], proven: [] };
  readonly #settled = new Map<string, Settled>();
  readonly #subscribed = new Map<string, Finals>();
  readonly #totals = new Map<string, sql.AddedTotal>();
  readonly #lines = new CounterDeltas();

  /** Adds one packed message that became final. */
  addPacked(outcome: Ended, operatorId: string | null): void {
    const { message, status, error } = outcome;
    const { accountId, counting, kind, price } = message;
    const isSent = status === "SENT";
    const sendId = counting === COUNTING.alone ? null : message.sendId;
    const line = { accountId, sendId, operatorId, status, error, quarter: null, kind };
    this.#lines.add(line, 1, isSent ? price : 0);
    this.#settle(message.holdId, message.poolId, isSent ? price : 0, isSent ? 0 : price);
    if (sendId === null) return;
    const total = this.#totalOf(sendId);
    if (isSent) total.sent++;
    else total.failed++;
    if (counting === COUNTING.subscribed)
      this.#subscription(sendId, message.accountId, isSent ? [] : [message.number]);
  }

  /** Adds settled messages with rows of their own, of one send. */
  addSettled(send: sql.SettledSend, operatorId: string | null): void {
    const { account_id: accountId, large_send: sendId, status, error, captured } = send;
    this.#lines.add(
      { accountId, sendId, operatorId, status, error, quarter: null, kind: null },
      send.sent + send.failed,
      captured,
    );
    const total = this.#totalOf(send.send_id);
    total.sent += send.sent;
    total.failed += send.failed;
    this.#settle(send.hold_id, send.pool_id, send.captured, send.released);
    if (send.subscribed) this.#subscription(send.send_id, send.account_id, send.subscribed);
  }

  /** Adds the changes that receipts made to one send. */
  addDelivered(send: DeliveredSend): void {
    const {
      account_id: accountId,
      large_send: sendId,
      operator_id: operatorId,
      status,
      error,
      quarter,
    } = send;
    this.#lines.add(
      { accountId, sendId, operatorId, status, error, quarter, kind: null },
      send.delivered + send.undelivered,
      0,
    );
    const total = this.#totalOf(send.send_id);
    total.delivered += send.delivered;
    total.undelivered += send.undelivered;
    if (send.subscribed) this.#subscription(send.send_id, send.account_id, send.subscribed);
  }

  /** Adds messages of one send that were counted as delivered, and of which a part failed. */
  addFallen(send: DeliveredSend): void {
    this.addDelivered({
      ...send,
      status: "DELIVERED",
      error: null,
      delivered: -send.undelivered,
      undelivered: 0,
      subscribed: null,
    });
    this.addDelivered(send);
  }

  /** Writes everything. Returns whether there are events to announce after the commit. */
  write(tx: Tx): Promise<boolean> {
    return this.#write(tx, () => {});
  }

  /**
   * Like `write`, but sends COMMIT with its last statements: the caller has sent all of its own. Only events for
   * webhooks depend on query results, so it takes one round trip without them and two with them.
   */
  commit(tx: Tx): Promise<boolean> {
    return this.#write(tx, () => tx.commitNow());
  }

  async #write(tx: Tx, onSent: () => void): Promise<boolean> {
    const counting = this.#totals.size === 0 ? Promise.resolve([]) : this.#count(tx);
    const audit = this.#lines.write(tx);
    // Events are found before the pools are locked, because all sends of an account share its pools.
    const [events] =
      this.#subscribed.size > 0
        ? await Promise.all([findEvents(tx, this.#subscribed, counting), audit])
        : [[]];
    const writing = [emitToSubscribers(tx, events), settleCredits(tx, [...this.#settled.values()])] as const;
    onSent();
    const [hasEvents] = await Promise.all([...writing, counting, audit]);
    return hasEvents > 0;
  }

  #count(tx: Tx) {
    const totals = [...this.#totals.values()].sort((a, b) => (a.sendId < b.sendId ? -1 : 1));
    return tx.run(sql.updateTotals, { totals });
  }

  #settle(holdId: string, poolId: string, captured: number, released: number): void {
    const known = this.#settled.get(holdId);
    if (known) {
      known.captured += captured;
      known.released += released;
    } else this.#settled.set(holdId, { holdId, poolId, captured, released });
  }

  #subscription(sendId: string, accountId: string, numbers: readonly number[]): void {
    const finals = this.#subscribed.get(sendId) ?? { accountId, numbers: [] };
    finals.numbers.push(...numbers);
    this.#subscribed.set(sendId, finals);
  }

  #totalOf(sendId: string): sql.AddedTotal {
    let total = this.#totals.get(sendId);
    if (!total) {
      total = { sendId, sent: 0, failed: 0, delivered: 0, undelivered: 0 };
      this.#totals.set(sendId, total);
    }
    return total;
  }
}
