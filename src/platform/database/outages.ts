// Outages: while the database is away, everything fails, so the log has one line a second, and one when it is back. An
// outage with short interruptions is one outage.
import { nowMs } from "../clock.ts";
import { isUnavailable } from "../http/envelope.ts";
import { perRuntime, type Runtime } from "../runtime.ts";
import { Silent } from "./connection.ts";
import { commitsWait } from "./silentstandby.ts";
import { CommitUnknown } from "./transaction.ts";

const LINE_EVERY_MS = 1_000;
/** An outage ends once nothing has failed for this long: a standby answers too, but accepts no writes. */
const OVER_AFTER_MS = 2_000;
/** A failure this soon after the end of an outage continues it. */
const SAME_WITHIN_MS = 60_000;

// A database that answers sends these: a statement took too long, or waited too long for a lock, such as that of a
// COMMIT that waits for a standby.
const OF_A_STATEMENT = new Set(["57014", "55P03"]);

type Outage = {
  since: string;
  failures: number;
  /** How often the database answered in between and went away again. */
  returns: number;
  failedAt: number;
  toldAt: number;
  /** The failures since the last line, with their counts. */
  untold: Map<string, number>;
};

const outages = perRuntime<{ now: Outage | undefined; last: Outage | undefined }>(() => ({
  now: undefined,
  last: undefined,
}));

/**
 * Logs a failure of work that will be retried: `said`, with the error and its stack. While the database is away, such
 * failures share one line a second, with the reason, the count of each, and the start of the outage.
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
  if (!isUnavailable(error)) return false;
  const isOfStandby = isLate(error, code) && commitsWait(app);
  if (OF_A_STATEMENT.has(code as string) && !isOfStandby) return false;
  const now = performance.now();
  const state = outages(app);
  state.now ??= goingOn(state.last, now) ?? {
    since: new Date(nowMs()).toISOString(),
    failures: 0,
    returns: 0,
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
    const { since, failures, returns, untold } = outage;
    const reason = isOfStandby ? NO_STANDBY : reasonOf(error as Error);
    const failed = Object.fromEntries(untold);
    app.log.warn({ reason, since, failures, ...(returns > 0 && { returns }), failed }, DATABASE_AWAY);
    untold.clear();
  }
  return true;
}

/** Ends and logs an outage, if the answer that the database has just given ends it. */
export function noteAnswer(app: Runtime): void {
  const state = outages(app);
  const { now: outage } = state;
  if (!outage || performance.now() - outage.failedAt < OVER_AFTER_MS) return;
  state.now = undefined;
  state.last = outage;
  const { since, failures, returns } = outage;
  app.log.warn({ since, failures, ...(returns > 0 && { returns }) }, "the database answers again");
}

const DATABASE_AWAY = "the database does not answer";
const NO_STANDBY = "no standby confirms: each COMMIT waits for one (synchronous_standby_names)";

/** Returns the previous outage, if this failure continues it. */
function goingOn(last: Outage | undefined, now: number): Outage | undefined {
  if (!last || now - last.failedAt > SAME_WITHIN_MS) return undefined;
  last.returns++;
  return last;
}

/** Whether an error means that an answer took too long, rather than that there is no database. */
function isLate(error: unknown, code: unknown): boolean {
  return error instanceof Silent || error instanceof CommitUnknown || OF_A_STATEMENT.has(code as string);
}

/** A host with several addresses fails with one error for each, and no message of its own. */
function reasonOf(error: Error): string {
  if (error instanceof AggregateError && error.message === "")
    return error.errors.map((one: Error) => one.message).join("; ");
  return error.message;
}
