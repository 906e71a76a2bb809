// Webhooks: whether what came is from the service, as https://www.standardwebhooks.com says.
import type { WebhookEvent } from "./generated/interface.ts";

/** What came is not signed by a secret, or not now. It must not be believed. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** `Headers` of fetch, `headers` or `rawHeaders` of Node, a `Map`, or a list of pairs. */
type Headers =
  | { get(name: string): string | null }
  | Record<string, string | readonly string[] | undefined>
  | Iterable<readonly [string, string | readonly string[]]>
  | readonly string[];

const TOLERANCE_SECONDS = 300;
const PREFIX = "whsec_";

/**
 * The event in a request. `rawBody` is its body as it came, before any JSON was read. `secret` is the `webhookSecret`, or
 * several, of which one is enough. Rejects with `WebhookVerificationError`, and with `TypeError` for an argument that is
 * something else, such as a parsed body.
 */
export async function verify(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: Headers,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: { toleranceSeconds?: number } = {},
): Promise<WebhookEvent> {
  const bytes = bytesOf(rawBody);
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
    headerIn(headers, `webhook-${name}`),
  ) as [string, string, string];
  const seconds = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(Date.now() / 1_000 - seconds) <= toleranceSeconds))
    throw new WebhookVerificationError("the timestamp is too old, or too new");
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  for (const one of [secret].flat()) {
    const key = await keyOf(one);
    for (const signature of signatures.split(" ")) {
      const given = signature.startsWith("v1,") ? decoded(signature.slice(3)) : undefined;
      // It compares in constant time.
      if (given && (await crypto.subtle.verify("HMAC", key, given, signed))) return eventIn(bytes);
    }
  }
  throw new WebhookVerificationError("no signature is by this secret");
}

function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === "string") return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  throw new TypeError(
    "rawBody must be the body as it came, a string or its bytes, because the signature is over these bytes; it is no parsed JSON. With Express, use express.raw({ type: 'application/json' }) on this route.",
  );
}

function headerIn(headers: Headers, name: string): string {
  if (typeof headers !== "object" || headers === null)
    throw new TypeError("headers must be the headers of the request: request.headers, with their names");
  const values = [...new Set(valuesIn(headers, name).filter((value) => value !== ""))];
  if (values.length === 0) throw new WebhookVerificationError(`there is no ${name}`);
  // Several signatures may stand in one header or in several.
  if (values.length > 1 && name !== "webhook-signature")
    throw new WebhookVerificationError(`there is more than one ${name}`);
  return values.join(" ");
}

function valuesIn(headers: Headers, name: string): string[] {
  const { get } = headers as { get?: unknown };
  if (typeof get === "function" && !(headers instanceof Map)) {
    const found = (headers as { get(name: string): unknown }).get(name);
    return typeof found === "string" ? [found] : [];
  }
  return pairsIn(headers).flatMap(([key, value]) =>
    String(key).toLowerCase() === name
      ? [value].flat().filter((one): one is string => typeof one === "string")
      : [],
  );
}

function pairsIn(headers: Headers): (readonly [unknown, unknown])[] {
  if (!(Symbol.iterator in headers)) return Object.entries(headers);
  const all: unknown[] = [...(headers as Iterable<unknown>)];
  if (all.every((one) => Array.isArray(one))) return all as [unknown, unknown][];
  // As `rawHeaders` of Node: a name, its value, the next name.
  return all.flatMap((one, at) => (at % 2 === 0 ? [[one, all[at + 1]] as const] : []));
}

async function keyOf(secret: unknown): Promise<CryptoKey> {
  if (typeof secret !== "string")
    throw new TypeError("secret must be the webhookSecret, or a list of several");
  const bytes = decoded(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (!bytes || bytes.length === 0) throw new TypeError("the secret is not one of a webhook");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** The bytes of a text in base64; undefined if it is none. */
function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function eventIn(bytes: Uint8Array): WebhookEvent {
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
}
