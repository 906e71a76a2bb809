// The webhook subscription to a code's events.
import type { Subscription } from "../../delivery/sends/queue/subscription.ts";
import type { UserCaller } from "../../identity/accounts/callers.ts";
import { requestIdGiven } from "../../platform/http/requestids.ts";

/** Returns the subscription of the company's webhooks: events contain the code's token, never the code. */
export function watchOfCode(
  { companyId, language }: UserCaller,
  token: string,
  callbackData?: string,
): Subscription {
  const about = { token, ...(callbackData !== undefined && { callbackData }) };
  return { endpointId: null, listenerId: companyId, language, about, requestId: requestIdGiven() };
}
