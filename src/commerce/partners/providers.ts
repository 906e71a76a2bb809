// Payment providers: how each one signs its events (`check`) and what the events mean (`read`).
import { createHmac, timingSafeEqual } from "node:crypto";
import { type Static, type TSchema, Type } from "typebox";
import { Compile } from "typebox/compile";
import { nowMs } from "../../platform/clock.ts";
import type { Fields } from "../../platform/http/body.ts";
import type { Request } from "../../platform/http/routes.ts";

/** Why a request is not accepted as coming from its provider. */
export type BadSignature = "bad-signature" | "too-old";

/** A provider's event about one purchase or top-up. */
export type PaymentEvent = {
  eventId: string;
  type: string;
  succeeded: boolean;
  /** The purchase, by our id or by our reference. */
  purchase: { by: "id" | "reference"; value: string };
  /** The provider's own id of the payment, for a receipt. */
  providerReference: string;
  /** In the provider's units; `unitsPerPrice` of them are 1 of a price. */
  amount: number | null;
  unitsPerPrice: number;
  currency: string | null;
};

export type Provider = {
  /** The header that carries the signature. */
  readonly signatureHeader: string;
  /** Checks only bytes and headers; returns undefined if they are right. */
  check(request: Request, secret: string, toleranceMs: number): BadSignature | undefined;
  /** Returns an event that concerns us, or why there is none. */
  read(body: Fields): PaymentEvent | "malformed" | "unknown-event";
};

const Short = Type.String({ minLength: 1, maxLength: 200 });
const Amount = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
const Currency = Type.Optional(Type.String({ maxLength: 10 }));

/** Returns a reader of bodies by `schema`, which is compiled at its first use. */
function reader<Schema extends TSchema>(schema: Schema): (body: Fields) => Static<Schema> | undefined {
  let validator: ReturnType<typeof Compile<Schema>> | undefined;
  return (body) => {
    validator ??= Compile(schema);
    return validator.Check(body) ? (body as Static<Schema>) : undefined;
  };
}

function isSame(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function headerOf(request: Request, name: string): string {
  const value = request.headers[name];
  return typeof value === "string" ? value : "";
}

/** Returns the key of a Standard Webhooks secret: base64, with or without `whsec_`. Other text is used as its bytes. */
function keyOf(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, "");
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  return Buffer.from(text, isBase64 ? "base64" : "utf8");
}

const readStandard = reader(
  Type.Object({
    id: Short,
    type: Short,
    data: Type.Object({
      purchaseId: Type.Optional(Short),
      reference: Type.Optional(Short),
      amount: Type.Optional(Amount),
      currency: Currency,
    }),
  }),
);

/** Standard Webhooks 1.0: HMAC-SHA256 over id, time and body; a header may carry several signatures. */
const standard: Provider = {
  signatureHeader: "webhook-signature",
  check(request, secret, toleranceMs) {
    const id = headerOf(request, "webhook-id");
    const timestamp = headerOf(request, "webhook-timestamp");
    const expected = createHmac("sha256", keyOf(secret))
      .update(`${id}.${timestamp}.`)
      .update(request.rawBody)
      .digest();
    const given = headerOf(request, this.signatureHeader)
      .split(" ")
      .filter((one) => one.startsWith("v1,"));
    const isSigned = given.some((one) => isSame(expected, Buffer.from(one.slice(3), "base64")));
    if (id === "" || !isSigned) return "bad-signature";
    const ageMs = Math.abs(nowMs() - Number(timestamp) * 1_000);
    return /^\d{1,15}$/.test(timestamp) && ageMs <= toleranceMs ? undefined : "too-old";
  },
  read(body) {
    const event = readStandard(body);
    if (!event) return "malformed";
    const { id: eventId, type, data } = event;
    const succeeded = type === "payment.succeeded";
    if (!succeeded && type !== "payment.failed") return "unknown-event";
    const { purchaseId, reference, amount = null, currency = null } = data;
    const named = purchaseId ?? reference;
    if (named === undefined || (succeeded && amount === null)) return "malformed";
    return {
      eventId,
      type,
      succeeded,
      purchase: { by: purchaseId === undefined ? "reference" : "id", value: named },
      providerReference: eventId,
      amount,
      unitsPerPrice: 1,
      currency,
    };
  },
};

const readPaystackEvent = reader(Type.Object({ event: Short }));
const readCharge = reader(
  Type.Object({
    event: Short,
    data: Type.Object({
      id: Type.Optional(Type.Union([Type.Integer(), Short])),
      reference: Short,
      amount: Amount,
      currency: Currency,
    }),
  }),
);

/**
 * Paystack: HMAC-SHA512 of the body in hex, without a time. Amounts are hundredths of the currency, even for the CFA
 * franc, which has none. The charge has an id, but the event has none.
 */
const paystack: Provider = {
  signatureHeader: "x-paystack-signature",
  check(request, secret) {
    const expected = createHmac("sha512", secret).update(request.rawBody).digest();
    const given = Buffer.from(headerOf(request, this.signatureHeader), "hex");
    return isSame(expected, given) ? undefined : "bad-signature";
  },
  read(body) {
    const type = readPaystackEvent(body)?.event;
    if (type === undefined) return "malformed";
    if (type !== "charge.success") return "unknown-event";
    const data = readCharge(body)?.data;
    if (!data) return "malformed";
    return {
      eventId: `${type}:${data.id ?? data.reference}`,
      type,
      succeeded: true,
      purchase: { by: "reference", value: data.reference },
      providerReference: `${data.id ?? data.reference}`,
      amount: data.amount,
      unitsPerPrice: 100,
      currency: data.currency ?? null,
    };
  },
};

/** The providers by their names in `/v1/payment/webhook/{provider}`. */
export const providers: ReadonlyMap<string, Provider> = new Map([
  ["standard", standard],
  ["paystack", paystack],
]);
