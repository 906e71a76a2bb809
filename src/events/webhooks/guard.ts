// Which addresses webhooks may reach: public ones by HTTPS on port 443, and those of WEBHOOK_ALLOW_CIDRS.
import type { LookupFunction } from "node:net";
import { askDns, checkReachable, guardedLookup, type Resolve, reachOf } from "../../platform/http/guard.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";

const webhookReach = perRuntime((app) => reachOf(app.config.webhookAllowCidrs));

/** Checks a submitted webhook URL: see `checkReachable`. */
export function checkWebhookUrl(
  app: Runtime,
  text: string,
  resolve: Resolve = askDns(app),
  field = "webhookUrl",
): Promise<void> {
  return checkReachable(text, { reach: webhookReach(app), resolve, field });
}

/** Returns the lookup for a connection to a webhook: see `guardedLookup`. */
export function webhookLookup(app: Runtime, url: URL, resolve: Resolve = askDns(app)): LookupFunction {
  return guardedLookup(url, webhookReach(app), resolve);
}
