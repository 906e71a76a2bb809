// The runtime: the services of one running process, passed as a value.

import type { Config } from "./config.ts";
import type { Database } from "./database/database.ts";
import type { Incarnation } from "./database/incarnation.ts";
import type { AcknowledgedLog } from "./files/acknowledged.ts";
import type { SubmittedLog } from "./files/submitted.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Secrets } from "./secrets/secrets.ts";
import type { Traces } from "./traces.ts";

/** The database, or a view of it that has the same methods. */
export type AnyDatabase = Pick<Database, keyof Database>;

export type Runtime = {
  readonly acknowledged: AcknowledgedLog;
  readonly config: Config;
  readonly database: AnyDatabase;
  readonly incarnation: Incarnation;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly secrets: Secrets;
  readonly submitted: SubmittedLog;
  /** Undefined unless an OpenTelemetry collector is configured. */
  readonly traces: Traces | undefined;
  /** The base of links sent to people, without a slash at the end. It is set when the listener has its port. */
  publicUrl: string;
};

/**
 * State of one running process that is created at its first use, such as a batcher or a counter: `const sendersFound =
 * perRuntime((app) => batcher({ … }));` then `sendersFound(app)(name)`. It keeps modules free of state, so that a test
 * can run two processes in one.
 */
export function perRuntime<T>(make: (app: Runtime) => T): (app: Runtime) => T {
  const made = new WeakMap<Runtime, T>();
  const stateOf = (app: Runtime): T => {
    let state = made.get(app);
    if (state !== undefined) return state;
    const process = processes.get(app);
    if (process) return stateOf(process);
    state = make(app);
    made.set(app, state);
    return state;
  };
  return stateOf;
}

/** The runtime of the process, for each runtime that `withDatabase` derived from it. */
const processes = new WeakMap<Runtime, Runtime>();

/** Returns the runtime for one request, with another view of the database and the process's state. */
export function withDatabase(app: Runtime, database: AnyDatabase): Runtime {
  const derived = { ...app, database };
  processes.set(derived, app);
  return derived;
}
