// PostgreSQL: named queries, transactions that are retried after a deadlock, one pool of pipelined connections.
import pg from "pg";
import { newId } from "../ids.ts";
import { askEach, isReadOnly, ServerClient } from "./client.ts";
import {
  CONNECT_MS,
  connectionOptions,
  type HearAnswer,
  opening,
  PgConnection,
  Silent,
} from "./connection.ts";
import { Hosts } from "./hosts.ts";
import { transactionsInOrder } from "./inorder.ts";
import { living } from "./liveness.ts";
import { type GivenParams, type Query, type Statements, valuesOf } from "./query.ts";
import { beginningOf, reportOf, type Scoping, sessionSettingsOf, types } from "./sessionsettings.ts";
import { ping } from "./sql.ts";
import {
  type Beginning,
  isServerError,
  type Keep,
  runIn,
  Transaction,
  type Tx,
  tracedHere,
} from "./transaction.ts";

/** Runs statements and transactions: the database itself, or one account's view of it. */
export type Access = Statements & Pick<Database, "transaction" | "snapshot">;

/** Runs a transaction on one connection. */
export type OnConnection = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

export type DatabaseOptions = {
  url: string;
  /** The name of this process. One is generated if absent. */
  node?: string;
  /** The most connections in the pool. */
  max: number;
  /** Whether connections use the roles of `rights.ts`. Without them they have the rights of their login. */
  hasRoles?: boolean;
  /** Whether the tables of final messages are distributed over Citus workers. */
  isDistributed?: boolean;
  /** The server cancels a statement that takes longer. */
  statementTimeoutMs: number;
  /** Called with each new connection before anything else runs on it. If it throws, the connection is not used. */
  greet?: (connection: OnConnection) => Promise<void>;
  /** Called for each connection that breaks while idle. The pool replaces it by itself. */
  onConnectionLost: (error: Error) => void;
  /** Called with the duration of each statement. */
  onAnswer?: HearAnswer;
  /** Called with what a transaction acknowledged, once it is committed. */
  keep?: Keep;
};

const DEADLOCK = "40P01";
const SERIALIZATION_FAILURE = "40001";
const TRIES_AT_MOST = 3;
// The server cancels a slow statement first. A server that is silent for this much longer is considered dead.
const BEYOND_STATEMENT_MS = 1_000;
// After a ping without an answer, other silent connections get only this long.
const DISTRUSTED_MS = 5_000;
const SWEEP_MS = 250;
/** The size of a process's connection pool. */
export const CONNECTIONS_AT_MOST = 20;
const STALLED_MS = 1_000;
const HURRIED_MS = 3_000;
const HURRIED_CONNECT_MS = 1_500;
/** The part of the pool's wait that one attempt to connect may take, if that is more than `CONNECT_MS`. */
const CONNECTING_SHARE = 0.3;
const GOODBYE_MS = 200;

/** The suffix of statement names in transactions of an account. */
const OF_ACCOUNT = "@";

/** Returns a new name for a process, used for its connections, its rows and its log. */
export function nameNode(): string {
  return `atumpan ${newId()}`;
}

/**
 * The clients of a pool. An attempt to connect has a shorter limit than the pool's wait for a free connection, which
 * is the statement timeout. Where that timeout is long, the machine is slow, so connecting may take longer too.
 */
function pooledClientOf(hosts: Hosts): typeof pg.Client {
  return class extends ServerClient {
    constructor(config: pg.ClientConfig = {}) {
      const atMost = config.connectionTimeoutMillis ?? CONNECT_MS;
      const limitMs = Math.min(Math.max(CONNECT_MS, CONNECTING_SHARE * atMost), atMost);
      super(hosts, { ...config, connectionTimeoutMillis: limitMs });
    }
  };
}

export class Database implements Statements {
  /** The process's name among those that share the database. `living.ts` uses it to check whether it is alive. */
  readonly node: string;
  readonly #hosts: Hosts;
  readonly #pool: pg.Pool;
  readonly #connections = new Map<pg.ClientBase, PgConnection>();
  readonly #limitMs: number;
  readonly #scoping: Scoping;
  readonly #keep: Keep | undefined;
  readonly #sweeper: NodeJS.Timeout;
  #sweptAt = performance.now();
  /** Connections that have received nothing since then are not trusted. */
  #distrustedAt = Number.NEGATIVE_INFINITY;
  #isHurried = false;
  /** One function for each wait for a connection. It rejects the wait with an error. */
  readonly #waiting = new Set<(error: unknown) => void>();
  #closing: Promise<void> | undefined;

  constructor(options: DatabaseOptions) {
    this.node = options.node ?? nameNode();
    this.#limitMs = options.statementTimeoutMs + BEYOND_STATEMENT_MS;
    this.#scoping = options;
    this.#keep = options.keep;
    this.#hosts = new Hosts(options.url);
    this.#pool = new pg.Pool({
      ...connectionOptions(this.node),
      Client: pooledClientOf(this.#hosts),
      // The pool waits this long for a free connection.
      connectionTimeoutMillis: options.statementTimeoutMs,
      max: options.max,
      types,
      pipeline: true,
      verify: (client: pg.PoolClient, verified: (error?: Error) => void) => {
        const connection = this.#connections.get(client)!;
        this.#greet(connection, options.greet).then(() => verified(), verified);
      },
      // Idle connections stay open, because they show other processes that this one is alive.
      idleTimeoutMillis: 0,
    });
    this.#pool.on("error", (error) => {
      // A server that stops right after this process closed a connection may break it before it has read the close.
      if (!this.#closing) options.onConnectionLost(error);
    });
    const begin = opening(sessionSettingsOf(options), living(this.node));
    this.#pool.on("connect", (client) => {
      const connection = new PgConnection(client, options.onAnswer);
      this.#connections.set(client, connection);
      // The server may end a connection in the same packet that makes it ready. Its statements then fail, which is
      // enough. Without this listener the error would end the process.
      client.on("error", () => {});
      client.once("end", () => this.#connections.delete(client));
      // This is sent before the first statement, whose answer counts only if this one is answered: a pooler may accept
      // a connection although its server is gone.
      connection.ask(begin).catch((cause) => {
        this.#leave(connection);
        connection.cut(
          isServerError(cause) ? new Error("the settings of a session were refused", { cause }) : cause,
        );
      });
    });
    // `setImmediate` lets node first read the bytes that have arrived meanwhile.
    this.#sweeper = setInterval(() => setImmediate(() => this.#sweep()), SWEEP_MS).unref();
  }

  /** Runs one statement outside of a transaction. Throws `Silent` if the database sends nothing for long. */
  run<Row, Params extends object = readonly unknown[]>(
    query: Query<Row, Params>,
    ...given: GivenParams<Params>
  ): Promise<Row[]> {
    return this.runWithin(undefined, query, ...given);
  }

  /** As `run`, with a limit of its own for the silence of the database, in ms. */
  async runWithin<Row, Params extends object = readonly unknown[]>(
    limitMs: number | undefined,
    query: Query<Row, Params>,
    ...[given]: GivenParams<Params>
  ): Promise<Row[]> {
    const connection = await this.#take(limitMs);
    let lost: Error | undefined;
    try {
      const { name, text } = query;
      const sending = connection.toSend({ name, text, values: valuesOf(query, given) });
      void connection.send([sending]);
      return (await sending.rows) as Row[];
    } catch (error) {
      if (!isServerError(error) || isReadOnly(error)) lost = error as Error;
      throw tracedHere(error);
    } finally {
      this.#giveBack(connection, lost);
    }
  }

  /**
   * Runs the cheapest statement. After `limitMs` without an answer it throws `Silent`, closes idle connections and
   * shortens the limit of busy ones, so that later callers do not each wait for a dead connection.
   */
  async ping(limitMs: number): Promise<void> {
    await this.runWithin(limitMs, ping).catch((error: Error) => {
      if (error instanceof Silent) this.#distrust(error);
      throw error;
    });
  }

  /** The use of the pool now. `waiting` counts the callers that wait for a connection. */
  get pool(): { inUse: number; idle: number; waiting: number; most: number } {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount, most: options.max };
  }

  /** Shortens all waits for the database from now on, because the process is about to end. */
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

  /** Takes a connection from the pool, and discards its plans if they are too old. */
  async #take(limitMs?: number): Promise<PgConnection> {
    const connection = await askEach(this.#hosts, () => this.#connect());
    connection.isInUse = true;
    connection.limit = { ms: limitMs ?? this.#limitMs, ofEach: limitMs === undefined };
    connection.discardOldPlans();
    return connection;
  }

  /** Runs `greet` on a new connection before the pool uses it. */
  async #greet(connection: PgConnection, greet: DatabaseOptions["greet"]): Promise<void> {
    if (!greet) return;
    connection.isInUse = true;
    connection.limit = { ms: this.#limitMs, ofEach: true };
    await greet((work) => this.#runOn(connection, beginningOf(this.#scoping), work));
    connection.isInUse = false;
  }

  /** Waits for a connection of the pool, new or free again. */
  #connect(): Promise<PgConnection> {
    const { promise, resolve, reject } = Promise.withResolvers<PgConnection>();
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
      else if (isWaiting) resolve(this.#connections.get(client)!);
      else client.release();
    });
    return promise;
  }

  #giveBack(connection: PgConnection, lost: Error | undefined): void {
    connection.isInUse = false;
    const isUseless = lost !== undefined || connection.heardAt < this.#distrustedAt;
    if (isReadOnly(lost)) this.#leave(connection);
    if (isUseless) connection.cut();
    connection.client.release(isUseless);
  }

  /** Makes the next connections go to another server, if there is one. */
  #leave(connection: PgConnection): void {
    this.#hosts.leave((connection.client as unknown as ServerClient).address);
  }

  #distrust(reason: Silent): void {
    this.#distrustedAt = performance.now();
    for (const connection of this.#connections.values()) if (!connection.isInUse) connection.cut(reason);
  }

  /** Closes connections whose statements have had no answer for too long. */
  #sweep(): void {
    const now = performance.now();
    const wasStalled = now - this.#sweptAt > STALLED_MS;
    this.#sweptAt = now;
    // After this process stalled, the answers get one more round to arrive.
    if (wasStalled) return;
    for (const connection of this.#connections.values()) {
      const silentMs = connection.silentMs(now);
      if (silentMs <= this.#limitOf(connection)) continue;
      const reason = new Silent(silentMs);
      connection.cut(reason);
      if (silentMs > this.#limitMs) this.#distrust(reason);
    }
  }

  #limitOf(connection: PgConnection): number {
    const atMost = this.#isHurried
      ? HURRIED_MS
      : connection.heardAt < this.#distrustedAt
        ? DISTRUSTED_MS
        : Infinity;
    return Math.min(connection.limitMs, atMost);
  }

  /**
   * Runs `work` in one transaction (READ COMMITTED). It commits when `work` returns and rolls back when `work` throws.
   * After a deadlock or serialization failure it runs `work` again, three times in all, so `work` must have no other
   * effect. Throws `CommitUnknown` if the connection breaks during COMMIT. Throws `Silent` if the database sends
   * nothing for `limitMs` (1 s more than the statement timeout by default); during COMMIT `Silent` is the cause of
   * `CommitUnknown`.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T>, limitMs?: number): Promise<T> {
    return this.#retrying(beginningOf(this.#scoping), work, limitMs);
  }

  /** Returns a function that runs transactions in order on one connection: see `transactionsInOrder`. */
  inOrder(): Database["transaction"] {
    return transactionsInOrder(
      (limitMs) => this.#take(limitMs),
      (connection, lost) => this.#giveBack(connection, lost),
      beginningOf(this.#scoping),
      this.#keep,
    );
  }

  /** Runs `work`, which only reads, on one snapshot: all of its statements see the same instant. */
  async snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#retrying(reportOf(this.#scoping), work);
  }

  /**
   * Returns one account's view of the database: its statements set `atumpan.account`, and row-level security hides the
   * rows of other accounts. Requests of an account use this. The service itself, which serves all accounts, uses the
   * database.
   */
  of(accountId: string): Access {
    const beginning = beginningOf(this.#scoping, accountId);
    const transaction: Database["transaction"] = (work, limitMs) =>
      this.#retrying(beginning, work, limitMs, OF_ACCOUNT);
    return {
      transaction,
      snapshot: (work) => this.#retrying(reportOf(this.#scoping, accountId), work, undefined, OF_ACCOUNT),
      run: (query, ...given) =>
        transaction(async (tx) => {
          const rows = tx.run(query, ...given);
          tx.commitNow();
          return rows;
        }),
    };
  }

  async #retrying<T>(
    beginning: Beginning,
    work: (tx: Tx) => Promise<T>,
    limitMs?: number,
    mark?: string,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#attempt(beginning, work, limitMs, mark);
      } catch (error) {
        const code = (error as { code?: unknown }).code;
        if (tries >= TRIES_AT_MOST || (code !== DEADLOCK && code !== SERIALIZATION_FAILURE)) throw error;
      }
    }
  }

  async #attempt<T>(
    beginning: Beginning,
    work: (tx: Tx) => Promise<T>,
    limitMs?: number,
    mark?: string,
  ): Promise<T> {
    const connection = await this.#take(limitMs);
    return this.#runOn(connection, beginning, work, {
      mark,
      giveBack: (lost) => this.#giveBack(connection, lost),
    });
  }

  async #runOn<T>(
    connection: PgConnection,
    beginning: Beginning,
    work: (tx: Tx) => Promise<T>,
    { mark, giveBack }: { mark?: string | undefined; giveBack?: (lost: Error | undefined) => void } = {},
  ): Promise<T> {
    const transaction = new Transaction(connection, beginning, { mark, keep: this.#keep });
    return runIn(transaction, work, () => giveBack?.(transaction.lost));
  }

  /** Closes each connection when it is idle, and does not wait for silent ones. Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.hurry();
    await this.#pool.end();
    clearInterval(this.#sweeper);
    const open = [...this.#connections.values()];
    setTimeout(() => {
      for (const connection of open) connection.cut();
    }, GOODBYE_MS).unref();
  }
}
