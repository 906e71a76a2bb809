// Who is told what becomes of a code.
import type { Watch } from "../../delivery/sends/sends.ts";
import type { UserCaller } from "../../identity/accounts/accounts.ts";
import { requestIdGiven } from "../../platform/requestids.ts";

/** The webhooks of the company get the events of a code, by its token and never with the code. */
export function watchOfCode(
  { companyId, language }: UserCaller,
  token: string,
  callbackData?: string,
): Watch {
  const about = { token, ...(callbackData !== undefined && { callbackData }) };
  return { endpointId: null, listenerId: companyId, language, about, requestId: requestIdGiven() };
}
