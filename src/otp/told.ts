// Who is told what becomes of a code.
import type { UserCaller } from "../accounts/accounts.ts";
import { requestIdGiven } from "../kernel/requestids.ts";
import type { Watch } from "../sends/sends.ts";

/** The webhooks of the company get the events of a code, by its token and never with the code. */
export function watchOfCode(
  { companyId, language }: UserCaller,
  token: string,
  callbackData?: string,
): Watch {
  const about = { token, ...(callbackData !== undefined && { callbackData }) };
  return { endpointId: null, listenerId: companyId, language, about, requestId: requestIdGiven() };
}
