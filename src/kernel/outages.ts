// Outages: while the database is away, all that a process does fails. The log says so once a second, and when it is back.
import { nowMs } from "./clock.ts";
import { isUnavailable } from "./envelope.ts";
import { perRuntime, type Runtime } from "./runtime.ts";

const LINE_EVERY_MS = 1_000;
/** An outage is over when the database answers and nothing has failed for so long: a standby answers, but takes nothing. */
const OVER_AFTER_MS = 2_000;

// A database says these that answers: a statement took too long, or waited too long for a lock.
const OF_A_STATEMENT = new Set(["57014", "55P03"]);

type Outage = {
  since: string;
  failures: number;
  failedAt: number;
  toldAt: number;
  /** What has failed since the last line, and how often. */
  untold: Map<string, number>;
};

const outages = perRuntime<{ now: Outage | undefined }>(() => ({ now: undefined }));

/**
 * Logs that work has failed which is done again: `said`, with the error and its stack. While the database is away, such
 * failures share one line a second, with the reason, what failed how often, and since when.
 */
export function reportFailure(
  app: Runtime,
  error: unknown,
  said: string,
  { level = "warn", ...about }: { level?: "warn" | "error"; [field: string]: unknown } = {},
): void {
  if (!noteOutage(app, error, said)) app.log[level]({ err: error, ...about }, said);
}

/** Counts a failure to an outage if the database is away. False: this is no outage, and nothing was logged. */
export function noteOutage(app: Runtime, error: unknown, said: string): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (!isUnavailable(error) || OF_A_STATEMENT.has(code as string)) return false;
  const now = performance.now();
  const state = outages(app);
  state.now ??= {
    since: new Date(nowMs()).toISOString(),
    failures: 0,
    failedAt: now,
    toldAt: Number.NEGATIVE_INFINITY,
    untold: new Map(),
  };
  const outage = state.now;
  outage.failedAt = now;
  outage.failures++;
  outage.untold.set(said, (outage.untold.get(said) ?? 0) + 1);
  if (now - outage.toldAt >= LINE_EVERY_MS) {
    outage.toldAt = now;
    const { since, failures, untold } = outage;
    const reason = reasonOf(error as Error);
    app.log.warn({ reason, since, failures, failed: Object.fromEntries(untold) }, DATABASE_AWAY);
    untold.clear();
  }
  return true;
}

/** Says that an outage is over, if the database has answered now and that ends one. */
export function noteAnswer(app: Runtime): void {
  const state = outages(app);
  const { now: outage } = state;
  if (!outage || performance.now() - outage.failedAt < OVER_AFTER_MS) return;
  state.now = undefined;
  const { since, failures } = outage;
  app.log.warn({ since, failures }, "the database answers again");
}

const DATABASE_AWAY = "the database does not answer";

/** A host with several addresses fails with one error for each, and no words of its own. */
function reasonOf(error: Error): string {
  if (error instanceof AggregateError && error.message === "")
    return error.errors.map((one: Error) => one.message).join("; ");
  return error.message;
}
