// Notices of sends: they wake the gateways of all processes.
import { announce } from "../../../platform/database/notify.ts";
import type { Runtime } from "../../../platform/runtime.ts";

/** The channel of these notices. */
export const SENDS = "sends";

/** Notifies the gateways that the queue has changed. Call it after the commit. */
export function announceSends(app: Runtime): void {
  announce(app, SENDS);
}
