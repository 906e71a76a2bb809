// Counts what operations of a test service cost in PostgreSQL. Its server is its own, because the write-ahead log is that
// of a whole server, and other test files write beside this one.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { Role } from "../src/platform/config.ts";
import { MODEST } from "../src/platform/embedded/cluster.ts";
import { startEmbedded } from "../src/platform/embedded/embedded.ts";
import type { Cost } from "./budget.ts";
import { type Background, CountedWire, type Work } from "./countedwire.ts";
import { OPEN } from "./fixtures.ts";
import { type Scope, stacked } from "./sending.ts";
import { type TestService, testService } from "./testservice.ts";

/** An operation. `run` is counted, and `before` it makes everything ready. */
export type Counted = { before?: () => Promise<unknown>; run: () => Promise<unknown> };

/** What an operation costs, and what the process did for it. */
export type Found = { cost: Cost; work: readonly Work[] };

/** Nothing of the server depends on time: it has no vacuum, no statistics and, without fsync, no full-page images. */
const SETTINGS = { ...MODEST, autovacuum: "off" };
/** The request log is not written, and no wait for what is kept back ends meanwhile. */
const UNHURRIED = { requestLogMs: 3_600_000, rateAnswerMs: 120_000, quarantineMs: 1_000 };
/** What the process does by its timers. */
const BACKGROUND: Background = {
  kept: /^(platform\.(beat|notify)|operators\.(updateBind|seeGateway))$/,
  passed:
    /^(platform\.(ping|readClock)|operators\.(listOperators|findAnyPorted)|accounts\.findSuspensionChanges|SELECT 1)$/,
};
/** A link that has nothing to do looks at the queue each second, in a cycle that cannot be kept back. */
const LOOK_AGAIN = "sends.settlePacked,sends.takeBatches,sends.listWaiting";
const OF_TRANSACTIONS = /^(begin|commit)$/i;

const TIMES = { warm: 3, counted: 9, atMost: 27, atLeast: 3, failed: 3 };

const READ = `SELECT (SELECT sum(n_tup_ins + n_tup_upd) FROM pg_stat_user_tables)::float8 AS rows,
  (SELECT sum(coalesce(heap_blks_read + heap_blks_hit, 0) + coalesce(idx_blks_read + idx_blks_hit, 0)
     + coalesce(toast_blks_read + toast_blks_hit, 0) + coalesce(tidx_blks_read + tidx_blks_hit, 0))
   FROM pg_statio_user_tables)::float8 AS buffers,
  pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS "walBytes"`;

type Written = Pick<Cost, "rows" | "walBytes" | "buffers">;
type Once = Cost & { work: readonly Work[]; passedCount: number };

/** A test service whose work in PostgreSQL is counted. */
export class CountedService {
  readonly here: TestService;
  readonly #wire: CountedWire;
  readonly #owner: pg.Client;

  private constructor(here: TestService, wire: CountedWire, owner: pg.Client) {
    this.here = here;
    this.#wire = wire;
    this.#owner = owner;
  }

  /** Starts PostgreSQL and a service of these roles, which end with `t`. It has no operator. */
  static async start(t: Scope, roles: readonly Role[]): Promise<CountedService> {
    const scope = stacked(t);
    const dataDir = await mkdtemp(join(tmpdir(), "atumpan-budget-"));
    scope.after(() => rm(dataDir, { recursive: true, force: true }));
    const log = { info() {}, warn: console.error, error: console.error };
    const server = await startEmbedded({ dataDir, log, fsync: false, settings: SETTINGS });
    scope.after(() => server.stop());
    const wire = await CountedWire.open(scope, server.url, BACKGROUND);
    const owner = new pg.Client({ connectionString: server.ownerUrl });
    await owner.connect();
    scope.after(() => owner.end());
    const here = await testService(scope, {
      limits: OPEN.limits,
      settings: UNHURRIED,
      config: {
        roles: new Set(roles),
        simulator: false,
        databaseUrl: wire.url,
        databaseOwnerUrl: server.ownerUrl,
      },
    });
    return new CountedService(here, wire, owner);
  }

  /**
   * Runs an operation until it was counted nine times with nothing beside it. The figures are the least that were
   * found: what comes on top belongs to something else. Pages split now and then, so that of WAL is the median. `buffers` is
   * NaN if other statements read something each time.
   * Undefined: the machine is so slow that something was beside it nearly every time.
   */
  async count({ before = async () => {}, run }: Counted): Promise<Found | undefined> {
    for (let times = 0; times < TIMES.warm; times++) {
      await before();
      await run();
    }
    const alone: Once[] = [];
    const failed: unknown[] = [];
    let isAlone = true;
    for (let times = 0; alone.length < TIMES.counted && times < TIMES.atMost; times++) {
      try {
        await before();
        // Right after one look at the queue, the next one is a second away.
        if (!isAlone) await this.#wire.next(isLookAgain);
        const once = await this.#countOnce(run);
        isAlone = !once.work.some(isLookAgain);
        if (isAlone) alone.push(once);
      } catch (error) {
        // A process that the machine has stopped for seconds takes its connections for dead.
        if (failed.push(error) === TIMES.failed) throw error;
      }
    }
    if (alone.length < TIMES.atLeast) return undefined;
    const leastOf = (measure: keyof Cost, of = alone) => Math.min(...of.map((once) => once[measure]));
    const sortedWal = alone.map(({ walBytes }) => walBytes).toSorted((a, b) => a - b);
    const undisturbed = alone.filter(({ passedCount }) => passedCount === 0);
    const cost = {
      statements: leastOf("statements"),
      roundTrips: leastOf("roundTrips"),
      rows: leastOf("rows"),
      walBytes: sortedWal[Math.floor(alone.length / 2)] ?? Number.NaN,
      buffers: undisturbed.length > 0 ? leastOf("buffers", undisturbed) : Number.NaN,
    };
    const { work = [] } = alone.find(({ statements }) => statements === cost.statements) ?? {};
    return { cost, work };
  }

  async #countOnce(run: () => Promise<unknown>): Promise<Once> {
    const read: Written[] = [];
    const look = async () => {
      read.push((await this.#owner.query<Written>(READ)).rows[0] as Written);
    };
    const { work, passedCount } = await this.#wire.count(run, look, look);
    const [before, after] = read as [Written, Written];
    return {
      statements: work.reduce((sum, { statements }) => sum + statements.length, 0),
      roundTrips: work.reduce((sum, { roundTrips }) => sum + roundTrips, 0),
      rows: after.rows - before.rows,
      walBytes: after.walBytes - before.walBytes,
      buffers: after.buffers - before.buffers,
      work,
      passedCount,
    };
  }
}

function isLookAgain({ statements }: Work): boolean {
  return statements.filter((name) => !OF_TRANSACTIONS.test(name)).join() === LOOK_AGAIN;
}
