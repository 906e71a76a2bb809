// The clock of one session: when it was heard and used last, and what follows from that. The session acts on it.
import type { CloseKind, Timers } from "./terms.ts";

/** So many unanswered enquire_link in a row mean that the peer is gone (S17, after 50 s at most with the defaults). */
const MISSES_TO_CLOSE = 2;
/** More bad PDUs and answers to unknown numbers than this in one minute end the session (S10). */
const MAX_FAULTS_PER_MINUTE = 10;

export class SessionWatch {
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
   * True when this check comes far too late, because the process stood still (SIGSTOP, a long pause). What the peer sent
   * meanwhile must be read first, so nothing is decided before the next check.
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

  /** A message was sent or received. An enquire_link does not count. */
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
