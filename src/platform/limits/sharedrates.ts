// Shared rates: token buckets of all processes together. The database has each bucket. A process has a view of it,
// gives out a little before it reports that, and then asks the database.
import { Counter } from "prom-client";
import { reportFailure } from "../database/outages.ts";
import { deleteInSteps } from "../database/steps.ts";
import { batcher } from "../jobs/batcher.ts";
import { perRuntime, type Runtime } from "../runtime.ts";
import * as sql from "./rates.sql.ts";
import { Buckets, type RateOptions, refill, type TokenBucket, waitSecondsOf } from "./rates.ts";

/**
 * The part of a burst that a process may give out unreported. So ten processes with outdated views give out only a
 * tenth too much, once: the excess is owed, and the rate makes up for it.
 */
const UNTOLD_SHARE = 0.01;
/** Reports wait this long for others, so that busy keys cost ten statements a second together. */
const TELL_AFTER_MS = 100;
const KEYS_AT_ONCE = 500;
/** The most keys with pending reports, as in a long outage. What is given out for others is not reported. */
const DUE_AT_MOST = 50_000;
/** After a failure of the database each process counts by itself for this long. */
const ALONE_MS = 1_000;

/** A process's view of a bucket. */
type SharedBucket = TokenBucket & {
  readonly of: SharedRateOptions;
  readonly key: string;
  /** Given out, or given back if below 0, and not reported yet. */
  untold: number;
  /** The callers that wait for an answer of the database. */
  asking: ((waitSeconds: number) => void)[];
  /** Whether it is being sent to the database, or about to be. */
  isUnderWay: boolean;
};

export type SharedRateOptions = RateOptions & {
  /** Names the buckets in the database: unique among all. */
  name: string;
};

/** One bucket per key, of all processes together. */
export class SharedRates {
  readonly #app: Runtime;
  readonly #options: SharedRateOptions;
  readonly #untoldAtMost: number;
  readonly #buckets = new Buckets<SharedBucket>();

  constructor(app: Runtime, options: SharedRateOptions) {
    this.#app = app;
    this.#options = options;
    this.#untoldAtMost = Math.floor(options.burst * UNTOLD_SHARE);
  }

  /**
   * Takes one and returns 0. If there is none, it returns the whole seconds until there is one. It answers at once if
   * this process may give one out or knows that there is none, and otherwise asks the database. While the database does
   * not answer, the process counts by itself. It never rejects.
   */
  take(key: string): number | Promise<number> {
    const bucket = this.#bucketOf(key);
    const exchange = exchangeOf(this.#app);
    const mayGive = bucket.untold < this.#untoldAtMost || exchange.isAlone();
    if (mayGive || bucket.left < 1) return this.#giveOut(bucket);
    return new Promise((resolve) => {
      bucket.asking.push(resolve);
      exchange.ask(bucket);
    });
  }

  /** Undoes a `take` that returned 0. */
  giveBack(key: string): void {
    const bucket = this.#bucketOf(key);
    bucket.left = Math.min(bucket.left + 1, this.#options.burst);
    bucket.untold -= 1;
    this.#tell(bucket);
  }

  #giveOut(bucket: SharedBucket): number {
    const waitSeconds = giveOut(bucket);
    if (waitSeconds === 0) this.#tell(bucket);
    return waitSeconds;
  }

  /** Schedules a report once half of the allowed unreported amount is reached. */
  #tell(bucket: SharedBucket): void {
    if (2 * Math.abs(bucket.untold) >= this.#untoldAtMost) exchangeOf(this.#app).tell(bucket);
  }

  #bucketOf(key: string): SharedBucket {
    const nowMs = performance.now();
    const bucket = this.#buckets.get(key, () => ({
      of: this.#options,
      key: this.#app.secrets.digest("rate", `${this.#options.name} ${key}`),
      left: this.#options.burst,
      atMs: nowMs,
      untold: 0,
      asking: [],
      isUnderWay: false,
    }));
    refreshView(bucket, nowMs);
    return bucket;
  }
}

/** What has accrued since no longer needs a report. */
function refreshView(bucket: SharedBucket, nowMs: number): void {
  refill(bucket, bucket.of, nowMs);
  bucket.untold = Math.min(bucket.untold, bucket.of.burst - bucket.left);
}

/** Takes one by the view of this process, and returns 0; or the seconds to wait. */
function giveOut(bucket: SharedBucket): number {
  const waitSeconds = waitSecondsOf(bucket, bucket.of);
  if (waitSeconds > 0) return waitSeconds;
  bucket.left -= 1;
  bucket.untold += 1;
  return 0;
}

/** Synchronizes the views of a process with the buckets: all waiting ones share one statement. */
class Exchange {
  readonly #app: Runtime;
  readonly #due = new Set<SharedBucket>();
  readonly #outcomes: Counter<"outcome">;
  #telling: NodeJS.Timeout | undefined;
  #aloneUntilMs = Number.NEGATIVE_INFINITY;
  readonly #travel = batcher<SharedBucket, void>({
    max: KEYS_AT_ONCE,
    run: async (buckets) => {
      await this.#run(buckets);
      return buckets.map(() => undefined);
    },
  });

  constructor(app: Runtime) {
    this.#app = app;
    this.#outcomes = new Counter({
      name: "atumpan_rate_exchanges_total",
      help: "Exchanges of rates with the database; alone: it did not answer, so each process counted for itself.",
      labelNames: ["outcome"],
      registers: [app.metrics],
    });
    for (const outcome of ["shared", "alone"]) this.#outcomes.inc({ outcome }, 0);
  }

  isAlone(): boolean {
    return performance.now() < this.#aloneUntilMs;
  }

  /** Sends a bucket with waiting callers to the database. */
  ask(bucket: SharedBucket): void {
    if (bucket.isUnderWay) return;
    bucket.isUnderWay = true;
    this.#due.delete(bucket);
    void this.#travel(bucket);
  }

  /** Reports what was given out, together with other reports; later, if the database does not answer now. */
  tell(bucket: SharedBucket): void {
    if (bucket.isUnderWay || this.#due.size >= DUE_AT_MOST) return;
    this.#due.add(bucket);
    if (this.#telling) return;
    const pauseMs = Math.max(TELL_AFTER_MS, this.#aloneUntilMs - performance.now());
    this.#telling = setTimeout(() => this.#tellDue(), pauseMs).unref();
  }

  #tellDue(): void {
    this.#telling = undefined;
    const due = [...this.#due];
    this.#due.clear();
    for (const bucket of due) this.ask(bucket);
  }

  /** Sends the remaining reports. */
  async stop(): Promise<void> {
    clearTimeout(this.#telling);
    await Promise.all([...this.#due].map((bucket) => this.#travel(bucket)));
  }

  async #run(buckets: readonly SharedBucket[]): Promise<void> {
    const askedAtMs = performance.now();
    const trips = buckets.toSorted(inOrder).map((bucket) => setOut(bucket, askedAtMs));
    try {
      const rows = await this.#app.database.runWithin(
        this.#app.config.settings.rateAnswerMs,
        sql.exchangeRates,
        { asked: trips.map(requestOf) },
      );
      const byKey = new Map(rows.map((row) => [row.key, row]));
      for (const trip of trips) arrive(trip, byKey.get(trip.bucket.key)!, askedAtMs);
      this.#outcomes.inc({ outcome: "shared" });
    } catch (error) {
      this.#aloneUntilMs = performance.now() + ALONE_MS;
      for (const trip of trips) turnBack(trip);
      this.#outcomes.inc({ outcome: "alone" });
      reportFailure(this.#app, error, "each process counts for itself how often accounts may ask");
    }
    for (const bucket of buckets) {
      bucket.isUnderWay = false;
      if (bucket.asking.length > 0) this.ask(bucket);
      else if (this.isAlone()) this.tell(bucket);
    }
  }
}

const exchangeOf = perRuntime((app) => new Exchange(app));

/** Sends the last reports of this process; call it when nothing is taken any longer. */
export function stopSharing(app: Runtime): Promise<void> {
  return exchangeOf(app).stop();
}

/** All processes lock the rows of buckets in this order. */
function inOrder(a: SharedBucket, b: SharedBucket): number {
  if (a.of.name !== b.of.name) return a.of.name < b.of.name ? -1 : 1;
  return a.key < b.key ? -1 : 1;
}

/** What one bucket reports and requests in an exchange. */
type Trip = { bucket: SharedBucket; told: number; asking: SharedBucket["asking"] };

function setOut(bucket: SharedBucket, nowMs: number): Trip {
  refreshView(bucket, nowMs);
  const { untold: told, asking } = bucket;
  bucket.untold = 0;
  bucket.asking = [];
  return { bucket, told, asking };
}

function requestOf({ bucket: { of, key }, told, asking }: Trip): sql.Asked {
  return { ...of, key, told, wanted: asking.length };
}

/** Sets the view to the database's level, less what was given out meanwhile, and answers the waiting callers. */
function arrive({ bucket, asking }: Trip, { granted, level }: sql.ExchangedRow, askedAtMs: number): void {
  bucket.left = Math.min(level, bucket.of.burst) - bucket.untold;
  bucket.atMs = askedAtMs;
  refreshView(bucket, performance.now());
  const waitSeconds = waitSecondsOf(bucket, bucket.of);
  for (const [i, answer] of asking.entries()) answer(i < granted ? 0 : Math.max(1, waitSeconds));
  // Callers that arrived meanwhile need not ask for an empty bucket.
  if (waitSeconds > 0) for (const answer of bucket.asking.splice(0)) answer(waitSeconds);
}

/** Answers the waiting callers by the view of this process, and leaves the report for later. */
function turnBack({ bucket, told, asking }: Trip): void {
  bucket.untold += told;
  for (const answer of [...asking, ...bucket.asking.splice(0)]) answer(giveOut(bucket));
}

const STEPS = { atOnce: 10_000 };
/** The most buckets of one name: unauthenticated callers may name any number. Those beyond begin full again. */
const KEPT_AT_MOST = 100_000;

/** Deletes buckets that are full again, and the surplus; a tick runs it. Safe beside other processes. */
export async function forgetRates(app: Runtime, signal?: AbortSignal): Promise<void> {
  for (const { name } of await app.database.run(sql.listRateNames)) {
    await deleteInSteps(app, sql.deleteFullRates, [name], STEPS, signal);
    await deleteInSteps(app, sql.deleteSurplusRates, [name, KEPT_AT_MOST], STEPS, signal);
  }
}
