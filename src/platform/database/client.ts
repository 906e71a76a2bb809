// A connection to one server of a database URL. It is kept only if the server suits the URL.
import pg from "pg";
import type { Hosts } from "./hosts.ts";

const STATE =
  "SELECT pg_is_in_recovery() AS is_standby, current_setting('transaction_read_only') = 'on' AS is_read_only";

/** A server accepts no writes. It has the code with which PostgreSQL refuses a write. */
class Unsuitable extends Error {
  override name = "Unsuitable";
  readonly code = READ_ONLY;
}

/** A server could not be reached, or is unsuitable; the reason is in `cause`. */
class Unreached extends Error {
  override name = "Unreached";
}

/** None of the servers of an address could be reached and used. `errors` has the reason of each. */
class NoServer extends AggregateError {
  override name = "NoServer";
}

const READ_ONLY = "25006";

/** True if a server refused to write, as a standby does, or a primary that was just demoted. */
export function isReadOnly(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === READ_ONLY;
}

/** A client of the server that `hosts` names when it is created. Its limits are for all servers together. */
export class ServerClient extends pg.Client {
  readonly address: string;
  readonly #hosts: Hosts;
  readonly #limitMs: number;
  /** Settings that the server reported, by name. */
  readonly #reported = new Map<string, string>();

  constructor(hosts: Hosts, config: pg.ClientConfig & { connectionTimeoutMillis: number }) {
    const { address } = hosts;
    const limitMs = Math.ceil(config.connectionTimeoutMillis / hosts.count);
    super({ ...config, connectionString: address, connectionTimeoutMillis: limitMs });
    this.address = address;
    this.#hosts = hosts;
    this.#limitMs = limitMs;
    this.connection.on("parameterStatus", ({ parameterName, parameterValue }) => {
      this.#reported.set(parameterName, parameterValue);
    });
  }

  /** Connects. Fails with `Unreached`, after which the next client tries another server. */
  override connect(): Promise<this>;
  override connect(callback: (error: Error | null, client?: this) => void): void;
  override connect(callback?: (error: Error | null, client?: this) => void): unknown {
    if (!callback) {
      return new Promise((resolve, reject) => {
        this.connect((error) => (error ? reject(error) : resolve(this)));
      });
    }
    const leave = (cause: Error) => {
      this.#hosts.leave(this.address);
      callback(new Unreached(cause.message, { cause }));
    };
    super.connect((error: Error | null) => {
      if (error) leave(error);
      else if (this.#hosts.suits(this.#asReported())) callback(null, this);
      else this.#ask((found) => (found ? this.#part(found, leave) : callback(null, this)));
    });
    return undefined;
  }

  #asReported(): { isStandby: boolean; isReadOnly: boolean } {
    const isOn = (name: string) => this.#reported.get(name) === "on";
    return { isStandby: isOn("in_hot_standby"), isReadOnly: isOn("default_transaction_read_only") };
  }

  /** Queries the server itself: a pooler reports the state of a server at the time when the pooler connected. */
  #ask(answer: (unsuitable: Error | undefined) => void): void {
    const question = { text: STATE, query_timeout: this.#limitMs };
    this.query(question, (error: Error | null, result: pg.QueryResult) => {
      if (error) return answer(error);
      const { is_standby: isStandby, is_read_only: isReadOnly } = result.rows[0];
      if (this.#hosts.suits({ isStandby, isReadOnly })) return answer(undefined);
      const what = isStandby ? "a standby" : "read-only";
      answer(new Unsuitable(`the server ${new URL(this.address).host} is ${what}`));
    });
  }

  #part(reason: Error, then: (reason: Error) => void): void {
    this.end(() => {});
    then(reason);
  }
}

/** Connects to one server after another, each once, until one is suitable. Throws the reason if none is. */
export async function askEach<T>(hosts: Hosts, connect: () => Promise<T>): Promise<T> {
  const reasons: Error[] = [];
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if (!(error instanceof Unreached)) throw error;
      const reason = error.cause as Error;
      if (hosts.count === 1) throw reason;
      reasons.push(reason);
      if (reasons.length === hosts.count)
        throw new NoServer(reasons, reasons.map(({ message }) => message).join("; "));
    }
  }
}

/**
 * Returns the statement that sets up a session. The settings are not startup options, because a pooler refuses or
 * forgets those. `more` are SQL expressions that are evaluated after them. With the first statement it adds 0.7 ms to a
 * new connection's 5 (2 busy cores, 2026-11-25), and no round trip of its own.
 */
export function settle(settings: Readonly<Record<string, string | number>>, ...more: string[]): string {
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(`${value}`)}, false)`,
  );
  return `SELECT ${[...calls, ...more].join(", ")}`;
}
