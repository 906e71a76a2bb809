// Reads what a carrier writes, in an answer or a callback: its characters, and its JSON, form or XML as one kind of value.
import { TextDecoder } from "node:util";
import type { CarrierCallback, CarrierHeaders, CarrierResponse } from "./exchange.ts";
import { readXml } from "./xml.ts";

/** What a carrier wrote. `json` is undefined if the body is cut, broken or of another format. */
export interface CarrierReading {
  readonly status: number | undefined;
  readonly headers: CarrierHeaders;
  /** Parameters of the URL; only callbacks have one. */
  readonly query: ReadonlyMap<string, string>;
  /** The query of the URL as the carrier wrote it, without `?`. */
  readonly search: string;
  readonly text: string;
  readonly json: unknown;
}

/** The formats of callbacks. `auto`: by the content type, or else by the first character. */
export type BodyFormat = "json" | "form" | "query" | "xml" | "auto";

const NO_QUERY: ReadonlyMap<string, string> = new Map();

/** Reads a response. JSON or XML, whatever its content type says; parsed at the first use. */
export function readResponse({ status, headers, body, isCut }: CarrierResponse): CarrierReading {
  const text = decodeBody(body, headers);
  let parsed: { value: unknown } | undefined;
  return {
    status,
    headers,
    query: NO_QUERY,
    search: "",
    text,
    get json() {
      parsed ??= { value: isCut ? undefined : parseMarked(text) };
      return parsed.value;
    },
  };
}

/** Reads a callback. Every format becomes one JSON-like value; the query also stays readable by itself. */
export function readCallback(
  { method, url, headers, body }: CarrierCallback,
  format: BodyFormat,
): CarrierReading {
  const at = url.indexOf("?");
  const search = at < 0 ? "" : url.slice(at + 1);
  const query = readForm(search);
  const text = decodeBody(body, headers);
  const actual = format === "auto" ? formatOf(method, headerOf(headers, "content-type"), text) : format;
  return { status: undefined, headers, query, search, text, json: parseAs(actual, text, query) };
}

function formatOf(method: string, contentType: string | undefined, text: string): BodyFormat {
  if (method === "GET" && text === "") return "query";
  const type = (contentType ?? "").toLowerCase();
  if (type.includes("json")) return "json";
  if (type.includes("xml")) return "xml";
  if (type.includes("x-www-form-urlencoded")) return "form";
  const [first] = text.trimStart();
  return first === "{" || first === "[" ? "json" : first === "<" ? "xml" : "form";
}

function parseAs(format: BodyFormat, text: string, query: ReadonlyMap<string, string>): unknown {
  switch (format) {
    case "query":
      return Object.fromEntries(query);
    case "form":
      return Object.fromEntries(readForm(text));
    case "xml":
      return readXml(text);
    default:
      return readJson(text);
  }
}

/** A text that begins as neither is not parsed: a failed attempt takes 5 µs (2026-11-28). */
function parseMarked(text: string): unknown {
  const [first] = text.trimStart();
  if (first === "<") return readXml(text);
  return first === "{" || first === "[" ? readJson(text) : undefined;
}

const PARAMETERS_AT_MOST = 1_000;

/**
 * Returns the first thousand parameters of a query or form. The rest is cut off before it is parsed: the time of
 * URLSearchParams grows with the square of their number, and a million took 10 s (Node 24.21, 2026-11-28).
 */
export function parametersIn(text: string): URLSearchParams {
  return new URLSearchParams(firstParametersOf(text));
}

function firstParametersOf(text: string): string {
  let end = -1;
  for (let count = 0; count < PARAMETERS_AT_MOST; count++) {
    end = text.indexOf("&", end + 1);
    if (end < 0) return text;
  }
  return text.slice(0, end);
}

/**
 * Returns the octets of the first parameter with this name in a query. `URLSearchParams` decodes values as UTF-8, which
 * loses those of UTF-16.
 */
export function octetsOfParameter(search: string, name: string): Buffer | undefined {
  for (const pair of firstParametersOf(search).split("&")) {
    const at = pair.indexOf("=");
    if (at >= 0 && octetsOf(pair.slice(0, at)).toString() === name) return octetsOf(pair.slice(at + 1));
  }
  return undefined;
}

/** Decodes the percent-encoding of forms, in which a plus is a space. What is not encoded well stays as it is. */
function octetsOf(encoded: string): Buffer {
  const octets = encoded
    .replaceAll("+", " ")
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(octets, "latin1");
}

/** Parameters of a query or form. The first one of a name counts, so that none can be replaced by a later one. */
function readForm(text: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of parametersIn(text)) if (!parameters.has(name)) parameters.set(name, value);
  return parameters;
}

/** A number of 16 digits or more, outside of quotes. A text that looks like one is harmless here. */
const LONG_NUMBER = /[:,[]\s*-?[0-9]{16}/;

/**
 * Parses JSON; undefined if it is broken or too deep. Whole numbers beyond 2^53 become the text of their digits: Termii's
 * ids are such numbers. Only a body with one is parsed with a reviver, which takes five times as long.
 */
function readJson(text: string): unknown {
  try {
    return LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const WHOLE = /^-?[0-9]+$/;

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  return context?.source !== undefined && WHOLE.test(context.source) ? context.source : value;
}

/** A header's value; the first one if there are several. Names are in lower case. */
export function headerOf(headers: CarrierHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === "string" ? value : value?.[0];
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const windows1252 = new TextDecoder("windows-1252");
const CHARSET = /charset\s*=\s*"?([a-z0-9_:.-]{1,40})/i;

/**
 * Decodes a body by the charset of its content type, or else as UTF-8. What is not valid UTF-8 is read as windows-1252,
 * in which every octet is a character.
 */
export function decodeBody(body: Uint8Array, headers: CarrierHeaders): string {
  if (body.length === 0) return "";
  const type = headerOf(headers, "content-type") ?? "";
  const charset = type.includes("=") ? CHARSET.exec(type)?.[1]?.toLowerCase() : undefined;
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8") {
    const decoder = decoderOf(charset);
    if (decoder) return decoder.decode(body);
  }
  try {
    return utf8.decode(body);
  } catch {
    return windows1252.decode(body);
  }
}

/** Undefined if the platform does not know the charset. */
function decoderOf(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}
