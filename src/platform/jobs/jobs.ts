// Jobs: background work. A job runs by the clock, once in the whole cluster; a tick repeats on every worker.
import { setTimeout as wait } from "node:timers/promises";
import { Cron } from "croner";
import { reportFailure } from "../database/outages.ts";
import { one } from "../database/query.ts";
import * as sql from "../database/sql.ts";
import type { Tx } from "../database/transaction.ts";
import { addReadiness } from "../http/probes.ts";
import type { Runtime } from "../runtime.ts";
import { showJobs } from "./gauges.ts";

/** A job of `src/jobs.ts`. It must be idempotent, because a node may die before the run is recorded. */
export type Job = {
  /** Unique; letters, digits and hyphens. */
  name: string;
  /** Five fields, UTC: minute, hour, day of month, month, weekday. */
  cron: string;
  /** The job sends messages or decides what becomes of them, so it does not run while sending is held. */
  sends?: true;
  /** `signal` aborts when the process stops, when the job has taken too long, or when another node may take it over. */
  run: (app: Runtime, signal: AbortSignal) => Promise<void>;
};

const LOOK_EVERY_MS = 1_000;
const LOOK_OVERDUE_MS = 4_000;
const LIMIT_MS = 15 * 60_000;
// The transaction of a run sends a statement this often. After `HOLD_LIMIT_MS` without one, the server ends it and
// releases its lock.
const HOLD_EVERY_MS = 2_000;
const HOLD_LIMIT_MS = 20_000;
const STOP_MS = 5_000;

/**
 * Runs the jobs on this node until stopped. The database supplies the time and when each job last ran, so this
 * process's clock does not matter. A job that became due while no node ran is run once. A run holds the job's lock in
 * a transaction that also records the run. If the node dies, lock and record are gone, and another node runs the job.
 */
export async function startJobs(app: Runtime, jobs: readonly Job[]): Promise<{ stop(): Promise<void> }> {
  await app.database.run(sql.insertJobs, [jobs.map((job) => job.name)]);
  const nextOf = occurrencesOf(jobs);
  const isDue = dueChecker(nextOf);
  const show = showJobs(app, jobs, nextOf);
  const running = new Map<string, Promise<void>>();
  let lookedAt = performance.now();
  const look = async (_app: Runtime, stopping: AbortSignal) => {
    const seen = await app.database.run(sql.listJobs, [jobs.map((job) => job.name)]);
    lookedAt = performance.now();
    show(seen);
    for (const job of jobs) {
      if (running.has(job.name) || isHeld(app, job) || !isDue(job, seen)) continue;
      const run = runAlone(app, job, isDue, stopping)
        .catch((error: Error) =>
          reportFailure(app, error, "a job was not noted, and runs again", { job: job.name }),
        )
        .finally(() => running.delete(job.name));
      running.set(job.name, run);
    }
  };
  const looking = startTicks(app, [{ name: "jobs-look", pauseMs: LOOK_EVERY_MS, run: look }]);
  const leaveReadiness = addReadiness(
    app,
    () => (performance.now() - lookedAt > LOOK_OVERDUE_MS ? "the jobs are not looked at" : undefined),
    "worker",
  );
  return {
    async stop() {
      leaveReadiness();
      await looking.stop();
      await Promise.race([Promise.all(running.values()), wait(STOP_MS, undefined, { ref: false })]);
    },
  };
}

function isHeld(app: Runtime, { sends }: Job | Tick): boolean {
  return sends === true && app.incarnation.isHeld;
}

/** Returns when a job is due next after its last run, in milliseconds since 1970; infinite: never again. */
export type NextOf = (job: Job, row: sql.JobRow) => number;

function occurrencesOf(jobs: readonly Job[]): NextOf {
  const crons = new Map(jobs.map((job) => [job.name, new Cron(job.cron, { timezone: "UTC" })]));
  // croner takes 1 ms to find the next occurrence (2026-11-22), which changes only with a run.
  const known = new Map<string, { ranAt: number; next: number }>();
  return (job, row) => {
    const ranAt = row.ranAt.getTime();
    if (known.get(job.name)?.ranAt !== ranAt) {
      const next = crons.get(job.name)!.nextRun(row.ranAt)?.getTime() ?? Number.POSITIVE_INFINITY;
      known.set(job.name, { ranAt, next });
    }
    return known.get(job.name)!.next;
  };
}

type IsDue = (job: Job, seen: readonly sql.JobRow[]) => boolean;

/** Returns a function that checks whether an occurrence of a job has come since its last run. */
function dueChecker(nextOf: NextOf): IsDue {
  return (job, seen) => {
    const row = seen.find((one) => one.name === job.name);
    if (!row) return false;
    // If the clock of the database was set back, the jobs do not wait until the old time comes again.
    return row.now.getTime() >= nextOf(job, row) || row.now.getTime() < row.ranAt.getTime();
  };
}

/** Runs a job and records the run, unless another process runs it now or has just run it. */
async function runAlone(app: Runtime, job: Job, isDue: IsDue, stopping: AbortSignal): Promise<void> {
  await app.database.transaction(async (tx) => {
    const lock = await one(tx, sql.lockJob, [job.name, `${HOLD_LIMIT_MS}`]);
    if (!lock.locked || !isDue(job, await tx.run(sql.listJobs, [[job.name]]))) return;
    await holding(tx, AbortSignal.any([stopping, AbortSignal.timeout(LIMIT_MS)]), (signal) =>
      job
        .run(app, signal)
        .catch((error: Error) =>
          reportFailure(app, error, "a job failed", { level: "error", job: job.name }),
        ),
    );
    // If a stop interrupted the job, it is not recorded, so that another node runs it.
    if (!stopping.aborted) await tx.run(sql.markJob, [job.name]);
  });
}

/** Runs `work` and keeps the transaction alive. The signal aborts with `over`, or when the transaction is lost. */
async function holding(
  tx: Tx,
  over: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const lost = new AbortController();
  const hold = setInterval(() => {
    // After `over` nothing keeps the transaction alive, so work that does not end loses its lock.
    if (!over.aborted) tx.run(sql.holdJob).catch((error: Error) => lost.abort(error));
  }, HOLD_EVERY_MS);
  try {
    await work(AbortSignal.any([over, lost.signal]));
  } finally {
    clearInterval(hold);
  }
}

/** Work that every worker repeats, `pauseMs` after its last end. It must be safe while other processes run it. */
export type Tick = {
  name: string;
  pauseMs: number;
  /** The same as in `Job`. */
  sends?: true;
  run: (app: Runtime, signal: AbortSignal) => Promise<void>;
};

/**
 * The time between the starts of two ticks: the next one starts when the first run of the one before it has ended, within
 * these limits, since some run for hours. Ticks that start at once open a connection each, which costs 8 ms of CPU. With
 * nineteen of them at once, a start took 343 ms of CPU, and 232 with 20 ms between two (2 cores, 2026-11-24). On a busy
 * machine a first run takes longer than that, and a start opened 20 connections (2026-11-28).
 */
const APART_MS = { atLeast: 20, atMost: 250 };

/** Runs the ticks until stopped; `stop()` resolves when the last one has ended. */
export function startTicks(app: Runtime, ticks: readonly Tick[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const runOnce = async (tick: Tick) => {
    if (isHeld(app, tick)) return;
    try {
      await tick.run(app, signal);
    } catch (error) {
      reportFailure(app, error, "a tick failed", { level: "error", tick: tick.name });
    }
  };
  const repeat = async (tick: Tick, first: Promise<void>) => {
    await first;
    for (;;) {
      await wait(tick.pauseMs, undefined, { signal }).catch(() => {}); // ends early when stopping
      if (signal.aborted) return;
      await runOnce(tick);
    }
  };
  const running: Promise<void>[] = [];
  const apart = (ms: number) => wait(ms, undefined, { signal, ref: false }).catch(() => {});
  const startEach = async () => {
    for (const tick of ticks) {
      if (signal.aborted) return;
      const first = runOnce(tick);
      running.push(repeat(tick, first));
      await Promise.all([apart(APART_MS.atLeast), Promise.race([first, apart(APART_MS.atMost)])]);
    }
  };
  const starting = startEach();
  return {
    async stop() {
      stopping.abort();
      await starting;
      await Promise.all(running);
    },
  };
}
