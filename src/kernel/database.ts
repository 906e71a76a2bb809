// PostgreSQL: named queries, transactions that retry a deadlock, one pool of pipelined connections.
import type { Writable } from "node:stream";
import pg from "pg";
import { newId } from "./ids.ts";

/** One SQL statement with a name; prepared once per connection. `Row` is the shape of what it returns. */
export type Query<Row> = { readonly name: string; readonly text: string; readonly row?: Row };

/** Declares a statement. The name is unique in the whole program: a test prepares every one of them. */
export function query<Row = never>(name: string, text: string): Query<Row> {
  return { name, text };
}

/** Runs statements: either inside one transaction, or each by itself. */
export type Tx = {
  /** Runs the statement and returns its rows. */
  run<Row>(query: Query<Row>, values?: readonly unknown[]): Promise<Row[]>;
  /**
   * Inside a transaction: sends COMMIT behind the statements given so far, in the same packet, which saves a round trip.
   * Nothing may be run after it; should one of them fail, nothing is committed.
   */
  commitNow(): void;
};

export type DatabaseOptions = {
  url: string;
  /** Connections at most. */
  max: number;
  /** A statement that takes longer is cancelled by the server. */
  statementTimeoutMs: number;
  /** Told of connections that broke while idle; the pool replaces them by itself. */
  onConnectionLost: (error: Error) => void;
};

/** Thrown where COMMIT was sent and its answer never came: the transaction may or may not have happened. */
export class CommitUnknown extends Error {
  override name = "CommitUnknown";
}

/**
 * Statements that are given in one go travel in one packet. Without this each one is a system call of its own, which
 * was a quarter of the time of a loaded process (2026-11-21).
 */
function corkUntilNextTick(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

const DEADLOCK = "40P01";
const SERIALIZATION_FAILURE = "40001";
const TRIES_AT_MOST = 3;
const CONNECT_TIMEOUT_MS = 3_000;
// A plan is made for tables as they are then; on a new installation they grow by the second.
const PLANS_KEPT_MS = 5_000;

// int8 and sums of it as numbers: credits and counts stay below 2^53 by constraint, and a value that does not is a fault,
// not a rounding. For our connections alone: other libraries read fractions.
const types: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    const isInteger = oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC;
    return isInteger ? readInteger : pg.types.getTypeParser(oid, format as "text");
  },
};

function readInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`integer out of range in the database: ${text}`);
  return value;
}

/**
 * An old snapshot keeps dead rows of the queue alive and slows it to a crawl: the server itself bounds statements and
 * idle transactions. And the queue is empty one moment and a million rows the next: a plan made for the one is ruinous
 * for the other. Our statements look rows up by key, so they are planned once, to do just that. A join to a few keys
 * says `key = ANY(array)` as well, one to thousands looks each up (`CROSS JOIN LATERAL … LIMIT 1`): else the planner,
 * which saw an empty table, may read all of it and compare each row to the array (2026-11-21).
 */
function settingsOf(options: DatabaseOptions): string {
  const settings = {
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: 10_000,
    timezone: "UTC",
    jit: "off",
    plan_cache_mode: "force_generic_plan",
    enable_seqscan: "off",
    enable_hashjoin: "off",
    enable_mergejoin: "off",
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");
}

/** For reports, which read much and look nothing up: the planner is free again. */
const REPORT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL plan_cache_mode = auto; SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on`;

export class Database implements Tx {
  /** The name of this process among the connections of the database: gone from there, it is dead. */
  readonly node = `atumpan ${newId()}`;
  readonly #pool: pg.Pool;
  readonly #plannedAt = new WeakMap<pg.PoolClient, number>();

  constructor(options: DatabaseOptions) {
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.max,
      types,
      pipeline: true,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      options: settingsOf(options),
      application_name: this.node,
      // Idle connections stay: they are how other processes see that this one lives.
      idleTimeoutMillis: 0,
    });
    this.#pool.on("error", options.onConnectionLost);
    // The server may end a connection in the very packet that hands it over, before anyone awaits anything of it. What is
    // asked of it then fails, which is enough; without a listener the process would end.
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  /** Every statement by itself is committed by itself. */
  commitNow(): void {}

  /** Runs one statement by itself. */
  async run<Row>({ name, text }: Query<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    const result = await this.#pool.query({ name, text, values: values as unknown[] });
    return result.rows as Row[];
  }

  /** A connection of the pool, whose plans are not too old. */
  async #connect(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    const now = performance.now();
    if (now - (this.#plannedAt.get(client) ?? 0) > PLANS_KEPT_MS) {
      this.#plannedAt.set(client, now);
      corkUntilNextTick(client);
      // Travels with what comes next; if the connection is broken, that says so.
      client.query("DISCARD PLANS").catch(() => {});
    }
    return client;
  }

  /**
   * Runs `work` in one transaction (READ COMMITTED): committed when it returns, undone when it throws.
   * A deadlock or serialization failure is tried again, three times in all, so `work` must have no other effect.
   * Throws `CommitUnknown` when the connection broke during COMMIT.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#retrying("BEGIN", work);
  }

  /** Runs `work`, which only reads, on one snapshot: all of its statements see the same instant. */
  async snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#retrying(REPORT, work);
  }

  async #retrying<T>(begin: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#attempt(begin, work);
      } catch (error) {
        const code = (error as { code?: unknown }).code;
        if (tries >= TRIES_AT_MOST || (code !== DEADLOCK && code !== SERIALIZATION_FAILURE)) throw error;
      }
    }
  }

  async #attempt<T>(begin: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    const transaction = new Transaction(client);
    try {
      transaction.begin(begin);
      const result = await work(transaction);
      await transaction.commit();
      return result;
    } catch (error) {
      throw await transaction.failure(error as Error);
    } finally {
      client.release(transaction.lost);
    }
  }

  /** Closes every connection once it is idle. */
  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** One transaction on one connection. Its statements are pipelined: what is given in one go travels together. */
class Transaction implements Tx {
  /** Why the connection can be used no more, if so. */
  lost: Error | undefined;
  readonly #client: pg.PoolClient;
  #begun: Promise<unknown> | undefined;
  #committing: Promise<pg.QueryResult> | undefined;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  /** Travels with the first statement, so that it costs no round trip of its own. */
  begin(statement: string): void {
    this.#begun = this.#send(statement);
  }

  async run<Row>({ name, text }: Query<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    corkUntilNextTick(this.#client);
    const result = await this.#client.query({ name, text, values: values as unknown[] });
    return result.rows as Row[];
  }

  commitNow(): void {
    this.#committing = this.#send("COMMIT");
  }

  async commit(): Promise<void> {
    await this.#begun;
    if (!this.#committing) this.commitNow();
    const answer = await this.#committing!;
    // A transaction in which a statement failed answers ROLLBACK to COMMIT, without an error.
    if (answer.command !== "COMMIT") throw new RolledBack("a statement of the transaction failed");
  }

  /** What to throw for an error: itself after a rollback, or `CommitUnknown` where COMMIT was sent and nobody knows. */
  async failure(error: Error): Promise<Error> {
    // A server that ends the connection (FATAL) says nothing about the statement that waited.
    const told =
      error instanceof RolledBack || (error instanceof pg.DatabaseError && error.severity === "ERROR");
    if (this.#committing) {
      if (told) return error;
      this.lost ??= error;
      return new CommitUnknown("the connection broke during COMMIT", { cause: error });
    }
    await this.#client.query("ROLLBACK").catch((lost: Error) => {
      this.lost = lost;
    });
    return error;
  }

  #send<Result extends pg.QueryResult>(statement: string): Promise<Result> {
    corkUntilNextTick(this.#client);
    const answer = this.#client.query(statement) as Promise<Result>;
    answer.catch(() => {}); // awaited in `commit`, unless a statement before it says why
    return answer;
  }
}

/** The server undid the transaction. */
class RolledBack extends Error {}
