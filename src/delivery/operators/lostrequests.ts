// Requests of messages to carriers over HTTP that got no usable answer: which of them may still arrive at the carrier.
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { carrierIdOf, messageOfCarrierId } from "./carriermessages.ts";

/** The database notes a loss after the process does, by a clock of its own. */
const CLOCKS_DIFFER_MS = 10_000;

/** A message with requests of unknown fate. `underWay`: how many of them may still arrive. */
type Lost = { underWay: number; until: number };

/** By operator and message, for all binds and sessions of this process: one bind asks about the messages of all. */
const lostOf = perRuntime(() => new Map<string, Lost>());

/** The lost requests of one operator, which outlive the session that made them. */
export class LostRequests {
  readonly #lost: Map<string, Lost>;
  readonly #operatorId: string;
  readonly #lateMs: number;

  /** `lateMs`: a request that is older than this can no longer arrive. */
  constructor(app: Runtime, operatorId: string, lateMs: number) {
    this.#lost = lostOf(app);
    this.#operatorId = operatorId;
    this.#lateMs = lateMs;
  }

  /** Notes a request by its id, which is that of a message or of a part. Returns a function to call once it is over. */
  note(id: string, isUnderWay: boolean): () => void {
    const now = performance.now();
    this.#forgetOld(now);
    const key = this.#keyOf(id);
    const lost = this.#lost.get(key) ?? { underWay: 0, until: 0 };
    lost.until = now + this.#lateMs;
    if (isUnderWay) lost.underWay++;
    // At the end, so that the oldest come first.
    this.#lost.delete(key);
    this.#lost.set(key, lost);
    return () => {
      if (isUnderWay) lost.underWay--;
    };
  }

  /**
   * Whether no request of a message can arrive any more, which was lost `lostMs` ago. If this process has not sent it,
   * only time tells: the requests of another process may be under way.
   */
  isOver(id: string, lostMs: number): boolean {
    const known = this.#lost.get(this.#keyOf(id));
    const now = performance.now();
    // What was noted before the loss concerns an earlier request: another process may have sent the last one.
    const isOfThisLoss = known !== undefined && known.until - this.#lateMs >= now - lostMs - CLOCKS_DIFFER_MS;
    const isKnown = isOfThisLoss && known.until > now;
    return isKnown ? known.underWay === 0 : lostMs > this.#lateMs;
  }

  /** What is known of a message says nothing of its next loss, which may be in another process. */
  forget(id: string): void {
    this.#lost.delete(this.#keyOf(id));
  }

  #keyOf(id: string): string {
    const message = messageOfCarrierId(id);
    return `${this.#operatorId} ${message ? carrierIdOf(message) : id}`;
  }

  #forgetOld(now: number): void {
    for (const [key, { until }] of this.#lost) {
      if (until > now) return;
      this.#lost.delete(key);
    }
  }
}
