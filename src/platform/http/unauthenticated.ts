// Unauthenticated callers: refuses requests without valid credentials, and counts the failures of an address.

import { networkOf, Rates } from "../limits/rates.ts";
import { perRuntime, type Runtime } from "../runtime.ts";
import { isOwnMachine } from "./forwarded.ts";
import { refuse } from "./refusals.ts";
import type { Request } from "./routes.ts";

/** Identifies where a request comes from. */
type Origin = Pick<Request, "ip" | "headers">;

const failures = perRuntime(({ config }) => {
  const perMinute = config.limits.authFailuresPerMinute;
  return new Rates({ perSecond: perMinute / 60, burst: perMinute });
});

/**
 * Counts a failed authentication of an address. Returns 0, or the seconds to wait if it has failed too often. Valid
 * credentials are accepted all the same: an unauthenticated caller must not lock out others behind the same address.
 */
export function takeFailure(app: Runtime, origin: Origin): number {
  return isOwnMachine(origin) ? 0 : failures(app).take(networkOf(origin.ip));
}

/** Does what `takeFailure` does; refuses `too-many-requests` to an address that has failed too often. */
export function countFailure(app: Runtime, origin: Origin): void {
  const waitSeconds = takeFailure(app, origin);
  if (waitSeconds > 0) refuse("too-many-requests", { retryAfterSeconds: waitSeconds });
}

/** Refuses unknown credentials: always with the same bytes, until the address has failed too often. */
export function refuseUnauthenticated(app: Runtime, origin: Origin): never {
  countFailure(app, origin);
  refuse("not-authenticated");
}
