// Signatures of callbacks: HMAC of the body, of the time and the body, or of the URL and its sorted parameters.
import { createHmac } from "node:crypto";
import type { SimulatedCallback } from "./dialect.ts";

export interface SignatureForm {
  algorithm: "sha1" | "sha256" | "sha512";
  encoding: "hex" | "base64";
  /**
   * `body`: the raw body, or the query of a GET. `time-body`: the seconds since 1970 of `X-Timestamp`, a dot, the
   * body. `url-params`: the URL, then name and value of each parameter of the form in order of names (as Twilio does).
   */
  over: "body" | "time-body" | "url-params";
}

/** Reads a form such as `sha256-hex-body`; undefined if there is no such form. */
export function signatureFormOf(text: string): SignatureForm | undefined {
  const [, algorithm, encoding, over] =
    /^(sha1|sha256|sha512)-(hex|base64)-(body|time-body|url-params)$/.exec(text) ?? [];
  return algorithm === undefined ? undefined : ({ algorithm, encoding, over } as SignatureForm);
}

/** Returns the callback with the headers `X-Signature` and, for `time-body`, `X-Timestamp`. */
export function signed(callback: SimulatedCallback, key: string, form: SignatureForm): SimulatedCallback {
  const seconds = String(Math.floor(Date.now() / 1000));
  const signature = createHmac(form.algorithm, key)
    .update(signedText(callback, form, seconds))
    .digest(form.encoding);
  const headers = { ...callback.headers, "X-Signature": signature };
  return {
    ...callback,
    headers: form.over === "time-body" ? { ...headers, "X-Timestamp": seconds } : headers,
  };
}

function signedText({ url, body }: SimulatedCallback, { over }: SignatureForm, seconds: string): string {
  if (over === "url-params") {
    const sorted = [...new URLSearchParams(body)].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return url + sorted.flat().join("");
  }
  const text = body ?? new URL(url).search.slice(1);
  return over === "body" ? text : `${seconds}.${text}`;
}
