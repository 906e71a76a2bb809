// Whether a callback comes from the carrier: a signature over its bytes, or a secret in a header.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { CallbackAuth } from "./connector.ts";
import type { CarrierCallback } from "./exchange.ts";
import { decodeBody, headerOf, parametersIn } from "./reading.ts";
import { compileNodes, compileWhen, parseTemplate, pieceText, type ResolveName } from "./templates.ts";

export type Authenticity = "yes" | "no" | "not-configured";
type Hmac = Extract<CallbackAuth, { kind: "hmac" }>;

/** How old a signed callback may be, and how far the carrier's clock may be off. */
const USUAL_TOLERANCE_S = 300;

/** Compiles the check of callbacks. Without a declared check, or with an empty key, nothing is configured. */
export function compileAuthenticity(
  declared: Declared,
  resolve: ResolveName<undefined>,
  nowMs: () => number,
): (callback: CarrierCallback) => Authenticity {
  const secretOf = (auth: CallbackAuth) =>
    pieceText(
      compileNodes(parseTemplate(auth.kind === "header" ? auth.value : auth.key), resolve, (text) => text),
      undefined,
    );
  const configured = authsOf(declared)
    .filter(({ only }) => compileWhen(only, resolve) === true)
    .map((auth) => ({ auth, secret: secretOf(auth) }))
    .find(({ secret }) => secret !== "");
  if (!configured) return () => "not-configured";
  const { auth, secret } = configured;
  return (callback) => (isProven(callback, auth, secret, nowMs()) ? "yes" : "no");
}

type Declared = CallbackAuth | readonly CallbackAuth[] | undefined;

/** Returns the checks of a declaration, which has one, several or none. */
export function authsOf(declared: Declared): readonly CallbackAuth[] {
  if (declared === undefined) return [];
  return "kind" in declared ? [declared] : declared;
}

/** Returns the place of one of these checks in its declaration. */
export function authPath(declared: Declared, at: number): string {
  return Array.isArray(declared) ? `callbackAuth[${at}]` : "callbackAuth";
}

function isProven(callback: CarrierCallback, auth: CallbackAuth, secret: string, nowMs: number): boolean {
  switch (auth.kind) {
    case "header": {
      const given = headerOf(callback.headers, auth.name.toLowerCase());
      return given !== undefined && isSame(given, secret);
    }
    case "standard-webhooks":
      return isStandardSigned(callback, secret, nowMs);
    case "hmac":
      return isSigned(callback, auth, secret, nowMs);
  }
}

function isSigned(callback: CarrierCallback, auth: Hmac, key: string, nowMs: number): boolean {
  const { prefix = "", over, timestampHeader } = auth;
  const given = headerOf(callback.headers, auth.header.toLowerCase())?.trim();
  if (!given?.startsWith(prefix)) return false;
  const timestamp = timestampHeader && headerOf(callback.headers, timestampHeader.toLowerCase());
  if (timestampHeader && !isRecent(timestamp, auth.toleranceS ?? USUAL_TOLERANCE_S, nowMs)) return false;
  const hmac = createHmac(auth.algorithm, key);
  for (const part of signedParts(callback, over, timestamp ?? "")) hmac.update(part);
  const signature = given.slice(prefix.length);
  // Hexadecimal digits may be written in either case.
  return isSame(auth.encoding === "hex" ? signature.toLowerCase() : signature, hmac.digest(auth.encoding));
}

function signedParts(
  callback: CarrierCallback,
  over: Hmac["over"],
  timestamp: string,
): (string | Uint8Array)[] {
  const { body, url } = callback;
  switch (over) {
    case "body":
      return [body];
    case "body+timestamp":
      return [body, timestamp];
    case "timestamp.body":
      return [`${timestamp}.`, body];
    case "url+sorted-form":
      return [url, ...sortedForm(callback)];
  }
}

/** Twilio's base string: each parameter of the form in the order of names, name and value without separators. */
function sortedForm({ method, body, headers }: CarrierCallback): string[] {
  if (method === "GET") return [];
  const parameters = [...parametersIn(decodeBody(body, headers))];
  return parameters.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([name, value]) => name + value);
}

/** Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`; several signatures while a secret is replaced. */
function isStandardSigned({ headers, body }: CarrierCallback, secret: string, nowMs: number): boolean {
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const given = headerOf(headers, "webhook-signature");
  if (id === undefined || given === undefined || !isRecent(timestamp, USUAL_TOLERANCE_S, nowMs)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
  return given.split(" ").some((one) => isSame(one, `v1,${signature}`));
}

const EPOCH_SECONDS = /^[0-9]{1,12}$/;

function isRecent(timestamp: string | undefined, toleranceS: number, nowMs: number): timestamp is string {
  if (timestamp === undefined || !EPOCH_SECONDS.test(timestamp)) return false;
  return Math.abs(nowMs / 1000 - Number(timestamp)) <= toleranceS;
}

/** Compares in a time that depends on neither text: their digests have one length. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
