// Unread: a large body of an account that has too much waiting is refused before it is parsed.
import { type Sealed, sealRefusal } from "./envelope.ts";
import { Refusal } from "./refusals.ts";
import { accountOf, type Request, type Speaker } from "./routes.ts";
import { perRuntime, type Runtime } from "./runtime.ts";
import { sharesOf } from "./shares.ts";

// Beyond them all are forgotten, which only costs the parsing of bodies that are refused afterwards.
const CALLERS_AT_MOST = 10_000;
// Credentials may be revoked, so they are looked at again after this time.
const KNOWN_MS = 60_000;

type Known = { readonly caller: NonNullable<Speaker>; readonly untilMs: number };

/** The callers that sent large bodies lately, by their credentials. */
const callers = perRuntime(() => new Map<string, Known>());

/** Remembers for a minute whose the credentials of a large body are. */
export function rememberCaller(app: Runtime, { credentials }: Request, caller: NonNullable<Speaker>): void {
  if (credentials === undefined) return;
  const known = callers(app);
  if (known.size >= CALLERS_AT_MOST) known.clear();
  known.set(credentials, { caller, untilMs: performance.now() + KNOWN_MS });
}

/**
 * The refusal of a large body whose credentials were found to be of an account that has too much waiting now; undefined
 * if the body is to be parsed.
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
