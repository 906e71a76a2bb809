// Outages: while the database is away, everything that a process does fails. The log says so once a second, not each time.
import { nowMs } from "./clock.ts";
import { isUnavailable } from "./envelope.ts";
import { perRuntime, type Runtime } from "./runtime.ts";

const LINE_EVERY_MS = 1_000;
/** An outage is over when the database answers and nothing has failed for so long: a standby answers, and takes nothing. */
const OVER_AFTER_MS = 2_000;

// These say that a statement had to wait too long, of a database that answers.
const OF_A_STATEMENT = new Set(["57014", "55P03"]);

type Outage = {
  since: string;
  /** Failures that no line has told yet, and all of them. */
  untold: number;
  failures: number;
  toldAt: number;
  failedAt: number;
};

const outages = perRuntime<{ now: Outage | undefined }>(() => ({ now: undefined }));

/**
 * Logs a failure of work that is done again: `said`, with the error and its stack. Where the database is away, this is one
 * failure of many: they share one line a second, with the reason, their number and the time of the first one.
 */
export function reportFailure(
  app: Runtime,
  error: unknown,
  said: string,
  about: { [field: string]: unknown; level?: "warn" | "error" } = {},
): void {
  const { level = "warn", ...fields } = about;
  if (isAway(error)) countFailure(app, error as Error);
  else app.log[level]({ err: error, ...fields }, said);
}

/** The database has answered a ping: says so if that ends an outage. */
export function noteAnswer(app: Runtime): void {
  const state = outages(app);
  const { now: outage } = state;
  if (!outage || performance.now() - outage.failedAt < OVER_AFTER_MS) return;
  state.now = undefined;
  const { since, failures } = outage;
  app.log.warn({ since, failures }, "the database answers again");
}

function isAway(error: unknown): boolean {
  return isUnavailable(error) && !OF_A_STATEMENT.has((error as { code?: string }).code ?? "");
}

function countFailure(app: Runtime, error: Error): void {
  const now = performance.now();
  const state = outages(app);
  state.now ??= {
    since: new Date(nowMs()).toISOString(),
    untold: 0,
    failures: 0,
    toldAt: Number.NEGATIVE_INFINITY,
    failedAt: now,
  };
  const outage = state.now;
  outage.failedAt = now;
  outage.failures++;
  outage.untold++;
  if (now - outage.toldAt < LINE_EVERY_MS) return;
  const { since, untold: failures } = outage;
  app.log.warn({ reason: reasonOf(error), failures, since }, "the database does not answer");
  outage.toldAt = now;
  outage.untold = 0;
}

/** A host with several addresses fails with one error for each, and no words of its own. */
function reasonOf(error: Error): string {
  if (error instanceof AggregateError && error.message === "")
    return error.errors.map((one: Error) => one.message).join("; ");
  return error.message;
}
