// Notices of sends: gateways of all processes hear that there is something to do.
import { announce } from "../../platform/notify.ts";
import type { Runtime } from "../../platform/runtime.ts";

/** The channel of these notices. */
export const SENDS = "sends";

/** Tells the gateways that the queue has changed. Call it after the commit. */
export function announceSends(app: Runtime): void {
  announce(app, SENDS);
}
