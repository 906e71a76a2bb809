// Unauthenticated callers: callers who do not say who they are. All are refused here, and the failures of an address
// count together.
import { isOwnMachine } from "./forwarded.ts";
import { networkOf, Rates } from "./rates.ts";
import { refuse } from "./refusals.ts";
import type { Request } from "./routes.ts";
import { perRuntime, type Runtime } from "./runtime.ts";

/** What tells where a request comes from. */
type Origin = Pick<Request, "ip" | "headers">;

const failures = perRuntime(({ config }) => {
  const perMinute = config.limits.authFailuresPerMinute;
  return new Rates({ perSecond: perMinute / 60, burst: perMinute });
});

/**
 * Counts a failure of an address to say who it is. Returns 0, or the seconds to wait if it has failed too often. A right
 * key is heard all the same: an unauthenticated caller must not lock out those who share an address with him.
 */
export function takeFailure(app: Runtime, origin: Origin): number {
  return isOwnMachine(origin) ? 0 : failures(app).take(networkOf(origin.ip));
}

/** As `takeFailure`; refuses `too-many-requests` to an address that has failed too often. */
export function countFailure(app: Runtime, origin: Origin): void {
  const waitSeconds = takeFailure(app, origin);
  if (waitSeconds > 0) refuse("too-many-requests", { retryAfterSeconds: waitSeconds });
}

/** Refuses a request whose credentials are unknown: always with the same bytes, until its address has failed too often. */
export function refuseUnauthenticated(app: Runtime, origin: Origin): never {
  countFailure(app, origin);
  refuse("not-authenticated");
}
