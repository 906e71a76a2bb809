// Connections to PostgreSQL. Each wait has a limit, because a host that dies or an address that moves closes no
// connection.
import type { Socket } from "node:net";
import pg from "pg";
import { askEach, ServerClient, settle } from "./client.ts";
import type { Hosts } from "./hosts.ts";
import { currentRequest, type RequestId } from "./requestids.ts";

/** The database owed an answer and said nothing for too long. The statement may or may not have had its effect. */
export class Silent extends Error {
  override name = "Silent";

  constructor(ms: number) {
    super(`the database said nothing for ${Math.round(ms)} ms`);
  }
}

/** True if a wait for the database ended by its limit, also while COMMIT was under way. */
export function isSilent(error: unknown): boolean {
  return error instanceof Silent || (error instanceof Error && error.cause instanceof Silent);
}

/** How long a connection attempt may take. */
export const CONNECT_MS = 3_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
// A plan fits the tables as they are when it is made. On a new installation they grow by the second.
const PLANS_KEPT_MS = 5_000;
// If a client vanishes, the server closes its connection after 25 s and not after two hours.
const KEEP_ALIVE_OF_SERVER = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
};

/** The settings of all our sessions. */
type SessionSettings = Readonly<Record<string, string | number>>;

/** The statement that makes the settings of a session, and of how it ends if we vanish. */
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

function socketOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/**
 * Hears how many milliseconds the server took to answer a statement, also where it refused it, and for which request. It must
 * not throw.
 */
export type HearAnswer = (
  statement: string | pg.QueryConfig,
  ms: number,
  request: RequestId | undefined,
) => void;

/** A connection of the pool. It sends statements and knows how long it has been silent. */
export class Line {
  readonly client: pg.PoolClient;
  /** How long it may be silent while it owes an answer. */
  limitMs = 0;
  /** When the last byte came, by `performance.now()`. */
  heardAt = performance.now();
  isInUse = false;
  #owed = 0;
  #owedSince = 0;
  #plannedAt = 0;
  readonly #hear: HearAnswer | undefined;

  /** Calls `hear` at each answer. */
  constructor(client: pg.PoolClient, hear?: HearAnswer) {
    this.client = client;
    this.#hear = hear;
    socketOf(client).on("data", () => {
      this.heardAt = performance.now();
    });
  }

  /**
   * Sends a statement. The limit counts from the last byte that came and not from each statement, because a statement
   * in a pipeline waits for those before it.
   */
  ask(statement: string | pg.QueryConfig): Promise<pg.QueryResult> {
    const askedAt = performance.now();
    // The answer comes in the context of the socket.
    const request = this.#hear && currentRequest();
    if (this.#owed++ === 0) this.#owedSince = askedAt;
    return new Promise((resolve, reject) => {
      this.client.query(statement as pg.QueryConfig, (error, result) => {
        this.#owed--;
        // What gets no answer is an outage, which is reported as such.
        if (!error || error instanceof pg.DatabaseError)
          this.#hear?.(statement, performance.now() - askedAt, request);
        if (error) reject(error);
        else resolve(result);
      });
    });
  }

  /** How long an answer has been owed while nothing came; 0 if none is owed. */
  silentMs(now: number): number {
    return this.#owed === 0 ? 0 : now - Math.max(this.heardAt, this.#owedSince);
  }

  /**
   * Makes the statements of one tick travel in one packet. A system call for each took a quarter of a loaded process's
   * time (2026-11-21).
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

  /** Ends the connection at once. All statements that wait for an answer fail with `reason`. */
  cut(reason?: Error): void {
    socketOf(this.client).destroy(reason);
  }
}

type ClientOptions = {
  /** 0: as long as the server lets it. */
  answerMs: number;
  connectMs?: number;
  settings?: SessionSettings;
  types?: pg.CustomTypesConfig;
};

/**
 * Opens a connection outside of the pool, to the first server that may be kept. A statement that takes longer than
 * `answerMs` is rejected. Then close the connection by `closeClient`.
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

/** Closes a connection, whether the other end still answers or not. */
export async function closeClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => cut(client), GOODBYE_MS);
  await client.end().catch(() => {});
  clearTimeout(timer);
}

function cut(client: pg.Client): void {
  socketOf(client).destroy();
}
