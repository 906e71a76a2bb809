// Hides the secrets of a request that an administrator sees.
import { MASK } from "../../platform/http/addresses.ts";
import type { Connector } from "./connector.ts";
import { headerValue, jsonText, parameter, urlPart, xmlText } from "./escapes.ts";
import type { CarrierRequest } from "./exchange.ts";
import { fieldValues } from "./placeholders.ts";

const SCHEME = /^(Basic|Bearer) .*$/is;

/**
 * Returns a request in which `••••` replaces every secret value, in any escaping, and all of what follows `Basic` or
 * `Bearer`. A short secret hides every place where its characters occur.
 */
export function masked(
  request: CarrierRequest,
  connector: Connector,
  fields: Readonly<Record<string, string>>,
): CarrierRequest {
  const values = fieldValues(connector.fields, fields);
  const secrets = connector.fields.flatMap(({ name, secret }) =>
    secret ? writingsOf(values.get(name) ?? "") : [],
  );
  // The longest first: one secret may be a part of another.
  const all = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  const hide = (text: string) => all.reduce((hidden, secret) => hidden.replaceAll(secret, MASK), text);
  const headers = Object.entries(request.headers).map(([name, value]) => [
    name,
    hide(value.replace(SCHEME, `$1 ${MASK}`)),
  ]);
  return {
    method: request.method,
    url: hide(request.url),
    headers: Object.fromEntries(headers),
    body: request.body === undefined ? undefined : hide(request.body),
  };
}

function writingsOf(secret: string): string[] {
  if (secret === "") return [];
  return [secret, ...[urlPart, parameter, headerValue, jsonText, xmlText].map((write) => write(secret))];
}
