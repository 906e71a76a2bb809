// Unread: a large body of an account that has too much waiting is refused before it is parsed.
import { type Sealed, sealRefusal } from "./envelope.ts";
import { Refusal } from "./refusals.ts";
import { accountOf, type Request, type Speaker } from "./routes.ts";
import { perRuntime, type Runtime } from "./runtime.ts";
import { sharesOf } from "./shares.ts";

// Beyond them all are forgotten, which only costs the parsing of bodies that are refused afterwards.
const CALLERS_AT_MOST = 10_000;

/** The callers that sent large bodies lately, by their credentials. */
const callers = perRuntime(() => new Map<string, NonNullable<Speaker>>());

/** Remembers whose the credentials of a large body are. */
export function rememberCaller(app: Runtime, { credentials }: Request, caller: NonNullable<Speaker>): void {
  if (!credentials) return;
  const known = callers(app);
  if (known.size >= CALLERS_AT_MOST) known.clear();
  known.set(credentials, caller);
}

/**
 * The refusal of a large body whose credentials were found to be of an account that has too much waiting now; undefined
 * if the body is to be parsed. Whether the credentials are still valid is found out by a request that is not refused.
 */
export function refuseUnread(app: Runtime, request: Request): Sealed | undefined {
  const caller = request.credentials ? callers(app).get(request.credentials) : undefined;
  const account = caller && accountOf(caller);
  if (account === undefined) return undefined;
  try {
    sharesOf(app).refuseIfFull(account, request.rawBody.length);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    request.caller = caller;
    return sealRefusal(error);
  }
  return undefined;
}
