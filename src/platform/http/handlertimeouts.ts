// The time limit of handlers.

const SWEEP_MS = 1_000;

type Expected = { readonly dueMs: number; readonly giveUp: () => void };

/**
 * Ends the wait for handlers that take too long. Their work continues, bounded by the statement timeout. One sweep a
 * second checks all handlers, because fastify's `handlerTimeout` (an AbortController each) and a timer with a race each
 * cost 10 µs of the 32 that a request takes (2026-11-21).
 */
export class HandlerTimeouts {
  readonly #limitMs: number;
  /** The entries are in order of time, because all have the same limit. */
  readonly #expected = new Set<Expected>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref();
  }

  expect(giveUp: () => void): Expected {
    const entry = { dueMs: performance.now() + this.#limitMs, giveUp };
    this.#expected.add(entry);
    return entry;
  }

  /** Ends the wait for a handler. True if the handler was in time. */
  meet(entry: Expected): boolean {
    return this.#expected.delete(entry);
  }

  stop(): void {
    clearInterval(this.#sweeper);
  }

  #sweep(): void {
    const now = performance.now();
    for (const entry of this.#expected) {
      if (entry.dueMs > now) return;
      this.#expected.delete(entry);
      entry.giveUp();
    }
  }
}
