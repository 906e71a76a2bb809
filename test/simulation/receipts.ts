// What receipts do in the tables of the simulation: see `src/delivery/gateway/receipts.ts`.
import type { Awaited } from "../../src/delivery/gateway/awaited.ts";
import { isAbout } from "../../src/delivery/gateway/evidence.ts";
import type { FinalReceipt } from "../../src/delivery/gateway/finalreceipts.ts";
import type { IncomingReceipts } from "../../src/delivery/gateway/machine/receipts.ts";
import type { OperatorAccount } from "../../src/delivery/operators/operatoraccounts.ts";
import type { QueuedMessage } from "../../src/delivery/sends/queue/packed.ts";
import { isSamePhone, phoneEnd } from "../../src/protocol/sms/phone.ts";
import type { Recorded } from "./rows.ts";
import type { Tables } from "./tables.ts";

// Longer than in `src/delivery/gateway/sql.ts`: the clock here jumps by ten minutes several times in one outage (seed 357).
const RECENT_MS = 60 * 60_000;

type Incoming = { toApply: IncomingReceipts; orphanCount: number | undefined; awaited: Awaited };

/** A receipt whose message is not known, and who brought it when. */
type Orphan = { receipt: FinalReceipt; operatorId: string; at: number };

export class Receipts {
  orphans: Orphan[] = [];
  readonly #tables: Tables;
  readonly #accountOf: (operatorId: string) => OperatorAccount;
  /** By the operator's id, the recorded messages. */
  readonly #byOperatorId = new Map<string, Recorded[]>();

  constructor(tables: Tables, accountOf: (operatorId: string) => OperatorAccount) {
    this.#tables = tables;
    this.#accountOf = accountOf;
  }

  #orphansOf(operatorId: string): Orphan[] {
    const { operatorIds } = this.#accountOf(operatorId);
    return this.orphans.filter((orphan) => operatorIds.includes(orphan.operatorId));
  }

  /** Forgets the orphans that are used. Returns how many. */
  #use(orphans: readonly Orphan[], isUsed: (orphan: Orphan) => boolean): number {
    const used = new Set(orphans.filter(isUsed));
    this.orphans = this.orphans.filter((orphan) => !used.has(orphan));
    return used.size;
  }

  /** Makes a recorded message known by the operator's id. */
  add(recorded: Recorded): void {
    const { operatorMessageId: id } = recorded;
    if (id) this.#byOperatorId.set(id, [...(this.#byOperatorId.get(id) ?? []), recorded]);
  }

  /** Applies what an operator said. Returns the receipts that fit no message, and the number of other orphans. */
  look(
    operatorId: string,
    { toApply, orphanCount: known, awaited }: Incoming,
  ): { left: FinalReceipt[]; orphanCount: number } {
    const { receipts, answered, hasLost } = toApply;
    if (known === undefined) this.applyAgain(operatorId, awaited);
    const before = this.#orphansOf(operatorId).length;
    let orphanCount = known ?? before;
    if (orphanCount > 0) {
      this.match(operatorId, answered);
      if (answered.length > 0 || hasLost) this.matchOfUnknown(operatorId, awaited);
      // As the process counts: what other sessions keep meanwhile is not in it.
      orphanCount = Math.max(0, orphanCount + this.#orphansOf(operatorId).length - before);
    }
    return { left: receipts.filter((receipt) => !this.#fit(operatorId, receipt, awaited)), orphanCount };
  }

  /** Stores receipts whose message is not known. */
  keep(operatorId: string, receipts: readonly FinalReceipt[]): void {
    for (const receipt of receipts) this.orphans.push({ receipt, operatorId, at: this.#tables.now });
  }

  /** Applies orphans to messages that were accepted just now. */
  match(operatorId: string, ids: readonly string[]): void {
    this.#use(this.#orphansOf(operatorId), ({ receipt }) => {
      if (!ids.includes(receipt.operatorMessageId)) return false;
      this.#apply(operatorId, receipt);
      return true;
    });
  }

  /** Settles messages that just became of unknown fate, and whose receipts came first. Returns how many. */
  matchOfUnknown(operatorId: string, awaited: Awaited): number {
    const ends = new Set(this.#unknownOf(operatorId).map(({ phone }) => phoneEnd(phone)));
    const lost = this.#orphansOf(operatorId).filter(({ receipt }) => ends.has(phoneEnd(receipt.phone)));
    return this.#use(lost, (orphan) => this.#fit(orphan.operatorId, this.#aged(orphan), awaited));
  }

  /** Whether there is something to apply again. */
  hasRecent(): boolean {
    return this.orphans.some(({ at }) => this.#tables.now - at < RECENT_MS);
  }

  /** Applies recent receipts again: see `src/delivery/gateway/orphans.ts`. */
  applyAgain(operatorId: string, awaited: Awaited): void {
    const recent = this.#orphansOf(operatorId).filter(({ at }) => this.#tables.now - at < RECENT_MS);
    this.#use(recent, (orphan) => this.#fit(orphan.operatorId, this.#aged(orphan), awaited));
  }

  #aged({ receipt, at }: Orphan): FinalReceipt {
    return { ...receipt, waitedMs: this.#tables.now - at };
  }

  #fit(operatorId: string, receipt: FinalReceipt, awaited: Awaited): boolean {
    return this.#apply(operatorId, receipt) || this.#settleByEvidence(operatorId, receipt, awaited);
  }

  /** Whether a message has the id. Only its first receipt counts. */
  #apply(operatorId: string, receipt: FinalReceipt): boolean {
    const { operatorIds } = this.#accountOf(operatorId);
    const isOurs = ({ message, operatorId: by }: Recorded) =>
      by === operatorId || (operatorIds.includes(by!) && isSamePhone(message.phone, receipt.phone));
    const fitting = (this.#byOperatorId.get(receipt.operatorMessageId) ?? []).filter(isOurs);
    const rank = ({ message, status }: Recorded) =>
      (isSamePhone(message.phone, receipt.phone) ? 0 : 2) + (status === "SENT" ? 0 : 1);
    const [first] = fitting.toSorted((a, b) => rank(a) - rank(b) || a.at - b.at);
    if (first?.status === "SENT") first.status = receipt.status;
    return first !== undefined;
  }

  /** Settles the one message of unknown fate that a receipt can be about. */
  #settleByEvidence(
    operatorId: string,
    receipt: FinalReceipt,
    { ends, waitMs, sessionIds }: Awaited,
  ): boolean {
    const isOwed = ends.has(phoneEnd(receipt.phone)) || receipt.waitedMs < waitMs;
    const isKnown = sessionIds.every((id) => this.#tables.sessions.has(id));
    if (receipt.reference === null && (isOwed || !isKnown)) return false;
    const candidates = this.#unknownOf(operatorId).filter((message) => isAbout(receipt, message));
    const [message] = candidates;
    if (!message || candidates.length > 1) return false;
    const { operatorMessageId } = receipt;
    this.#tables.settle(operatorId, { message, status: "SENT", operatorMessageId, error: null });
    return this.#apply(operatorId, receipt);
  }

  /** The messages of unknown fate of an account that no session has. */
  #unknownOf(operatorId: string): QueuedMessage[] {
    const { operatorIds } = this.#accountOf(operatorId);
    const batches = [...this.#tables.batches.values()].filter(
      (batch) => operatorIds.includes(batch.operatorId!) && !batch.session,
    );
    return batches.flatMap(({ live }) => [...live.values()].filter(({ unknown }) => unknown));
  }
}
