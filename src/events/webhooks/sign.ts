// Standard Webhooks 1.0: secrets, and the headers that prove to a receiver that an event is ours and fresh.
import { createHmac, randomBytes } from "node:crypto";
import type { SealedPlace } from "../../platform/secrets/secrets.ts";

const PREFIX = "whsec_";
/** The specification requires 24 to 64. */
const SECRET_BYTES = 32;

/** Returns a new secret: `whsec_` and 32 random bytes in standard base64, as the libraries of receivers expect it. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** Where the sealed secret of an endpoint is stored. */
export function secretPlace(endpointId: string): SealedPlace {
  return { table: "webhook_endpoints", column: "sealed_secret", row: endpointId };
}

/** Where the sealed previous secret is stored, while it still signs. */
export function oldSecretPlace(endpointId: string): SealedPlace {
  return { table: "webhook_endpoints", column: "sealed_old_secret", row: endpointId };
}

/** The signed content: the event's id, the seconds of this try, and the exact bytes of the body. */
export type Signed = { id: string; seconds: number; body: string };

/** Returns the three headers; one signature for each secret, so that both work while one replaces the other. */
export function signatureHeaders(
  secrets: readonly string[],
  { id, seconds, body }: Signed,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" "),
  };
}
