// Unread bodies: a large body of an account with too many waiting requests is refused before it is parsed.

import { sharesOf } from "../limits/shares.ts";
import { perRuntime, type Runtime } from "../runtime.ts";
import { type Sealed, sealRefusal } from "./envelope.ts";
import { Refusal } from "./refusals.ts";
import { accountOf, type Request, type Speaker } from "./routes.ts";

// Beyond this number all are dropped, which only costs parsing bodies that are refused afterwards.
const CALLERS_AT_MOST = 10_000;
// Credentials may be revoked, so they are checked again after this time.
const KNOWN_MS = 60_000;

type Known = { readonly caller: NonNullable<Speaker>; readonly untilMs: number };

/** The callers that recently sent large bodies, by their credentials. */
const callers = perRuntime(() => new Map<string, Known>());

/** Remembers the caller of a large body by its credentials for a minute. */
export function rememberCaller(app: Runtime, { credentials }: Request, caller: NonNullable<Speaker>): void {
  if (credentials === undefined) return;
  const known = callers(app);
  if (known.size >= CALLERS_AT_MOST) known.clear();
  known.set(credentials, { caller, untilMs: performance.now() + KNOWN_MS });
}

/**
 * Returns the refusal of a large body whose credentials are known to be of an account that has too many waiting
 * requests now; undefined if the body is to be parsed.
 */
export function refuseUnread(app: Runtime, request: Request): Sealed | undefined {
  const known = request.credentials === undefined ? undefined : callers(app).get(request.credentials);
  if (!known || known.untilMs < performance.now()) return undefined;
  const account = accountOf(known.caller);
  if (account === undefined) return undefined;
  try {
    sharesOf(app).refuseIfFull(account, request.rawBody.length);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    request.caller = known.caller;
    return sealRefusal(error);
  }
  return undefined;
}
