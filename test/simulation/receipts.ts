// What receipts do in the tables of the simulation: see `src/gateway/receipts.ts`.
import { type FinalReceipt, isAbout } from "../../src/gateway/receipts.ts";
import type { MessageOutcome, Move, QueuedMessage } from "../../src/sends/sends.ts";
import { isSamePhone, phoneEnd } from "../../src/sms/sms.ts";
import type { Recorded, Tables } from "./tables.ts";

type Said = {
  outcomes: readonly MessageOutcome[];
  moves: readonly Move[];
  receipts: readonly FinalReceipt[];
  awaited: ReadonlySet<string>;
};

export class Receipts {
  /** By operator, the receipts whose message is not known. */
  readonly orphans = new Map<string, FinalReceipt[]>();
  readonly #tables: Tables;
  /** By operator and its id, the recorded messages. */
  readonly #byOperatorId = new Map<string, Recorded[]>();

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  #kept(operatorId: string): FinalReceipt[] {
    const kept = this.orphans.get(operatorId) ?? [];
    this.orphans.set(operatorId, kept);
    return kept;
  }

  /** Makes a recorded message known by the operator's id. */
  add(recorded: Recorded): void {
    if (!recorded.operatorMessageId) return;
    const key = `${recorded.operatorId} ${recorded.operatorMessageId}`;
    this.#byOperatorId.set(key, [...(this.#byOperatorId.get(key) ?? []), recorded]);
  }

  /** Applies the receipts of a turn. Returns how many of the operator are kept without a message. */
  commit(operatorId: string, said: Said, known: number | undefined): number {
    if (known !== 0) {
      const answered = said.outcomes.flatMap((outcome) => outcome.operatorMessageId ?? []);
      this.adopt(operatorId, answered);
      if (answered.length > 0 || said.moves.some((move) => move.fate === "unknown"))
        this.adoptOfUnknown(operatorId, said.awaited);
    }
    for (const receipt of said.receipts) {
      if (this.#apply(operatorId, receipt) || this.#settleByEvidence(operatorId, receipt, said.awaited))
        continue;
      this.#kept(operatorId).push(receipt);
    }
    return this.#kept(operatorId).length;
  }

  /** Applies kept receipts to messages that were accepted just now. */
  adopt(operatorId: string, ids: readonly string[]): void {
    const kept = this.#kept(operatorId);
    for (const receipt of kept.filter(({ operatorMessageId }) => ids.includes(operatorMessageId))) {
      kept.splice(kept.indexOf(receipt), 1);
      this.#apply(operatorId, receipt);
    }
  }

  /** Settles messages that just became of unknown fate, and whose receipts came first. */
  adoptOfUnknown(operatorId: string, awaited: ReadonlySet<string>): void {
    const kept = this.#kept(operatorId);
    for (const receipt of [...kept])
      if (this.#settleByEvidence(operatorId, receipt, awaited)) kept.splice(kept.indexOf(receipt), 1);
  }

  /** Whether a message has the id. Only its first receipt counts. */
  #apply(operatorId: string, receipt: FinalReceipt): boolean {
    const fitting = this.#byOperatorId.get(`${operatorId} ${receipt.operatorMessageId}`) ?? [];
    const rank = ({ message, status }: Recorded) =>
      (isSamePhone(message.phone, receipt.phone) ? 0 : 2) + (status === "SENT" ? 0 : 1);
    const [first] = fitting.toSorted((a, b) => rank(a) - rank(b) || a.at - b.at);
    if (first?.status === "SENT") first.status = receipt.status;
    return first !== undefined;
  }

  /** Settles the one message of unknown fate that a receipt can be about. */
  #settleByEvidence(operatorId: string, receipt: FinalReceipt, awaited: ReadonlySet<string>): boolean {
    if (receipt.reference === null && awaited.has(phoneEnd(receipt.phone))) return false;
    const candidates: QueuedMessage[] = [];
    for (const batch of this.#tables.batches.values()) {
      if (batch.operatorId !== operatorId || batch.session) continue;
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
