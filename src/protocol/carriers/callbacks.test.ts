// Tests of callbacks: receipts, incoming messages, and the proof that they come from the carrier.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { declared, got, NOW_MS, opened, posted, receiptOf } from "../../../test/carriers.ts";
import { cheapest } from "../../../test/cost.ts";
import { connectors } from "./builtin.ts";
import type { CallbackAuth, ReceiptRules } from "./connector.ts";
import type { CarrierCallback } from "./exchange.ts";

const RULES: ReceiptRules = {
  format: "auto",
  id: [{ json: "/id" }],
  phone: { json: "/to" },
  state: { json: "/state" },
  states: { ok: "delivered", "no*": "rejected" },
  error: { json: "/error" },
  at: { source: { json: "/at" }, format: "iso" },
};
const reading = (changed: Partial<ReceiptRules> = {}) =>
  opened(declared({ receipts: { ...RULES, ...changed } }));

test("JSON, forms, queries and XML are read by one set of pointers", () => {
  const form = new URLSearchParams({ id: "7", state: "OK", to: "+2250707070707" });
  const expected = { id: "7", state: "delivered", phone: "2250707070707" };
  for (const [connector, callback] of [
    [reading(), posted({ id: 7, state: "ok", to: "tel:+2250707070707" })],
    [reading(), posted(form)],
    [reading(), got(form.toString())],
    [
      reading({ list: "/r" }),
      posted("<r><id>7</id><state>OK</state><to>002250707070707</to></r>", { "content-type": "text/xml" }),
    ],
  ] as const) {
    const { id, state, phone } = receiptOf(connector, callback);
    assert.deepEqual({ id, state, phone }, expected);
  }
});

test("a list gives one receipt for each element, and 10,000 at most are read", () => {
  const item = (at: number) => ({ id: String(at), state: "ok" });
  const list = [...Array(10_050).keys()].map(item);
  const connector = reading({ list: "/results" });
  const { receipts, ignored } = connector.receive(posted({ results: list }));
  assert.deepEqual([receipts.length, ignored, receipts.at(-1)?.id], [10_000, 50, "9999"]);
  const mixed = connector.receive(posted({ results: [item(1), null, 5, "x", { id: "2" }, item(3)] }));
  assert.deepEqual([mixed.receipts.map(({ id }) => id), mixed.ignored], [["1", "3"], 4]);
  assert.deepEqual(connector.receive(posted({ other: 1 })), {
    receipts: [],
    inbound: [],
    ignored: 1,
    answer: { status: 200, contentType: "text/plain", body: "OK" },
  });
});

test("an unknown word is not final and is passed on", () => {
  const { state, word, isKnown } = receiptOf(reading(), posted({ id: "7", state: "Teleported\n" }));
  assert.deepEqual([state, word, isKnown], ["sent", "Teleported", false]);
});

test("words are compared without case, up to a bar, and by their beginning where the connector says so", () => {
  const stateOf = (word: string) => receiptOf(reading(), posted({ id: "7", state: word })).state;
  assert.equal(stateOf("Ok | Message delivered to handset"), "delivered");
  assert.equal(stateOf("NO_CREDIT"), "rejected");
});

test("of several beginnings of a word the longest counts, in whatever order they are declared", () => {
  for (const words of [
    ["d*", "delivery_fail*", "deliv*"],
    ["delivery_fail*", "deliv*", "d*"],
  ]) {
    const states = Object.fromEntries(
      words.map((word) => [word, word.length > 6 ? "undelivered" : word.length > 2 ? "delivered" : "sent"]),
    ) as ReceiptRules["states"];
    const stateOf = (state: string) => receiptOf(reading({ states }), posted({ id: "7", state })).state;
    assert.equal(stateOf("DELIVERY_FAILED"), "undelivered");
    assert.equal(stateOf("DELIVERED"), "delivered");
    assert.equal(stateOf("DEFERRED"), "sent");
  }
});

test("an error is a code that can be stored", () => {
  const errorOf = (error: unknown) => receiptOf(reading(), posted({ id: "7", state: "ok", error })).error;
  assert.equal(errorOf("Invalid number!"), "Invalid-number");
  assert.equal(errorOf(30003), "30003");
  assert.equal(errorOf(null), null);
  assert.equal(errorOf("x".repeat(100))?.length, 40);
});

test("dates have several formats; one from the future counts as now, an unreadable one as none", () => {
  const atOf = (at: unknown, format: "iso" | "epoch-s" | "epoch-ms" | "yyMMddHHmm" = "iso") =>
    receiptOf(
      reading({ at: { source: { json: "/at" }, format } }),
      posted({ id: "7", state: "ok", at }),
    ).at?.toISOString();
  assert.equal(atOf("2026-01-01T00:00:00.000+0100"), "2025-12-31T23:00:00.000Z");
  assert.equal(atOf("2026-01-01 10:00:00"), "2026-01-01T10:00:00.000Z");
  assert.equal(atOf(1767225600, "epoch-s"), "2026-01-01T00:00:00.000Z");
  assert.equal(atOf("1767225600000", "epoch-ms"), "2026-01-01T00:00:00.000Z");
  assert.equal(atOf("2601011030", "yyMMddHHmm"), "2026-01-01T10:30:59.000Z");
  assert.equal(atOf("2099-01-01T00:00:00Z"), new Date(NOW_MS).toISOString());
  assert.equal(atOf("9".repeat(16), "epoch-s"), new Date(NOW_MS).toISOString());
  for (const wrong of ["yesterday", "2026-13-45", "", {}, -1]) assert.equal(atOf(wrong), undefined);
});

test("of several proofs the first counts whose field says so and whose key is set", () => {
  const callbackAuth: CallbackAuth[] = [
    { kind: "header", name: "x-old", value: "{{old}}" },
    { kind: "header", name: "x-new", value: "{{new}}" },
  ];
  const names = ["old", "new"];
  const fields = names.map((name) => ({ name, title: name, secret: true, optional: true }));
  const connector = declared({ fields, receipts: RULES, callbackAuth });
  const proof = (values: Record<string, string>, headers: Record<string, string>) =>
    opened(connector, values).isAuthentic(posted({ id: "7", state: "ok" }, headers));
  assert.equal(proof({}, {}), "not-configured");
  assert.equal(proof({ new: "b" }, {}), "no", "an empty key before it opens nothing");
  assert.equal(proof({ new: "b" }, { "x-new": "b" }), "yes");
  assert.equal(proof({ old: "a", new: "b" }, { "x-new": "b" }), "no");
  assert.equal(proof({ old: "a", new: "b" }, { "x-old": "a" }), "yes");
});

test("the first of several parameters of one name counts, and a query stays readable beside a body", () => {
  const connector = reading({ id: [{ query: "own" }, { json: "/id" }] });
  const callback = { ...posted(new URLSearchParams("id=1&id=2&state=ok")) };
  assert.equal(receiptOf(connector, callback).id, "1");
  assert.equal(receiptOf(connector, { ...callback, url: `${callback.url}?own=9` }).id, "9");
});

test("the parameters of a form beyond the first thousand take no time, nor do they before its signature is checked", () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const many = posted(`id=7&state=ok&${"a&".repeat(1_000_000)}`, form);
  assert.equal(receiptOf(reading(), many).id, "7");
  const twilio = opened("twilio");
  const costMs = cheapest(() => {
    reading().receive(many);
    twilio.isAuthentic(posted(many.body.toString(), { ...form, "x-twilio-signature": "AAAA" }));
  }, 2);
  // 10 s before the limit (Node 24.21, 2026-11-28): the time of URLSearchParams grows with the square of the number.
  assert.ok(costMs < 500, `${costMs} ms`);
});

test("octets of a text: the first entry that holds, the first parameter, and the text where they are absent", () => {
  const connector = opened(
    declared({
      inbound: {
        format: "query",
        from: { json: "/f" },
        to: { json: "/t" },
        text: { json: "/m" },
        octets: [
          {
            source: { query: "m" },
            written: "percent",
            encoding: "ucs-2",
            when: [{ json: "/c", is: ["u"] }],
          },
          {
            source: { query: "h" },
            written: "hex",
            encoding: "gsm-7",
            when: [{ json: "/c", is: ["g", "u"] }],
          },
          {
            source: { query: "é&" },
            written: "percent",
            encoding: "latin-1",
            when: [{ json: "/c", is: ["l"] }],
          },
        ],
      },
    }),
  );
  const textOf = (query: string) => connector.receive(got(`f=2250707070707&t=1&${query}`)).inbound[0]?.text;
  assert.equal(textOf("c=u&m=%00A%06%2a%d8=&m=no&h=41"), "A\u062a\ufffd");
  assert.equal(textOf("c=u&h=41"), "");
  assert.equal(textOf("c=g&m=no&h=0541"), "éA");
  assert.equal(textOf("c=g&m=yes"), "yes");
  assert.equal(textOf("c=l&%C3%A9%26=%e9%zz%"), "é%zz%");
  assert.equal(textOf("c=x&m=%C3%A9"), "é");
});

const KEY = "the-key";
const signed = (auth: CallbackAuth) => opened(declared({ callbackAuth: auth }), { key: KEY });
const hmac = (algorithm: string, encoding: "hex" | "base64", ...parts: (string | Uint8Array)[]) => {
  const digest = createHmac(algorithm, KEY);
  for (const part of parts) digest.update(part);
  return digest.digest(encoding);
};

test("a signature over the body proves a callback; a wrong, missing or moved one does not", () => {
  const connector = signed({
    kind: "hmac",
    algorithm: "sha512",
    encoding: "hex",
    header: "X-Sig",
    key: "{{key}}",
    over: "body",
  });
  const body = '{"id":"7"}';
  const signature = hmac("sha512", "hex", body);
  assert.equal(connector.isAuthentic(posted(body, { "x-sig": signature })), "yes");
  assert.equal(connector.isAuthentic(posted(body, { "x-sig": signature.toUpperCase() })), "yes");
  assert.equal(connector.isAuthentic(posted(body)), "no");
  assert.equal(connector.isAuthentic(posted(body, { "x-sig": "" })), "no");
  assert.equal(connector.isAuthentic(posted(body, { "x-sig": signature.slice(2) })), "no");
  assert.equal(connector.isAuthentic(posted('{"id":"8"}', { "x-sig": signature })), "no");
});

test("a signature with a time is refused when it is replayed later", () => {
  for (const over of ["body+timestamp", "timestamp.body"] as const) {
    const connector = signed({
      ...{ kind: "hmac", algorithm: "sha256", encoding: "hex", header: "X-Signature", key: "{{key}}", over },
      ...{ timestampHeader: "X-Timestamp", prefix: "sha256=" },
    });
    const isProven = (agoS: number, body = "{}") => {
      const timestamp = String(NOW_MS / 1000 - agoS);
      const parts = over === "body+timestamp" ? ["{}", timestamp] : [`${timestamp}.`, "{}"];
      const headers = {
        "x-signature": `sha256=${hmac("sha256", "hex", ...parts)}`,
        "x-timestamp": timestamp,
      };
      return connector.isAuthentic(posted(body, headers));
    };
    assert.deepEqual([isProven(0), isProven(299), isProven(-299)], ["yes", "yes", "yes"]);
    assert.deepEqual([isProven(301), isProven(-301), isProven(0, "[]")], ["no", "no", "no"]);
  }
});

test("a signature over URL and sorted form is Twilio's", () => {
  const connector = signed({
    kind: "hmac",
    algorithm: "sha1",
    encoding: "base64",
    header: "X-Twilio-Signature",
    key: "{{key}}",
    over: "url+sorted-form",
  });
  const callback = posted(new URLSearchParams({ To: "+225", MessageSid: "SM1", Body: "à b" }));
  const signature = hmac("sha1", "base64", `${callback.url}Bodyà bMessageSidSM1To+225`);
  const proven = (url: string) =>
    connector.isAuthentic({
      ...callback,
      url,
      headers: { ...callback.headers, "x-twilio-signature": signature },
    });
  assert.deepEqual([proven(callback.url), proven("http://10.0.0.1/internal")], ["yes", "no"]);
});

test("Standard Webhooks: one of several signatures is enough while a secret is replaced", () => {
  const secret = Buffer.from("0123456789abcdef0123456789abcdef");
  const connector = opened(declared({ callbackAuth: { kind: "standard-webhooks", key: "{{key}}" } }), {
    key: `whsec_${secret.toString("base64")}`,
  });
  const proven = (seconds: number) => {
    const digest = createHmac("sha256", secret).update(`e1.${seconds}.{}`).digest("base64");
    return connector.isAuthentic(
      posted("{}", {
        "webhook-id": "e1",
        "webhook-timestamp": String(seconds),
        "webhook-signature": `v1,AAAA v1,${digest}`,
      }),
    );
  };
  assert.deepEqual([proven(NOW_MS / 1000), proven(NOW_MS / 1000 - 600)], ["yes", "no"]);
});

test("a secret header is compared, and an empty key means that nothing is configured", () => {
  const auth: CallbackAuth = { kind: "header", name: "X-Secret", value: "{{key}}" };
  assert.equal(signed(auth).isAuthentic(posted("{}", { "x-secret": KEY })), "yes");
  assert.equal(signed(auth).isAuthentic(posted("{}", { "x-secret": `${KEY}!` })), "no");
  const unset = opened(declared({ callbackAuth: auth }), { key: "" });
  assert.equal(unset.isAuthentic(posted("{}", { "x-secret": "" })), "not-configured");
  assert.equal(opened(declared()).isAuthentic(posted("{}")), "not-configured");
});

test("whatever is posted, each connector reads it without an error", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.webQueryParameters(),
    fc.string().map((inside) => `<a b="${inside}"><c>${inside}</c></a>`),
  );
  const type = fc.constantFrom(
    "application/json",
    "application/x-www-form-urlencoded",
    "text/xml",
    "",
    "x; charset=\u0000",
  );
  const callback = fc.record<CarrierCallback>({
    method: fc.constantFrom("GET", "POST"),
    url: fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string()),
    headers: fc.record({ "content-type": type, "x-signature": fc.string(), "x-timestamp": fc.string() }),
    body: fc.oneof(
      fc.uint8Array(),
      text.map((one) => Buffer.from(one)),
    ),
  });
  fc.assert(
    fc.property(fc.constantFrom(...connectors.keys()), callback, (name, given) => {
      const connector = opened(name, { ...(name === "smsgate" && { signingKey: "k" }) });
      const { receipts, inbound, ignored } = connector.receive(given);
      assert.ok(receipts.length + inbound.length + ignored > 0 || given.body.length > 0);
      assert.notEqual(connector.isAuthentic(given), "yes");
    }),
    { numRuns: 500 },
  );
});
