// Webhooks that a client has to believe, and those that it must not.
import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import type { Client, Task } from "./clients.ts";

const [SECRET, OTHER] = ["atumpan un", "atumpan deux"].map(
  (text) => `whsec_${Buffer.from(text.repeat(3)).toString("base64")}`,
) as [string, string];
const BODY =
  '{"id":"1","type":"webhook.test","timestamp":"2026-11-24T10:00:00.000Z","data":{"message":"Té"}}';

type Signed = Partial<NonNullable<Task["verify"]>> & {
  isBelieved: boolean;
  /** What the error of a wrong argument says. */
  says?: RegExp;
};

/** Signs as the package `standardwebhooks` does, which is not ours. */
function headersOf(secret = SECRET, { body = BODY, secondsAgo = 0 } = {}): Record<string, string> {
  const at = new Date(Date.now() - secondsAgo * 1_000);
  return {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign("evt_1", at, body),
  };
}

function withSignature(change: (signature: string) => string): Record<string, string> {
  const headers = headersOf();
  return { ...headers, "webhook-signature": change(headers["webhook-signature"]!) };
}

function without(name: string): Record<string, string> {
  const { [name]: _, ...rest } = headersOf();
  return rest;
}

function cases(): Record<string, Signed> {
  const foreign = headersOf(OTHER)["webhook-signature"];
  const capitals = Object.entries(headersOf()).map(([name, value]) => [name.toUpperCase(), value]);
  return {
    "a true one": { isBelieved: true },
    "names in capitals": { headers: Object.fromEntries(capitals), isBelieved: true },
    "D18: headers with lists of values": {
      headers: Object.fromEntries(Object.entries(headersOf()).map(([name, value]) => [name, [value]])),
      isBelieved: true,
    },
    "D18: two signatures in two headers": {
      headers: { ...headersOf(), "webhook-signature": [foreign!, headersOf()["webhook-signature"]!] },
      isBelieved: true,
    },
    "D18: two different ids": {
      headers: { ...headersOf(), "webhook-id": ["evt_1", "evt_2"] },
      isBelieved: false,
    },
    "D18: a parsed body": {
      body: JSON.parse(BODY),
      isBelieved: false,
      says: /^(TypeError|InvalidArgumentException).*rawBody must be the body as it came/,
    },
    "a secret without its prefix": { secret: SECRET.slice(6), isBelieved: true },
    "the first of two signatures": { headers: withSignature((own) => `${own} ${foreign}`), isBelieved: true },
    "the second of two signatures": {
      headers: withSignature((own) => `${foreign} ${own}`),
      isBelieved: true,
    },
    "a signature beside one of another scheme": {
      headers: withSignature((own) => `v1a,${own.slice(3)} ${own}`),
      isBelieved: true,
    },
    "the old of two secrets": { secret: [OTHER, SECRET], isBelieved: true },
    "four minutes old": { headers: headersOf(SECRET, { secondsAgo: 240 }), isBelieved: true },
    "an hour old, where that is tolerated": {
      headers: headersOf(SECRET, { secondsAgo: 3_600 }),
      toleranceSeconds: 4_000,
      isBelieved: true,
    },
    "six minutes old": { headers: headersOf(SECRET, { secondsAgo: 360 }), isBelieved: false },
    "six minutes ahead": { headers: headersOf(SECRET, { secondsAgo: -360 }), isBelieved: false },
    "another time than was signed": {
      headers: {
        ...headersOf(SECRET, { secondsAgo: 60 }),
        "webhook-timestamp": headersOf()["webhook-timestamp"]!,
      },
      isBelieved: false,
    },
    "a time that is no number": {
      headers: { ...headersOf(), "webhook-timestamp": "now" },
      isBelieved: false,
    },
    "another id": { headers: { ...headersOf(), "webhook-id": "evt_2" }, isBelieved: false },
    "another body": { body: BODY.replace("Té", "Ta"), isBelieved: false },
    "another secret": { secret: OTHER, isBelieved: false },
    "a signature of another scheme alone": {
      headers: withSignature((own) => `v1a,${own.slice(3)}`),
      isBelieved: false,
    },
    "a signature cut short": { headers: withSignature((own) => own.slice(0, -4)), isBelieved: false },
    "a signature that is no base64": { headers: withSignature(() => "v1,§"), isBelieved: false },
    "an empty signature": { headers: withSignature(() => "v1,"), isBelieved: false },
    "no signature": { headers: without("webhook-signature"), isBelieved: false },
    "no id": { headers: without("webhook-id"), isBelieved: false },
    "no time": { headers: without("webhook-timestamp"), isBelieved: false },
  };
}

/** Has a client verify each. */
export async function verifyAll(client: Client): Promise<void> {
  const all = Object.entries(cases());
  const tasks = all.map(([, { isBelieved: _, says: __, ...given }]) => ({
    verify: { body: BODY, headers: headersOf(), secret: SECRET, ...given },
  }));
  const results = await client.run(tasks);
  for (const [at, [name, { isBelieved, says }]] of all.entries()) {
    if (says) {
      assert.match(results[at]!.failed ?? "", says, name);
      continue;
    }
    const expected = isBelieved ? { data: JSON.parse(BODY) } : { unverified: true };
    assert.deepEqual(results[at], expected, name);
  }
}
