// Tests of requests: each value stays a value in its place, whatever a text or a sender contains.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { carrierMessage, declared, opened } from "../../../test/carriers.ts";
import type { Connector } from "./connector.ts";
import type { CarrierMessage } from "./exchange.ts";
import { readXml } from "./xml.ts";

const NASTY = 'L’offre "50%" & <b>\'\\ {{id}} é 😀\r\nX-Evil: 1\t&to=33';

function sent(send: Partial<Connector["send"]>, message: Partial<CarrierMessage> = {}, fields = {}) {
  const connector = declared({
    fields: [{ name: "key", title: "Key" }],
    send: { method: "POST", url: "https://carrier.example/send", ...send },
  });
  return opened(connector, { key: "k", ...fields }).sendRequest(carrierMessage(message), undefined);
}

test("quotes, ampersands, line ends and emoji arrive as they are in a query, a form, JSON, XML and plain text", () => {
  const pairs = [{ name: "a b", value: "<{{text}}>" }];
  const { url } = sent({ method: "GET", query: pairs }, { text: NASTY });
  assert.deepEqual([...new URL(url).searchParams], [["a b", `<${NASTY}>`]]);

  const form = sent({ body: { kind: "form", fields: pairs } }, { text: NASTY });
  assert.deepEqual([...new URLSearchParams(form.body)], [["a b", `<${NASTY}>`]]);

  const json = sent(
    { body: { kind: "json", value: { a: ["{{text}}", { b: 'x"{{text}}' }] } } },
    { text: NASTY },
  );
  assert.deepEqual(JSON.parse(json.body ?? ""), { a: [NASTY, { b: `x"${NASTY}` }] });

  const xml = sent({ body: { kind: "xml", value: '<m t="{{text}}"><x>{{text}}</x></m>' } }, { text: NASTY });
  assert.deepEqual(readXml(xml.body ?? ""), { m: { "@t": NASTY, x: NASTY } });

  const text = sent({ body: { kind: "text", value: "{{from}}: {{text}}" } }, { text: NASTY });
  assert.equal(text.body, `BOUTIQUE: ${NASTY}`);
});

test("a sender cannot end a header, leave its path segment or name another host", () => {
  const header = sent({ headers: [{ name: "X-From", value: "{{from}}" }] }, { from: "A\r\nX-Evil: 1" });
  assert.equal(header.headers["x-from"], "A  X-Evil: 1");

  for (const from of ["../../admin", "..", ".", "a/b?c#d", "@evil.example", "%2e%2e"]) {
    const { url } = sent({ url: "https://carrier.example/v1/{{from}}/send" }, { from });
    const parsed = new URL(url);
    assert.equal(parsed.host, "carrier.example", url);
    assert.equal(parsed.search + parsed.hash, "", url);
    assert.match(parsed.pathname, /^\/v1\/[^/]+\/send$/, url);
  }
});

test("no text and no sender changes the structure of a request", () => {
  const anything = fc.string({ unit: "binary", maxLength: 40 });
  fc.assert(
    fc.property(anything, anything, (text, from) => {
      const { url, headers, body } = sent(
        {
          url: "https://carrier.example/v1/{{from}}/send",
          query: [{ name: "q", value: "{{text}}" }],
          headers: [{ name: "x-from", value: "{{from}}" }],
          body: { kind: "json", value: { text: "{{text}}", from: ["{{from}}"] } },
        },
        { text, from },
      );
      const parsed = new URL(url);
      assert.equal(parsed.origin, "https://carrier.example");
      assert.deepEqual([...parsed.searchParams], [["q", text.toWellFormed()]]);
      assert.deepEqual(Object.keys(headers), ["content-type", "x-from"]);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters would end a header
      assert.doesNotMatch(headers["x-from"] ?? "", /[\u0000-\u001f\u007f]|[^\u0000-\u00ff]/);
      assert.deepEqual(JSON.parse(body ?? ""), { text: text.toWellFormed(), from: [from.toWellFormed()] });
    }),
  );
});

test("values are inserted once: a text that looks like a template stays a text", () => {
  const { body } = sent({ body: { kind: "text", value: "{{text}}" } }, { text: "{{key}} {{#id}}" });
  assert.equal(body, "{{key}} {{#id}}");
});

test("conditions leave out members, elements, parameters and headers", () => {
  const send: Partial<Connector["send"]> = {
    query: [
      { name: "u", value: "1", when: "unicode" },
      { name: "g", value: "1", when: "gsm7" },
      { name: "l", value: "1", when: "long" },
      { name: "n", value: "1", when: "!from" },
    ],
    headers: [{ name: "x-long", value: "{{parts}}", when: "long" }],
    body: {
      kind: "json",
      value: {
        list: [
          { $when: "unicode", $value: "u" },
          { $when: "gsm7", $value: "g" },
        ],
        from: { $when: "from", $value: "{{from}}" },
        ttl: { $when: "validitySeconds", $value: { $number: "{{validitySeconds}}" } },
        off: { $when: "!key", $value: 1 },
      },
    },
  };
  const plain = sent(send);
  assert.equal(new URL(plain.url).search, "?g=1");
  assert.equal(plain.headers["x-long"], undefined);
  assert.deepEqual(JSON.parse(plain.body ?? ""), { list: ["g"], from: "BOUTIQUE" });

  const other = sent(send, { unicode: true, parts: 2, from: "", leftMs: 90_500 });
  assert.equal(new URL(other.url).search, "?u=1&l=1&n=1");
  assert.equal(other.headers["x-long"], "2");
  assert.deepEqual(JSON.parse(other.body ?? ""), { list: ["u"], ttl: 90 });
});

test("a number in JSON keeps its digits, and what is no number becomes null", () => {
  const number = (text: string) =>
    sent({ body: { kind: "json", value: [{ $number: "{{text}}" }] } }, { text }).body;
  assert.equal(number("12345678901234567890"), "[12345678901234567890]");
  assert.equal(number("-1.50"), "[-1.50]");
  assert.equal(number('1],"x":[2'), "[null]");
});

test("every placeholder says what its name says", () => {
  const names = [
    ...[
      "id",
      "to",
      "toPlus",
      "toZeros",
      "toNational",
      "toTel",
      "from",
      "fromPlus",
      "fromTel",
      "textUcs2Hex",
      "textGsm7Hex",
    ],
    ...["coding", "parts", "udhHex", "validityMinutes", "validitySeconds", "receiptUrl"],
  ];
  const value = Object.fromEntries(names.map((name) => [name, `{{${name}}}`]));
  const rendered = (message: Partial<CarrierMessage>) =>
    JSON.parse(sent({ body: { kind: "json", value } }, message).body ?? "");

  assert.deepEqual(rendered({ text: "é€", leftMs: 1 }), {
    id: "0191c0de-0000-7000-8000-000000000001",
    to: "2250707070707",
    toPlus: "+2250707070707",
    toZeros: "002250707070707",
    toNational: "0707070707",
    toTel: "tel:+2250707070707",
    from: "BOUTIQUE",
    fromPlus: "BOUTIQUE",
    fromTel: "BOUTIQUE",
    textUcs2Hex: "00E920AC",
    textGsm7Hex: "051B65",
    coding: "0",
    parts: "1",
    udhHex: "",
    validityMinutes: "1",
    validitySeconds: "1",
    receiptUrl: "https://us.example/v1/carrier/7/s3cret",
  });
  const other = rendered({
    to: "33612345678",
    from: "+2250000",
    text: "ê",
    unicode: true,
    parts: 2,
    part: { number: 2, total: 2, reference: 0x1ab },
    receiptUrl: "",
  });
  assert.deepEqual(
    [other.toNational, other.fromTel, other.coding, other.udhHex, other.textGsm7Hex, other.validityMinutes],
    ["0612345678", "tel:+2250000", "8", "050003AB0202", "", ""],
  );
  const numbers = ["15017122661", "+15017122661", "98765", "0707070707"];
  assert.deepEqual(
    numbers.map((from) => rendered({ from }).fromPlus),
    ["+15017122661", "+15017122661", "98765", "0707070707"],
  );
});

test("the address of a server is inserted as it is at the beginning, other fields are escaped", () => {
  const connector = declared({
    fields: [
      { name: "baseUrl", title: "URL", format: "url" },
      { name: "account", title: "Account" },
    ],
    send: { method: "GET", url: "{{baseUrl}}/v1/{{account}}", query: [{ name: "u", value: "{{baseUrl}}" }] },
  });
  const open = opened(connector, { baseUrl: "https://carrier.example:8443/api//", account: "a/b c" });
  const { url } = open.sendRequest(carrierMessage(), undefined);
  assert.equal(
    url,
    "https://carrier.example:8443/api/v1/a%2Fb%20c?u=https%3A%2F%2Fcarrier.example%3A8443%2Fapi",
  );
  assert.equal(open.origin, "https://carrier.example:8443");
});

test("an identification is a header: Basic in UTF-8, a header of its own, or the token of OAuth 2", () => {
  const headersOf = (auth: Connector["auth"], token?: string) =>
    opened(declared({ auth }), { key: "clé" }).sendRequest(carrierMessage(), token).headers;
  assert.deepEqual(headersOf({ kind: "basic", username: "u", password: "{{key}}" }), {
    authorization: `Basic ${Buffer.from("u:clé").toString("base64")}`,
  });
  assert.deepEqual(headersOf({ kind: "header", name: "X-Key", value: "App {{key}}" }), {
    "x-key": `App ${Buffer.from("clé").toString("latin1")}`,
  });
  const oauth = {
    kind: "oauth2",
    url: "https://carrier.example/token",
    credentials: "basic",
    clientId: "me",
    clientSecret: "{{key}}",
  } as const;
  assert.deepEqual(headersOf(oauth, "t0ken"), { authorization: "Bearer t0ken" });
});
