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

// int8 as a number: credits and counts stay below 2^53 by constraint, and a value that does not is a fault, not a rounding.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`integer out of range in the database: ${text}`);
  return value;
});
pg.types.setTypeParser(pg.types.builtins.NUMERIC, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`sum out of range in the database: ${text}`);
  return value;
});

/**
 * An old snapshot keeps dead rows of the queue alive and slows it to a crawl: the server itself bounds statements and
 * idle transactions. And the queue is empty one moment and a million rows the next: a plan made for the one is ruinous
 * for the other. Our statements look rows up by key, so they are planned once, to do just that (settling 10,000
 * messages: 5.0 s with plans of an empty queue, 0.5 s so; 2026-11-21).
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

  constructor(options: DatabaseOptions) {
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.max,
      pipeline: true,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      options: settingsOf(options),
      application_name: this.node,
      // Idle connections stay: they are how other processes see that this one lives.
      idleTimeoutMillis: 0,
    });
    this.#pool.on("error", options.onConnectionLost);
  }

  /** Runs one statement by itself. */
  async run<Row>(query: Query<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    const { name, text } = query;
    const result = await this.#pool.query({ name, text, values: values as unknown[] });
    return result.rows as Row[];
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
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    const onError = (error: Error) => {
      broken = error;
    };
    client.on("error", onError);
    try {
      // BEGIN travels with the first statement: pipelined, it costs no round trip of its own.
      corkUntilNextTick(client);
      const begun = client.query(begin);
      begun.catch(() => {});
      const tx: Tx = {
        async run<Row>(query: Query<Row>, values: readonly unknown[] = []) {
          const { name, text } = query;
          corkUntilNextTick(client);
          const result = await client.query({ name, text, values: values as unknown[] });
          return result.rows as Row[];
        },
      };
      let result: T;
      try {
        result = await work(tx);
        await begun;
      } catch (error) {
        await client.query("ROLLBACK").catch((failure: Error) => {
          broken = failure;
        });
        throw error;
      }
      await this.#commit(client).catch((failure: Error) => {
        if (broken || (failure as { code?: unknown }).code === undefined) {
          broken ??= failure;
          throw new CommitUnknown("the connection broke during COMMIT", { cause: failure });
        }
        throw failure;
      });
      return result;
    } finally {
      client.off("error", onError);
      client.release(broken);
    }
  }

  async #commit(client: pg.PoolClient): Promise<void> {
    const answer = await client.query("COMMIT");
    // A transaction in which a statement failed answers ROLLBACK to COMMIT, without an error.
    if (answer.command !== "COMMIT") throw new Error("the transaction was rolled back");
  }

  /** Closes every connection once it is idle. */
  async close(): Promise<void> {
    await this.#pool.end();
  }
}
