// Access tokens of OAuth 2 by client credentials (RFC 6749, section 4.4): the request and what its response says.
import type { Connector } from "./connector.ts";
import type { CarrierRequest, CarrierResponse, TokenAnswer } from "./exchange.ts";
import { readResponse } from "./reading.ts";
import { compileRequest, type TemplateScope } from "./requests.ts";

type OAuth = Extract<Connector["auth"], { kind: "oauth2" }>;

/** Compiles the request for a token. */
export function compileTokenRequest(auth: OAuth, scope: TemplateScope<undefined>): () => CarrierRequest {
  const ofBody = auth.credentials === "body";
  const build = compileRequest(
    {
      method: "POST",
      url: auth.url,
      ...(auth.query && { query: auth.query }),
      headers: [{ name: "accept", value: "application/json" }, ...(auth.headers ?? [])],
      body: {
        kind: "form",
        fields: [
          { name: "grant_type", value: "client_credentials" },
          ...(ofBody ? [{ name: "client_id", value: auth.clientId }] : []),
          ...(ofBody ? [{ name: "client_secret", value: auth.clientSecret }] : []),
          ...(auth.scope ? [{ name: "scope", value: auth.scope }] : []),
        ],
      },
    },
    ofBody ? { kind: "none" } : { kind: "basic", username: auth.clientId, password: auth.clientSecret },
    scope,
  );
  return () => build(undefined, undefined);
}

/** If the endpoint does not say how long a token lives (RFC 6749, 5.1: `expires_in` is only recommended). */
const USUAL_LIFE_S = 300;
const LIFE_S_AT_MOST = 86_400;
/** RFC 6750, 2.1, and what some endpoints use beside it; no character that could end a header. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/;
/** RFC 6749, 5.2. */
const OF_CREDENTIALS = new Set(["invalid_client", "unauthorized_client", "invalid_grant", "access_denied"]);

/**
 * Reads the response of a token endpoint. `expires_in` is a number or a text (Orange and MTN). Credentials that are
 * refused are a trouble; a response that is no token is temporary, since a proxy may have answered.
 */
export function readToken(response: CarrierResponse): TokenAnswer {
  const { status } = response;
  const json = readResponse(response).json;
  const members =
    typeof json === "object" && json !== null ? new Map<string, unknown>(Object.entries(json)) : new Map();
  if (status >= 200 && status < 300) {
    const token: unknown = members.get("access_token");
    if (typeof token !== "string" || !TOKEN.test(token)) return { temporary: "no-token" };
    return { token, lifeMs: lifeOf(members.get("expires_in")) * 1000 };
  }
  const error: unknown = members.get("error");
  const isRefused = typeof error === "string" && OF_CREDENTIALS.has(error);
  if (status === 401 || status === 403 || (status === 400 && isRefused))
    return { trouble: "bad-credentials" };
  if (status === 408 || status === 429 || status >= 500 || status < 200)
    return { temporary: `http-${status}` };
  return { trouble: "misconfigured" };
}

function lifeOf(expiresIn: unknown): number {
  const seconds =
    typeof expiresIn === "number" || typeof expiresIn === "string" ? Number(expiresIn) : Number.NaN;
  return seconds > 0 ? Math.min(seconds, LIFE_S_AT_MOST) : USUAL_LIFE_S;
}
