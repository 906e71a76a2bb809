// The addresses that carriers over HTTP may have: public ones by HTTPS, and those of CARRIER_ALLOW_CIDRS.
import { type Reach, reachOf } from "../../platform/http/guard.ts";
import { perRuntime } from "../../platform/runtime.ts";

export const carrierReach = perRuntime(
  (app): Reach => reachOf(app.config.carrierAllowCidrs, { anyPort: true, setting: "CARRIER_ALLOW_CIDRS" }),
);
