// What receipts do in the tables of the simulation: see `src/gateway/receipts.ts`.
import type { Awaited } from "../../src/gateway/awaited.ts";
import { type FinalReceipt, isAbout } from "../../src/gateway/receipts.ts";
import type { OperatorAccount } from "../../src/operators/operators.ts";
import type { MessageOutcome, Move, QueuedMessage } from "../../src/sends/sends.ts";
import { isSamePhone, phoneEnd } from "../../src/sms/sms.ts";
import type { Recorded, Tables } from "./tables.ts";

// Longer than in `src/gateway/sql.ts`: the clock here jumps by ten minutes several times in one outage (seed 357).
const RECENT_MS = 60 * 60_000;

type Said = {
  outcomes: readonly MessageOutcome[];
  moves: readonly Move[];
  receipts: readonly FinalReceipt[];
  awaited: Awaited;
};

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

  #kept(operatorId: string): Orphan[] {
    const { operatorIds } = this.#accountOf(operatorId);
    return this.orphans.filter((orphan) => operatorIds.includes(orphan.operatorId));
  }

  /** Forgets the orphans that are used. */
  #use(orphans: readonly Orphan[], isUsed: (orphan: Orphan) => boolean): void {
    const used = new Set(orphans.filter(isUsed));
    this.orphans = this.orphans.filter((orphan) => !used.has(orphan));
  }

  /** Makes a recorded message known by the operator's id. */
  add(recorded: Recorded): void {
    const { operatorMessageId: id } = recorded;
    if (id) this.#byOperatorId.set(id, [...(this.#byOperatorId.get(id) ?? []), recorded]);
  }

  /** Applies the receipts of a turn. Returns how many are kept without a message. */
  commit(operatorId: string, said: Said, known: number | undefined): number {
    const before = this.#kept(operatorId).length;
    if (known !== 0) {
      const answered = said.outcomes.flatMap((outcome) => outcome.operatorMessageId ?? []);
      this.adopt(operatorId, answered);
      if (answered.length > 0 || said.moves.some((move) => move.fate === "unknown"))
        this.adoptOfUnknown(operatorId, said.awaited);
    }
    for (const receipt of said.receipts)
      if (!this.#fit(operatorId, receipt, said.awaited))
        this.orphans.push({ receipt, operatorId, at: this.#tables.now });
    // As the process counts: what other sessions keep meanwhile is not in it.
    return Math.max(0, (known ?? before) + this.#kept(operatorId).length - before);
  }

  /** Applies kept receipts to messages that were accepted just now. */
  adopt(operatorId: string, ids: readonly string[]): void {
    this.#use(this.#kept(operatorId), ({ receipt }) => {
      if (!ids.includes(receipt.operatorMessageId)) return false;
      this.#apply(operatorId, receipt);
      return true;
    });
  }

  /** Settles messages that just became of unknown fate, and whose receipts came first. */
  adoptOfUnknown(operatorId: string, awaited: Awaited): void {
    this.#use(this.#kept(operatorId), (orphan) =>
      this.#settleByEvidence(operatorId, this.#aged(orphan), awaited),
    );
  }

  /** Whether there is something to apply again. */
  hasRecent(): boolean {
    return this.orphans.some(({ at }) => this.#tables.now - at < RECENT_MS);
  }

  /** Applies recent receipts again: see `src/gateway/orphans.ts`. */
  applyAgain(operatorId: string, awaited: Awaited): void {
    const recent = this.#kept(operatorId).filter(({ at }) => this.#tables.now - at < RECENT_MS);
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
  #settleByEvidence(operatorId: string, receipt: FinalReceipt, { ends, waitMs }: Awaited): boolean {
    const isOwed = ends.has(phoneEnd(receipt.phone)) || receipt.waitedMs < waitMs;
    if (receipt.reference === null && isOwed) return false;
    const { operatorIds } = this.#accountOf(operatorId);
    const candidates: QueuedMessage[] = [];
    for (const batch of this.#tables.batches.values()) {
      if (!operatorIds.includes(batch.operatorId!) || batch.session) continue;
      for (const message of batch.live.values())
        if (message.unknown && isAbout(receipt, message)) candidates.push(message);
    }
    const [message] = candidates;
    if (!message || candidates.length > 1) return false;
    const { operatorMessageId } = receipt;
    this.#tables.settle(operatorId, { message, status: "SENT", operatorMessageId, error: null });
    return this.#apply(operatorId, receipt);
  }
}
