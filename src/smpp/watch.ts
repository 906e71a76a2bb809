// The clock of one session: what was heard and used last, and what that means now. It holds no timer and does nothing.
import type { CloseKind, Timers } from "./terms.ts";

/** enquire_link unanswered this often in a row: the peer is gone (S17, at most 30 + 10 + 10 s with the defaults). */
const MISSES_TO_CLOSE = 2;
/** More bad PDUs and answers to unknown numbers than this in one minute end the session (S10). */
const MAX_FAULTS_PER_MINUTE = 10;

export class Watch {
  readonly #timers: Timers;
  readonly #openedAt: number;
  #heardAt: number;
  #usedAt: number;
  #partialSince = 0;
  #enquiredAt = 0;
  #misses = 0;
  #lookedAt: number;
  #faults = { count: 0, since: 0 };

  constructor(timers: Timers, now: number) {
    this.#timers = timers;
    this.#openedAt = now;
    this.#heardAt = now;
    this.#usedAt = now;
    this.#lookedAt = now;
  }

  /** How often to look: a tenth of the shortest timer, 5 ms to 1 s. */
  get tickMs(): number {
    const { bindMs, responseMs, enquireLinkMs, pduReadMs, drainMs, inactivityMs } = this.#timers;
    const shortest = Math.min(
      bindMs,
      responseMs,
      enquireLinkMs,
      pduReadMs,
      drainMs,
      inactivityMs || Infinity,
    );
    return Math.min(1000, Math.max(5, shortest / 10));
  }

  /**
   * Whether this look comes far too late: this process stood still (SIGSTOP, a long pause), and what the peer sent in the
   * meantime is not read yet. It is to be read before anything is judged, at the next look.
   */
  hasStalled(now: number): boolean {
    const sinceMs = now - this.#lookedAt;
    this.#lookedAt = now;
    return sinceMs > 2 * this.tickMs + 50;
  }

  /** Bytes came: whatever they are, the peer lives. `partial` says how they left the reader. */
  heard(now: number, partial: "none" | "same" | "new"): void {
    this.#heardAt = now;
    this.#enquiredAt = 0;
    this.#misses = 0;
    if (partial === "none") this.#partialSince = 0;
    else if (partial === "new" || this.#partialSince === 0) this.#partialSince = now;
  }

  /** A message went or came; enquire_link is no use. */
  used(now: number): void {
    this.#usedAt = now;
  }

  /** Notes a fault of the peer; true when they have become too many. */
  isFaulty(now: number): boolean {
    if (now - this.#faults.since >= 60_000) this.#faults = { count: 0, since: now };
    return ++this.#faults.count > MAX_FAULTS_PER_MINUTE;
  }

  /** What to do now: end the session for a reason, ask whether the peer lives, or nothing. */
  verdict(now: number, bound: boolean): CloseKind | "enquire" | undefined {
    const { bindMs, responseMs, enquireLinkMs, pduReadMs, inactivityMs } = this.#timers;
    if (this.#partialSince !== 0 && now - this.#partialSince >= pduReadMs) return "pdu-read-timeout";
    if (!bound) return now - this.#openedAt >= bindMs ? "bind-timeout" : undefined;
    if (inactivityMs > 0 && now - this.#usedAt >= inactivityMs) return "inactive";
    if (this.#enquiredAt !== 0) {
      if (now - this.#enquiredAt < responseMs) return undefined;
      if (++this.#misses >= MISSES_TO_CLOSE) return "enquire-link-timeout";
    } else if (now - this.#heardAt < enquireLinkMs) return undefined;
    this.#enquiredAt = now;
    return "enquire";
  }
}
