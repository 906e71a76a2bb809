// Webhooks: whether what came is from the service, as https://www.standardwebhooks.com says.
import type { WebhookEvent } from "./generated/interface.ts";

/** What came is not signed by a secret, or not now. It must not be believed. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

type Headers = { get(name: string): string | null } | Record<string, string | string[] | undefined>;

const TOLERANCE_SECONDS = 300;
const PREFIX = "whsec_";

/**
 * The event in a request. `rawBody` is its body as it came, before any JSON was read. `secret` is the `webhookSecret`, or
 * several, of which one is enough. Rejects with `WebhookVerificationError`.
 */
export async function verify(
  rawBody: string | Uint8Array,
  headers: Headers,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: { toleranceSeconds?: number } = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
    headerIn(headers, `webhook-${name}`),
  ) as [string, string, string];
  const seconds = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(Date.now() / 1_000 - seconds) <= toleranceSeconds))
    throw new WebhookVerificationError("the timestamp is too old, or too new");
  const bytes = typeof rawBody === "string" ? new TextEncoder().encode(rawBody) : rawBody;
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

function headerIn(headers: Headers, name: string): string {
  const isMap = typeof (headers as { get?: unknown }).get === "function";
  const found = isMap
    ? (headers as { get(name: string): string | null }).get(name)
    : Object.entries(headers as Record<string, string | string[] | undefined>).find(
        ([key]) => key.toLowerCase() === name,
      )?.[1];
  if (typeof found !== "string" || found === "") throw new WebhookVerificationError(`there is no ${name}`);
  return found;
}

async function keyOf(secret: string): Promise<CryptoKey> {
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
