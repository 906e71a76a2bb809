// Gauges of each job's last run and delay. A scrape reads nothing: the worker reads the jobs each second anyway.
import { Gauge } from "prom-client";
import type { JobRow } from "../database/sql.ts";
import type { Runtime } from "../runtime.ts";
import type { Job, NextOf } from "./jobs.ts";

/**
 * Adds the gauges of the jobs to the metrics of a worker: the same on every worker. Call the returned function with the
 * rows of each look.
 */
export function showJobs(
  app: Runtime,
  jobs: readonly Job[],
  nextOf: NextOf,
): (seen: readonly JobRow[]) => void {
  let seen: readonly JobRow[] = [];
  let seenAt = performance.now();
  const gauge = (name: string, help: string, figureOf: (job: Job, row: JobRow, now: number) => number) =>
    new Gauge({
      name: `atumpan_job_${name}_seconds`,
      help,
      labelNames: ["job"],
      registers: [app.metrics],
      collect() {
        this.reset();
        const sinceMs = performance.now() - seenAt;
        for (const job of jobs) {
          const row = seen.find((one) => one.name === job.name);
          if (row) this.set({ job: job.name }, figureOf(job, row, row.now.getTime() + sinceMs) / 1_000);
        }
      },
    });
  gauge("age", "How long ago the last run of the job that ended began.", (_job, row, now) =>
    Math.max(0, now - row.ranAt.getTime()),
  );
  gauge(
    "late",
    "How long the job has been due without a run that ended; 0: it is not due.",
    (job, row, now) => Math.max(0, now - nextOf(job, row)),
  );
  return (found) => {
    seen = found;
    seenAt = performance.now();
  };
}
