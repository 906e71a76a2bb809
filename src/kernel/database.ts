// PostgreSQL: named queries, transactions that retry a deadlock, one pool of pipelined connections.
import pg from "pg";
import { newId } from "./ids.ts";
import { CONNECT_MS, connectionOptions, Line, Silent } from "./line.ts";

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

const DEADLOCK = "40P01";
const SERIALIZATION_FAILURE = "40001";
const IN_FAILED_TRANSACTION = "25P02";
const TRIES_AT_MOST = 3;
// The server ends a statement first; whoever says nothing then is not there any more.
const BEYOND_STATEMENT_MS = 1_000;
// Once a ping got no answer, whatever else is silent is given this long.
const DISTRUSTED_MS = 5_000;
// What a connection that fell silent had locked is free after this time.
const IDLE_IN_TRANSACTION_MS = 5_000;
const SWEEP_MS = 250;
const STALLED_MS = 1_000;
const HURRIED_MS = 3_000;
const HURRIED_CONNECT_MS = 1_500;
const GOODBYE_MS = 200;
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
function settingsOf(options: DatabaseOptions): Record<string, string | number> {
  return {
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    timezone: "UTC",
    jit: "off",
    plan_cache_mode: "force_generic_plan",
    enable_seqscan: "off",
    enable_hashjoin: "off",
    enable_mergejoin: "off",
  };
}

const ping = query("kernel.ping", "SELECT 1");

/** For reports, which read much and look nothing up: the planner is free again. */
const REPORT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL plan_cache_mode = auto; SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on`;

/** A client that gives up connecting sooner than the pool gives up waiting for a free connection. */
class PooledClient extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    const atMost = config.connectionTimeoutMillis ?? CONNECT_MS;
    super({ ...config, connectionTimeoutMillis: Math.min(CONNECT_MS, atMost) });
  }
}

export class Database implements Tx {
  /** The name of this process among the connections of the database: gone from there, it is dead. */
  readonly node = `atumpan ${newId()}`;
  readonly #pool: pg.Pool;
  readonly #lines = new Map<pg.ClientBase, Line>();
  readonly #limitMs: number;
  readonly #sweeper: NodeJS.Timeout;
  #sweptAt = performance.now();
  /** Connections that have said nothing since then have probably fallen silent. */
  #distrustedAt = Number.NEGATIVE_INFINITY;
  #isHurried = false;
  /** Makes those give up that wait for a connection. */
  readonly #waiting = new Set<(error: unknown) => void>();
  #closing: Promise<void> | undefined;

  constructor(options: DatabaseOptions) {
    this.#limitMs = options.statementTimeoutMs + BEYOND_STATEMENT_MS;
    this.#pool = new pg.Pool({
      ...connectionOptions(options.url, this.node, settingsOf(options)),
      Client: PooledClient,
      // For a free connection, where all are taken.
      connectionTimeoutMillis: options.statementTimeoutMs,
      max: options.max,
      types,
      pipeline: true,
      // Idle connections stay: they are how other processes see that this one lives.
      idleTimeoutMillis: 0,
    });
    this.#pool.on("error", options.onConnectionLost);
    this.#pool.on("connect", (client) => {
      this.#lines.set(client, new Line(client));
      // The server may end a connection in the very packet that hands it over, before anyone awaits anything of it. What is
      // asked of it then fails, which is enough; without a listener the process would end.
      client.on("error", () => {});
      client.once("end", () => this.#lines.delete(client));
    });
    // What has arrived meanwhile is read before anything is called silent.
    this.#sweeper = setInterval(() => setImmediate(() => this.#sweep()), SWEEP_MS).unref();
  }

  /** Every statement by itself is committed by itself. */
  commitNow(): void {}

  /** Runs one statement by itself. Throws `Silent` where the database said nothing for `limitMs` (the usual limit without). */
  async run<Row>(
    { name, text }: Query<Row>,
    values: readonly unknown[] = [],
    limitMs?: number,
  ): Promise<Row[]> {
    const line = await this.#take(limitMs);
    let lost: Error | undefined;
    try {
      return (await line.ask({ name, text, values: values as unknown[] })).rows as Row[];
    } catch (error) {
      if (!isTold(error)) lost = error as Error;
      throw tracedHere(error);
    } finally {
      this.#giveBack(line, lost);
    }
  }

  /**
   * Asks the cheapest thing there is. Throws `Silent` after `limitMs`; then no connection is trusted that was opened before,
   * so that those who come next do not each wait for one that is dead.
   */
  async ping(limitMs: number): Promise<void> {
    await this.run(ping, [], limitMs).catch((error: Error) => {
      if (error instanceof Silent) this.#distrust(error);
      throw error;
    });
  }

  /** From now on nothing waits long for the database: the process is about to end. */
  hurry(): void {
    if (this.#isHurried) return;
    this.#isHurried = true;
    this.#pool.options.connectionTimeoutMillis = HURRIED_CONNECT_MS;
    const waiting = [...this.#waiting];
    const giveUp = () => {
      for (const reject of waiting) reject(new Silent(HURRIED_CONNECT_MS));
    };
    setTimeout(giveUp, HURRIED_CONNECT_MS);
  }

  /** A connection of the pool, whose plans are not too old. */
  async #take(limitMs = this.#limitMs): Promise<Line> {
    const line = await this.#connect();
    line.isInUse = true;
    line.limitMs = limitMs;
    const now = performance.now();
    if (now - line.plannedAt > PLANS_KEPT_MS) {
      line.plannedAt = now;
      line.cork();
      // Travels with what comes next; if the connection is broken, that says so.
      line.ask("DISCARD PLANS").catch(() => {});
    }
    return line;
  }

  /** A connection of the pool, new or free again. */
  #connect(): Promise<Line> {
    const { promise, resolve, reject } = Promise.withResolvers<Line>();
    let isWaiting = true;
    const giveUp = (error: unknown) => {
      isWaiting = false;
      this.#waiting.delete(giveUp);
      reject(error);
    };
    this.#waiting.add(giveUp);
    this.#pool.connect((error, client) => {
      this.#waiting.delete(giveUp);
      if (!client) reject(error);
      else if (isWaiting) resolve(this.#lines.get(client)!);
      else client.release();
    });
    return promise;
  }

  #giveBack(line: Line, lost: Error | undefined): void {
    line.isInUse = false;
    const isUseless = lost !== undefined || line.heardAt < this.#distrustedAt;
    if (isUseless) line.cut();
    line.client.release(isUseless);
  }

  #distrust(reason: Silent): void {
    this.#distrustedAt = performance.now();

    for (const line of this.#lines.values()) if (!line.isInUse) line.cut(reason);
  }

  /** Ends the connections that owe an answer and have been silent for too long. */
  #sweep(): void {
    const now = performance.now();
    const wasStalled = now - this.#sweptAt > STALLED_MS;
    this.#sweptAt = now;
    // After a stall of our own the answers have another moment to come in.
    if (wasStalled) return;
    for (const line of this.#lines.values()) {
      const silentMs = line.silentMs(now);
      if (silentMs <= this.#limitOf(line)) continue;
      const reason = new Silent(silentMs);
      line.cut(reason);
      if (silentMs > this.#limitMs) this.#distrust(reason);
    }
  }

  #limitOf(line: Line): number {
    const atMost = this.#isHurried
      ? HURRIED_MS
      : line.heardAt < this.#distrustedAt
        ? DISTRUSTED_MS
        : Infinity;
    return Math.min(line.limitMs, atMost);
  }

  /**
   * Runs `work` in one transaction (READ COMMITTED): committed when it returns, undone when it throws.
   * A deadlock or serialization failure is tried again, three times in all, so `work` must have no other effect.
   * Throws `CommitUnknown` when the connection broke during COMMIT, and `Silent` (as its cause, during COMMIT) where the
   * database said nothing for `limitMs` (the usual limit without).
   */
  async transaction<T>(work: (tx: Tx) => Promise<T>, limitMs?: number): Promise<T> {
    return this.#retrying("BEGIN", work, limitMs);
  }

  /** Runs `work`, which only reads, on one snapshot: all of its statements see the same instant. */
  async snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#retrying(REPORT, work);
  }

  async #retrying<T>(begin: string, work: (tx: Tx) => Promise<T>, limitMs?: number): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#attempt(begin, work, limitMs);
      } catch (error) {
        const code = (error as { code?: unknown }).code;
        if (tries >= TRIES_AT_MOST || (code !== DEADLOCK && code !== SERIALIZATION_FAILURE)) throw error;
      }
    }
  }

  async #attempt<T>(begin: string, work: (tx: Tx) => Promise<T>, limitMs?: number): Promise<T> {
    const line = await this.#take(limitMs);
    const transaction = new Transaction(line);
    try {
      transaction.begin(begin);
      const result = await work(transaction);
      await transaction.commit();
      return result;
    } catch (error) {
      throw await transaction.failure(error as Error);
    } finally {
      this.#giveBack(line, transaction.lost);
    }
  }

  /** Closes every connection once it is idle; waits for none that is silent. Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.hurry();
    await this.#pool.end();
    clearInterval(this.#sweeper);
    const open = [...this.#lines.values()];
    setTimeout(() => {
      for (const line of open) line.cut();
    }, GOODBYE_MS).unref();
  }
}

/** An error whose stack leads to whoever asked, instead of to the socket. */
function tracedHere(error: unknown): unknown {
  if (error instanceof Error) Error.captureStackTrace(error, tracedHere);
  return error;
}

/** True if the server refused a statement, rather than ended the connection: that is another's doing (FATAL, PANIC). */
function isTold(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === "ERROR";
}

/** One transaction on one connection. Its statements are pipelined: what is given in one go travels together. */
class Transaction implements Tx {
  /** Why the connection can be used no more, if so. */
  lost: Error | undefined;
  readonly #line: Line;
  #begun: Promise<unknown> | undefined;
  #committing: Promise<pg.QueryResult> | undefined;
  /** Why the transaction can only be undone, if so. */
  #failed: unknown;

  constructor(line: Line) {
    this.#line = line;
  }

  /** Travels with the first statement, so that it costs no round trip of its own. */
  begin(statement: string): void {
    this.#begun = this.#send(statement);
  }

  /** Where a statement given before failed, that is why this one fails too: what the server says of it (25P02) tells nobody anything. */
  async run<Row>({ name, text }: Query<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    this.#line.cork();
    try {
      return (await this.#line.ask({ name, text, values: values as unknown[] })).rows as Row[];
    } catch (error) {
      // Answers come in the order of the statements, so the first failure is the one that made the others.
      this.#failed ??= error;
      throw (error as { code?: unknown }).code === IN_FAILED_TRANSACTION ? this.#failed : tracedHere(error);
    }
  }

  commitNow(): void {
    this.#committing = this.#send("COMMIT");
  }

  async commit(): Promise<void> {
    await this.#begun;
    if (!this.#committing) this.commitNow();
    const answer = await this.#committing!;
    // A transaction in which a statement failed answers ROLLBACK to COMMIT, without an error.
    if (answer.command !== "COMMIT")
      throw this.#failed ?? new RolledBack("a statement of the transaction failed");
  }

  /** What to throw for an error: itself after a rollback, or `CommitUnknown` where COMMIT was sent and nobody knows. */
  async failure(error: Error): Promise<Error> {
    if (this.#committing) {
      if (error instanceof RolledBack || isTold(error)) return error;
      this.lost ??= error;
      return new CommitUnknown("the connection broke during COMMIT", { cause: error });
    }
    await this.#line.ask("ROLLBACK").catch((lost: Error) => {
      this.lost = lost;
    });
    return error;
  }

  #send<Result extends pg.QueryResult>(statement: string): Promise<Result> {
    this.#line.cork();
    const answer = this.#line.ask(statement) as Promise<Result>;
    // Awaited in `commit`, unless a statement before it says why.
    answer.catch((error: Error) => {
      this.#failed ??= error;
    });
    return answer;
  }
}

/** The server undid the transaction. */
class RolledBack extends Error {}
