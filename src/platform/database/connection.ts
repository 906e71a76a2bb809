// Connections to PostgreSQL. Each wait has a limit, because a host that dies or an address that moves closes no
// connection.
import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import pg from "pg";
import { currentRequest, type RequestId } from "../http/requestids.ts";
import { askEach, ServerClient, settle } from "./client.ts";
import type { Hosts } from "./hosts.ts";
import { Pipeline, type PreparedStatements, Sending, type Statement } from "./pipeline.ts";

/** The database owed an answer and sent nothing for too long. The statement may or may not have had its effect. */
export class Silent extends Error {
  override name = "Silent";

  constructor(ms: number) {
    super(`the database said nothing for ${Math.round(ms)} ms`);
  }
}

/** True if a wait for the database timed out, also during COMMIT. */
export function isSilent(error: unknown): boolean {
  return error instanceof Silent || (error instanceof Error && error.cause instanceof Silent);
}

/** The limit of an attempt to connect. */
export const CONNECT_MS = 3_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
// A plan suits the tables as they are when it is made. On a new installation they grow by the second.
const PLANS_KEPT_MS = 5_000;
// If a client vanishes, the server closes its connection after 25 s instead of two hours.
const KEEP_ALIVE_OF_SERVER = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
};

/** The settings of all our sessions. */
type SessionSettings = Readonly<Record<string, string | number>>;

/** Returns the statement that sets up a session, and how soon the server closes it if we vanish. */
export function opening(settings: SessionSettings, ...more: string[]): string {
  return settle({ ...KEEP_ALIVE_OF_SERVER, ...settings }, ...more);
}

/** The options of all our connections. */
export function connectionOptions(name: string) {
  return {
    application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  };
}

function wireOf(client: pg.ClientBase): EventEmitter & { stream: Socket } {
  return (client as unknown as { connection: EventEmitter & { stream: Socket } }).connection;
}

function socketOf(client: pg.ClientBase): Socket {
  return wireOf(client).stream;
}

/**
 * Called with the milliseconds that the server took to answer a statement, also if it refused it, and the request that
 * sent it. It must not throw.
 */
export type HearAnswer = (
  statement: string | Omit<Statement, "values">,
  ms: number,
  request: RequestId | undefined,
) => void;

/** A connection of the pool. It sends statements and measures how long it has been silent. */
export class PgConnection {
  readonly client: pg.PoolClient;
  /** How long it may be silent while it owes an answer. With `ofEach` the limit is for each statement of a pipeline. */
  limit = { ms: 0, ofEach: false };
  /** When the last byte arrived, by `performance.now()`. */
  heardAt = performance.now();
  isInUse = false;
  #owed = 0;
  #owedSince = 0;
  #plannedAt = 0;
  readonly #listener: HearAnswer | undefined;
  readonly #prepared: PreparedStatements = new Map();
  /** The pipelines that are not answered yet, in order. */
  readonly #pipelines: Pipeline[] = [];

  /** Calls the listener at each answer. */
  constructor(client: pg.PoolClient, listener?: HearAnswer) {
    this.client = client;
    this.#listener = listener;
    socketOf(client).on("data", () => {
      this.heardAt = performance.now();
    });
    wireOf(client).on("parseComplete", () => this.#pipelines[0]?.handleParseComplete());
  }

  /** Sends a statement without values. */
  ask(statement: string): Promise<pg.QueryResult> {
    const askedAt = performance.now();
    const request = this.#listener && currentRequest();
    const answered = this.#owe();
    return new Promise((resolve, reject) => {
      this.client.query(statement, (error, result) => {
        answered();
        // A statement without an answer is an outage, which is reported as such.
        if (!error || error instanceof pg.DatabaseError)
          this.#listener?.(statement, performance.now() - askedAt, request);
        if (error) reject(error);
        else resolve(result);
      });
    });
  }

  /** Returns a statement for `send`. The answer arrives in the async context of the socket, so the request is read here. */
  toSend(statement: Statement): Sending {
    return new Sending(statement, this.#listener && currentRequest());
  }

  /**
   * Sends statements in one pipeline: see `Pipeline`. Resolves when they are answered, with the error of the one that
   * failed.
   */
  send(sendings: readonly Sending[]): Promise<Error | undefined> {
    const { promise, resolve } = Promise.withResolvers<Error | undefined>();
    const answered = this.#owe();
    const pipeline = new Pipeline(sendings, {
      prepared: this.#prepared,
      parserOf: (typeId) => this.client.getTypeParser(typeId, "text"),
      onAnswer: ({ statement, sentAt, request }) =>
        this.#listener?.(statement, performance.now() - sentAt, request),
      onEnd: (error) => {
        this.#pipelines.shift();
        answered();
        resolve(error);
      },
    });
    this.#pipelines.push(pipeline);
    this.client.query(pipeline);
    return promise;
  }

  /**
   * Begins the wait for an answer, and returns the function that ends it. The limit of a wait counts from the last byte
   * that arrived, because pipelines wait for those before them.
   */
  #owe(): () => void {
    if (this.#owed++ === 0) this.#owedSince = performance.now();
    return () => {
      this.#owed--;
    };
  }

  /** The limit of its silence now. PostgreSQL sends the answers of a pipeline together, when the last one is there. */
  get limitMs(): number {
    const { ms, ofEach } = this.limit;
    return ofEach ? ms * (this.#pipelines[0]?.size ?? 1) : ms;
  }

  /** How long an answer has been owed without any byte; 0 if none is owed. */
  silentMs(now: number): number {
    return this.#owed === 0 ? 0 : now - Math.max(this.heardAt, this.#owedSince);
  }

  /**
   * Sends the statements of one tick in one packet. A system call for each took a quarter of a loaded process's time
   * (2026-11-21).
   */
  cork(): void {
    const socket = socketOf(this.client);
    socket.cork();
    process.nextTick(() => socket.uncork());
  }

  /** Discards the plans of its statements if they are too old. Not within a transaction. */
  discardOldPlans(): void {
    const now = performance.now();
    if (now - this.#plannedAt <= PLANS_KEPT_MS) return;
    this.#plannedAt = now;
    this.cork();
    // This travels with the next statement. If the connection is broken, that statement fails too and reports it.
    this.ask("DISCARD PLANS").catch(() => {});
  }

  /** Closes the connection at once. All statements that wait for an answer fail with `reason`. */
  cut(reason?: Error): void {
    socketOf(this.client).destroy(reason);
  }
}

type ClientOptions = {
  /** 0: no limit but the server's. */
  answerMs: number;
  connectMs?: number;
  settings?: SessionSettings;
  types?: pg.CustomTypesConfig;
};

/**
 * Opens a connection outside of the pool, to the first suitable server. A statement that takes longer than `answerMs`
 * is rejected. Close the connection with `closeClient`.
 */
export function openClient(hosts: Hosts, name: string, options: ClientOptions): Promise<ServerClient> {
  return askEach(hosts, () => openOnce(hosts, name, options));
}

async function openOnce(
  hosts: Hosts,
  name: string,
  { answerMs, connectMs = CONNECT_MS, settings = {}, types }: ClientOptions,
): Promise<ServerClient> {
  const client = new ServerClient(hosts, {
    ...connectionOptions(name),
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    ...(types && { types }),
  });
  client.on("error", () => {}); // waiting statements are rejected too, and "end" follows
  try {
    await client.connect();
    await client.query(opening(settings));
  } catch (error) {
    cut(client);
    throw error;
  }
  return client;
}

const GOODBYE_MS = 1_000;

/** Closes a connection, whether the server still answers or not. */
export async function closeClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => cut(client), GOODBYE_MS);
  await client.end().catch(() => {});
  clearTimeout(timer);
}

function cut(client: pg.Client): void {
  socketOf(client).destroy();
}
