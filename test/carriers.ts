// What tests of HTTP carriers begin with: an open connector, a message, responses and callbacks.
import assert from "node:assert/strict";
import { connectors } from "../src/protocol/carriers/builtin.ts";
import type { Connector } from "../src/protocol/carriers/connector.ts";
import type {
  AskedMessage,
  CarrierCallback,
  CarrierHeaders,
  CarrierMessage,
  CarrierOutcome,
  CarrierReceipt,
  CarrierResponse,
  OpenConnector,
} from "../src/protocol/carriers/exchange.ts";
import { openConnector } from "../src/protocol/carriers/opening.ts";

/** The time in these tests: 2026-11-28 12:00:00 UTC. */
export const NOW_MS = Date.UTC(2026, 10, 28, 12);

/** A message of one segment to an Ivorian number. */
export function carrierMessage(changed: Partial<CarrierMessage> = {}): CarrierMessage {
  return {
    id: "0191c0de-0000-7000-8000-000000000001",
    to: "2250707070707",
    from: "BOUTIQUE",
    text: "Bonjour",
    parts: 1,
    unicode: false,
    receiptUrl: "https://us.example/v1/carrier/7/s3cret",
    ...changed,
  };
}

/** The declaration of a built-in connector. */
export function builtIn(name: string): Connector {
  const found = connectors.get(name);
  assert.ok(found, name);
  return found;
}

/** Values of all fields: defaults, or a text that names the field. */
export function fieldsOf(
  { fields }: Connector,
  changed: Record<string, string> = {},
): Record<string, string> {
  const usual = fields.map((field) => {
    const { choices = [] } = field;
    const own = field.format === "url" ? "http://carrier.example:8080" : `the-${field.name}`;
    const required = choices.some(({ value }) => value === "") ? "" : (choices[0]?.value ?? own);
    return [field.name, field.default ?? (field.optional ? "" : required)];
  });
  return { ...Object.fromEntries(usual), ...changed };
}

/** Opens a built-in connector or a declaration. */
export function opened(connector: string | Connector, changed: Record<string, string> = {}): OpenConnector {
  const declaration = typeof connector === "string" ? builtIn(connector) : connector;
  return openConnector(declaration, fieldsOf(declaration, changed), () => NOW_MS);
}

/** A small declaration with one changed part. */
export function declared(changed: Partial<Connector> = {}): Connector {
  return {
    title: "Test",
    fields: [{ name: "key", title: "Key", secret: true }],
    auth: { kind: "none" },
    send: { method: "POST", url: "https://carrier.example/send" },
    text: { split: "peer" },
    idempotent: false,
    outcomes: [{ when: [{ status: [200] }], is: "accepted", id: "own" }],
    ...changed,
  };
}

/** A response; an object as body is JSON. */
export function answer(status: number, body: unknown = "", headers: CarrierHeaders = {}): CarrierResponse {
  const octets =
    body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return { status, headers, body: octets, isCut: false };
}

/** The outcome of a response to the usual message. */
export function outcomeOf(
  connector: OpenConnector,
  status: number,
  body?: unknown,
  headers?: CarrierHeaders,
): CarrierOutcome {
  return connector.outcomeOf(answer(status, body, headers), carrierMessage());
}

/** A POST of the carrier; an object as body is JSON, a `URLSearchParams` a form. */
export function posted(body: unknown, headers: CarrierHeaders = {}): CarrierCallback {
  const isForm = body instanceof URLSearchParams;
  const text = typeof body === "string" ? body : isForm ? body.toString() : JSON.stringify(body);
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
  return {
    method: "POST",
    url: "https://us.example/v1/carrier/7/s3cret",
    headers: { "content-type": type, ...headers },
    body: Buffer.from(text),
  };
}

/** A GET of the carrier with these parameters. */
export function got(query: string): CarrierCallback {
  return {
    method: "GET",
    url: `https://us.example/v1/carrier/7/s3cret?${query}`,
    headers: {},
    body: Buffer.alloc(0),
  };
}

/** The only receipt of a callback. */
export function receiptOf(connector: OpenConnector, callback: CarrierCallback): CarrierReceipt {
  const { receipts } = connector.receive(callback);
  assert.equal(receipts.length, 1);
  const [only] = receipts;
  assert.ok(only);
  return only;
}

/** A status, a body, and the outcome in short: `accepted ID`, `throttled MS`, or the kind and the code. */
type AnswerCase = [status: number, body: unknown, expected: string, headers?: Record<string, string>];

/** An outcome in short, as in `AnswerCase`. */
export function short(outcome: CarrierOutcome): string {
  if (outcome.is === "accepted") return `accepted ${outcome.id}`;
  return outcome.is === "throttled" ? `throttled ${outcome.waitMs}` : `${outcome.is} ${outcome.code}`;
}

/** Asserts the outcomes of answers to a built-in connector. */
export function checkAnswers(name: string, cases: readonly AnswerCase[]): void {
  const connector = opened(name);
  for (const [status, body, expected, headers] of cases)
    assert.equal(
      short(outcomeOf(connector, status, body, headers)),
      expected,
      `${name}: ${JSON.stringify(body)}`,
    );
}

/** Asserts what answers to a status query of a built-in connector say: the state, or `StatusAnswer.is`. */
export function checkStatus(
  name: string,
  asked: AskedMessage,
  cases: readonly [status: number, body: unknown, expected: string][],
): void {
  const connector = opened(name);
  for (const [status, body, expected] of cases) {
    const found = connector.statusOf(answer(status, body), asked);
    assert.equal(found.is === "known" ? found.state : found.is, expected, `${name}: ${JSON.stringify(body)}`);
  }
}

/** What a built-in connector sends for a message. `form`: the parameters of the query or the body. */
export function sentBy(name: string, message: Partial<CarrierMessage> = {}, fields = {}, token?: string) {
  const { url, headers, body = "" } = opened(name, fields).sendRequest(carrierMessage(message), token);
  const parsed = new URL(url);
  const form = Object.fromEntries(new URLSearchParams(parsed.search || body));
  return { url, headers, json: body.startsWith("{") ? JSON.parse(body) : undefined, form };
}

/** The states of receipts with these words. */
export function statesOf(name: string, wordIn: (word: string) => object, words: readonly string[]): string[] {
  const connector = opened(name);
  return words.map((word) => {
    const given = wordIn(word);
    return receiptOf(connector, given instanceof URLSearchParams ? posted(given) : posted(given)).state;
  });
}
