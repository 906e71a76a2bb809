// Jobs: work without a caller that runs by the clock, once in the whole cluster, kept by pg-boss in the database.
import { setTimeout as wait } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import type { Runtime } from "./runtime.ts";

/** A job of `src/jobs.ts`. Its work must be harmless when it is done twice: a node may die after it and before the note. */
export type Job = {
  /** Unique; letters, digits and hyphens. */
  name: string;
  /** Five fields, UTC: minute, hour, day of month, month, weekday. */
  cron: string;
  /** `signal` aborts when the process stops. */
  run: (app: Runtime, signal: AbortSignal) => Promise<void>;
};

const CONNECTIONS = 2;
const LIMIT_SECONDS = 900;
const STOP_MS = 5_000;

/** Runs the jobs on this node until stopped; another node takes over what is due meanwhile. */
export async function startJobs(
  app: Runtime,
  url: string,
  jobs: readonly Job[],
): Promise<{ stop(): Promise<void> }> {
  const boss = new PgBoss({ connectionString: url, max: CONNECTIONS, application_name: "atumpan-jobs" });
  boss.on("error", (error) => app.log.warn({ err: error }, "the job queue has trouble"));
  await boss.start();
  for (const job of jobs) {
    // Exclusive: a run that takes longer than its period is not run beside itself.
    await boss.createQueue(job.name, { policy: "exclusive", retryLimit: 0, expireInSeconds: LIMIT_SECONDS });
    await boss.work(job.name, async ([started]) => {
      try {
        await job.run(app, started?.signal ?? AbortSignal.timeout(LIMIT_SECONDS * 1_000));
      } catch (error) {
        app.log.error({ err: error, job: job.name }, "a job failed");
        throw error;
      }
    });
    await boss.schedule(job.name, job.cron, null, { tz: "UTC" });
  }
  return { stop: () => boss.stop({ graceful: true, timeout: STOP_MS }) };
}

/** Work that every worker does again and again, a moment after it was done last. Safe beside other processes. */
export type Tick = {
  name: string;
  pauseMs: number;
  run: (app: Runtime, signal: AbortSignal) => Promise<void>;
};

/** Runs the ticks until stopped; `stop()` resolves when the last one has ended. */
export function startTicks(app: Runtime, ticks: readonly Tick[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = ticks.map(async (tick) => {
    while (!signal.aborted) {
      await tick
        .run(app, signal)
        .catch((error: Error) => app.log.error({ err: error, tick: tick.name }, "a tick failed"));
      await wait(tick.pauseMs, undefined, { signal }).catch(() => {}); // ends early when stopping
    }
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
