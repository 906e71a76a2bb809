// Sends the receipts and incoming messages of a simulated carrier to its client, again until it answers with 2xx.
import { setTimeout as wait } from "node:timers/promises";
import { Agent, request } from "undici";
import type { SimulatedCallback } from "./dialect.ts";

/** Connections to one client; each carries one callback at a time. */
const CONNECTIONS = 50;
/** A callback that is not answered within this time has failed. */
const ANSWER_MS = 10_000;
/** A failed callback is sent again after this time. */
const RETRY_MS = 1_000;
/** Callbacks that wait or are under way. More are not sent; what they report is still owed in the log. */
const MAX_WAITING = 500_000;

export class Callbacks {
  readonly #attempts: number;
  readonly #agent = new Agent({
    connections: CONNECTIONS,
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
    connect: { timeout: ANSWER_MS },
  });
  readonly #stopping = new AbortController();
  #waiting = 0;
  #sent = 0;

  /** `attempts`: how often a callback is sent at most. */
  constructor(attempts: number) {
    this.#attempts = attempts;
  }

  /** Requests sent so far, with repeats. */
  get sent(): number {
    return this.#sent;
  }

  /** Sends a callback until it is answered with 2xx. Resolves to false if that does not happen. */
  async send(callback: SimulatedCallback): Promise<boolean> {
    if (this.#waiting >= MAX_WAITING) return false;
    this.#waiting++;
    try {
      for (let attempt = 1; ; attempt++) {
        if (await this.sendOnce(callback)) return true;
        if (attempt >= this.#attempts || this.#stopping.signal.aborted) return false;
        await this.#pause();
      }
    } finally {
      this.#waiting--;
    }
  }

  /** Sends a callback once. Resolves to whether it was answered with 2xx. */
  async sendOnce({ method, url, headers, body }: SimulatedCallback): Promise<boolean> {
    this.#sent++;
    try {
      const answer = await request(url, { dispatcher: this.#agent, method, headers, body: body ?? null });
      await answer.body.dump();
      return answer.statusCode >= 200 && answer.statusCode < 300;
    } catch {
      // The client is away, silent or gone in the middle: all the same to a carrier, which tries again.
      return false;
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#agent.destroy();
  }

  async #pause(): Promise<void> {
    // The only rejection is that of a stop, after which no attempt follows.
    await wait(RETRY_MS, undefined, { ref: false, signal: this.#stopping.signal }).catch(() => {});
  }
}
