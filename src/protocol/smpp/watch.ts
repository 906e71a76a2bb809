// The clock of one session: when it last received bytes and last carried a message, and what the session must do.
import type { CloseKind, Timers } from "./terms.ts";

/** This many unanswered enquire_links in a row mean that the peer is gone (S17, after 50 s at most by default). */
const MISSES_TO_CLOSE = 2;
/** More malformed PDUs and answers to unknown numbers than this in one minute end the session (S10). */
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

  /** The interval between checks: a tenth of the shortest timer, 5 ms to 1 s. */
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
   * Whether this check comes far too late, because the process was stopped (SIGSTOP, a long pause). The bytes that the
   * peer sent meanwhile must be read first, so nothing is decided before the next check.
   */
  hasStalled(now: number): boolean {
    const sinceMs = now - this.#lookedAt;
    this.#lookedAt = now;
    return sinceMs > 2 * this.tickMs + 50;
  }

  /** Records that bytes arrived: whatever they are, the peer is alive. `partial`: the reader's state after them. */
  heard(now: number, partial: "none" | "same" | "new"): void {
    this.#heardAt = now;
    this.#enquiredAt = 0;
    this.#misses = 0;
    if (partial === "none") this.#partialSince = 0;
    else if (partial === "new" || this.#partialSince === 0) this.#partialSince = now;
  }

  /** Records that a message was sent or received. An enquire_link does not count. */
  used(now: number): void {
    this.#usedAt = now;
  }

  /** Records a fault of the peer. Returns whether there are now too many. */
  isFaulty(now: number): boolean {
    if (now - this.#faults.since >= 60_000) this.#faults = { count: 0, since: now };
    return ++this.#faults.count > MAX_FAULTS_PER_MINUTE;
  }

  /** Returns what to do now: end the session for a reason, send an enquire_link, or nothing. */
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
