// Optional work at the start, such as the demo: it never ends the process, and is retried if it fails.
import { setTimeout as wait } from "node:timers/promises";
import { reportFailure } from "./platform/database/outages.ts";
import type { Runtime } from "./platform/runtime.ts";

/** The delays between tries. After the last one, the work is skipped until the next start. */
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000];

export class OptionalWork {
  readonly #app: Runtime;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(app: Runtime) {
    this.#app = app;
  }

  /** Runs `work` once and resolves when it has ended. If it failed, it is retried in the background. */
  async run(what: string, work: () => Promise<void>): Promise<void> {
    if (await this.#try(what, work)) return;
    const repeating = this.#repeat(what, work).finally(() => this.#running.delete(repeating));
    this.#running.add(repeating);
  }

  async #repeat(what: string, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    for (const ms of RETRY_MS) {
      await wait(ms, undefined, { signal }).catch(() => {});
      if (signal.aborted || (await this.#try(what, work))) return;
    }
    this.#app.log.error({ what }, "optional work of the start is given up until the next start");
  }

  async #try(what: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      // The process is stopping and has closed resources that the work needs, so its failure does not matter.
      if (this.#stopping.signal.aborted) return true;
      reportFailure(this.#app, error, "optional work of the start failed", { what });
      return false;
    }
  }

  /** Stops retrying, and waits for running work. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }
}
