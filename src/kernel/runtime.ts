// The runtime: what one running process has at hand, passed as a value.
import type { Config } from "./config.ts";
import type { Database } from "./database.ts";
import type { Incarnation } from "./incarnation.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Secrets } from "./secrets.ts";

export type Runtime = {
  readonly config: Config;
  readonly database: Database;
  readonly incarnation: Incarnation;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly secrets: Secrets;
  /** The base of links sent to people, without a slash at the end. It is known when the listener has its port. */
  publicUrl: string;
};

/**
 * State that belongs to one running process and is made at its first use, such as a `gather` or a counter:
 * `const sendersFound = perRuntime((app) => gather({ … }));` then `sendersFound(app)(name)`. It keeps modules free of
 * state, so that a test can run two processes in one.
 */
export function perRuntime<T>(make: (app: Runtime) => T): (app: Runtime) => T {
  const made = new WeakMap<Runtime, T>();
  return (app) => {
    let state = made.get(app);
    if (state === undefined) {
      state = make(app);
      made.set(app, state);
    }
    return state;
  };
}
