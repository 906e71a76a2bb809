// Tests of declarations: what is refused when one is saved, and the values of its fields.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { builtIn, declared, fieldsOf } from "../../../test/carriers.ts";
import { connectors } from "./builtin.ts";
import type { Connector } from "./connector.ts";
import { checkConnector } from "./declarationcheck.ts";
import { checkFields } from "./fieldcheck.ts";

const pathsOf = (changed: object) => checkConnector({ ...declared(), ...changed }).map(({ path }) => path);
const send = (changed: Partial<Connector["send"]>) => ({
  send: { method: "POST", url: "https://carrier.example/send", ...changed },
});

test("the example of the guide may be saved, in both languages", () => {
  for (const language of ["fr", "en"]) {
    const file = join(import.meta.dirname, `../../web/docs/guides/connectors.${language}.md`);
    const [, example = ""] = /```json\n([\s\S]*?)\n```/.exec(readFileSync(file, "utf8")) ?? [];
    assert.deepEqual(checkConnector(JSON.parse(example.replaceAll("\\{{", "{{"))), [], language);
  }
});

test("every built-in connector may be saved, and opened with its usual values", () => {
  for (const [name, connector] of connectors) {
    assert.deepEqual(checkConnector(JSON.parse(JSON.stringify(connector))), [], name);
    assert.deepEqual(checkFields(connector, fieldsOf(connector)), [], name);
  }
});

test("problems have a sentence in French and in English at their place", () => {
  const [problem] = checkConnector({
    ...declared(),
    ...send({ query: [{ name: "q", value: "{{texte}}" }] }),
  });
  assert.equal(problem?.path, "send.query[0].value");
  assert.match(problem?.message.fr ?? "", /\{\{texte\}\}/);
  assert.match(problem?.message.en ?? "", /\{\{texte\}\}/);
});

test("templates have values and sections with known names only", () => {
  for (const url of [
    "{{x}}",
    "{{{text}}}",
    "{{&text}}",
    "{{>text}}",
    "{{=<% %>=}}",
    "{{#text}}",
    "{{!text}}",
    "{{text",
  ])
    assert.deepEqual(pathsOf(send({ body: { kind: "text", value: url } })), ["send.body.value"], url);
  for (const name of ["constructor", "__proto__", "toString", "carrierId", "unicode "])
    assert.deepEqual(pathsOf(send({ query: [{ name: "q", value: "x", when: name }] })).length, 1, name);
  assert.deepEqual(pathsOf({ callbackAuth: { kind: "header", name: "x", value: "{{text}}" } }), [
    "callbackAuth.value",
  ]);
  assert.deepEqual(pathsOf({ auth: { kind: "basic", username: "{{to}}", password: "" } }), ["auth.username"]);
});

test("a URL has a constant scheme, no credentials, and no host that a message could choose", () => {
  for (const url of [
    ...[
      "",
      "carrier.example",
      "ftp://carrier.example",
      "file:///etc/passwd",
      "{{key}}/send",
      "{{#key}}https://a{{/key}}",
    ],
    ...[
      "https://{{from}}/",
      "https://a.{{text}}.example/",
      "https://{{#key}}a{{/key}}.example/",
      "https://u:p@a.example/",
    ],
    ...[
      "https://a.example/#x",
      "https://a.example/é",
      "https://a.example\\@b.example/",
      "https://a.example/ b",
    ],
  ])
    assert.notDeepEqual(pathsOf(send({ url })), [], url);
  const fields = [
    { name: "base", title: "URL", format: "url" },
    { name: "region", title: "Region" },
  ];
  for (const url of [
    "https://{{region}}.carrier.example/v1/{{from}}?to={{to}}",
    "http://10.0.0.1:13013/cgi-bin/sendsms",
  ])
    assert.deepEqual(pathsOf({ fields, ...send({ url }) }), [], url);
  for (const [url, count] of [
    ["{{base}}/v1/{{from}}", 0],
    ["{{base}}", 0],
    ["{{base}}{{from}}/", 1],
    ["{{base}}.evil.example/", 1],
  ] as const)
    assert.equal(pathsOf({ fields, ...send({ url }) }).length, count, url);
});

test("a token is not requested without TLS, unless the administrator chooses the host", () => {
  const oauth = (url: string) => ({
    auth: { kind: "oauth2", url, credentials: "basic", clientId: "a", clientSecret: "b" },
  });
  assert.deepEqual(pathsOf(oauth("http://carrier.example/token")), ["auth.url"]);
  assert.deepEqual(pathsOf(oauth("https://carrier.example/token")), []);
  const fields = [{ name: "host", title: "Host" }];
  assert.deepEqual(pathsOf({ fields, ...oauth("http://{{host}}/token") }), []);
});

test("headers of the connection, templates in names and a body of GET are refused", () => {
  for (const name of [
    "Host",
    "content-length",
    "Connection",
    "Transfer-Encoding",
    "{{key}}",
    "a b",
    "x\r\ny",
    "",
  ])
    assert.deepEqual(pathsOf(send({ headers: [{ name, value: "" }] })), ["send.headers[0].name"], name);
  assert.deepEqual(pathsOf(send({ method: "GET", body: { kind: "text", value: "" } })), ["send.body"]);
});

test("a JSON body uses $ for conditions and numbers only", () => {
  const json = (value: unknown) => pathsOf(send({ body: { kind: "json", value } }));
  assert.deepEqual(json({ a: { $when: "from", $value: { $number: "{{parts}}" } } }), []);
  assert.deepEqual(json({ $when: "from", $value: 1 }).length, 1);
  assert.deepEqual(json({ a: { $when: "nobody", $value: 1 } }), ["send.body.value.a.$when"]);
  assert.deepEqual(json({ a: { $when: "from" } }), ["send.body.value.a"]);
  assert.deepEqual(json([{ $number: 1 }]), ["send.body.value[0]"]);
  assert.deepEqual(json({ "{{text}}": 1 }), ["send.body.value"]);
});

test("a secret is not shown: not in the account, and not as a default", () => {
  assert.deepEqual(pathsOf({ account: "{{key}}" }), ["account"]);
  assert.deepEqual(pathsOf({ account: "{{#key}}x{{/key}}" }), ["account"]);
  assert.deepEqual(pathsOf({ fields: [{ name: "key", title: "K", secret: true, default: "x" }] }), [
    "fields[0].default",
  ]);
});

test("a field that may be left out if another is given names that one, and is required without it", () => {
  const field = { name: "country", title: "C", unless: "number" };
  assert.deepEqual(pathsOf({ fields: [field] }), ["fields[0].unless"]);
  assert.deepEqual(pathsOf({ fields: [{ ...field, unless: "country" }] }), ["fields[0].unless"]);
  const number = { name: "number", title: { fr: "Numéro", en: "Number" }, optional: true, format: "number" };
  const connector = { ...declared(), fields: [field, number] } as Connector;
  assert.deepEqual(checkConnector(connector), []);
  const problemsOf = (given: Record<string, string>) =>
    checkFields(connector, given).map(({ field, message }) => [field, message.fr]);
  assert.deepEqual(problemsOf({}), [["country", "est obligatoire, sauf si « Numéro » est indiqué"]]);
  assert.deepEqual(problemsOf({ number: "+2270000" }), []);
  for (const wrong of ["2270000", "tel:+2270000", "+227 0000", "+0270000"])
    assert.deepEqual(
      problemsOf({ number: wrong }).map(([name]) => name),
      ["number"],
    );
});

test("a host with a secret in it is refused, since hosts are shown and logged", () => {
  const fields = [{ name: "key", title: "K", secret: true, format: "url" }];
  for (const url of ["https://{{key}}.example/send", "{{key}}/send"])
    assert.deepEqual(pathsOf({ fields, ...send({ url }) }), ["send.url"], url);
  assert.deepEqual(pathsOf({ fields, ...send({ url: "https://a.example/{{key}}" }) }), []);
});

test("callbacks may be proven in one of several ways, each with its own place in problems", () => {
  const [one, other] = [
    { kind: "header", name: "x-key", value: "{{key}}", only: "key" },
    { kind: "hmac", algorithm: "sha256", encoding: "hex", header: "x-sign", key: "{{key}}", over: "body" },
  ];
  const fields = [{ name: "key", title: "K", secret: true }];
  const auths = (...callbackAuth: object[]) => pathsOf({ fields, callbackAuth });
  assert.deepEqual(auths(one!, other!), []);
  assert.deepEqual(auths({ ...one, only: "nobody" }, other!), ["callbackAuth[0].only"]);
  assert.deepEqual(auths(one!, { ...other, over: "timestamp.body" }), ["callbackAuth[1].timestampHeader"]);
  assert.deepEqual(auths(one!, { ...other, algorithm: "md5" }), ["callbackAuth[1].algorithm"]);
  assert.notDeepEqual(auths(one!, one!, one!, one!, one!), []);
  assert.notDeepEqual(auths(), []);
});

test("fields have names of their own, and a default among their choices", () => {
  const named = (...names: string[]) => pathsOf({ fields: names.map((name) => ({ name, title: "T" })) });
  assert.deepEqual(named("a", "a"), ["fields[1].name"]);
  assert.deepEqual(named("text"), ["fields[0].name"]);
  assert.deepEqual(named("a-b"), ["fields[0].name"]);
  const choices = [{ value: "a", title: "A" }];
  assert.deepEqual(pathsOf({ fields: [{ name: "f", title: "T", default: "b", choices }] }), [
    "fields[0].default",
  ]);
});

test("rules that cannot apply are refused", () => {
  const accepted = { when: [{ status: [200] }], is: "accepted", id: "own" };
  const rules = (...outcomes: object[]) => pathsOf({ outcomes: [accepted, ...outcomes] });
  assert.deepEqual(pathsOf({ outcomes: [{ when: [{ status: [400] }], is: "permanent" }] }), ["outcomes"]);
  assert.deepEqual(rules({ when: [{ json: "id", present: true }], is: "temporary" }), [
    "outcomes[1].when[0].json",
  ]);
  assert.deepEqual(rules({ when: [{ json: "/*/*", present: true }], is: "temporary" }), [
    "outcomes[1].when[0].json",
  ]);
  assert.deepEqual(rules({ when: [{ json: "/a~2", present: true }], is: "temporary" }), [
    "outcomes[1].when[0].json",
  ]);
  assert.deepEqual(rules({ when: [{ json: "/a", text: true, is: ["x"] }], is: "temporary" }), [
    "outcomes[1].when[0]",
  ]);
  assert.deepEqual(rules({ when: [{ json: "/a" }], is: "temporary" }), ["outcomes[1].when[0]"]);
  assert.deepEqual(rules({ when: [{ status: [200], is: ["x"] }], is: "temporary" }), ["outcomes[1].when[0]"]);
  assert.deepEqual(rules({ when: [{ status: [[300, 200]] }], is: "temporary" }), [
    "outcomes[1].when[0].status",
  ]);
  assert.deepEqual(rules({ when: [{ query: "a", is: ["x"] }], is: "temporary" }), [
    "outcomes[1].when[0].query",
  ]);
  assert.deepEqual(rules({ when: [{ status: [400] }], is: "temporary", failure: "refused" }), [
    "outcomes[1].failure",
  ]);
  assert.deepEqual(rules({ when: [{ status: [400] }], is: "sent" }), ["outcomes[1].is"]);
});

test("an accepted rule names the id if receipts need it", () => {
  const receipts = {
    format: "json",
    id: [{ json: "/id" }],
    state: { json: "/s" },
    states: { a: "delivered" },
  };
  const outcomes = [{ when: [{ status: [200] }], is: "accepted" }];
  assert.deepEqual(pathsOf({ outcomes }), []);
  assert.deepEqual(pathsOf({ outcomes, receipts }), ["outcomes[0].id"]);
  assert.deepEqual(pathsOf({ receipts: { ...receipts, states: { a: "teleported" } } }), [
    "receipts.states.a",
  ]);
  assert.deepEqual(pathsOf({ receipts: { ...receipts, id: [{ json: "id" }] } }), ["receipts.id[0].json"]);
  const inbound = { format: "form", from: { json: "/f" }, to: { json: "/t" }, text: { json: "/x" } };
  assert.deepEqual(pathsOf({ receipts, inbound }), ["inbound"]);
  const octets = (source: object, more: object = {}) =>
    pathsOf({
      inbound: { ...inbound, octets: [{ source, written: "percent", encoding: "ucs-2", ...more }] } as never,
    });
  assert.deepEqual(octets({ query: "x" }), []);
  assert.deepEqual(octets({ json: "/x" }), ["inbound.octets[0].source"]);
  assert.deepEqual(octets({ query: "x", after: "y" }), ["inbound.octets[0].source"]);
  assert.deepEqual(octets({ json: "/x" }, { written: "hex" }), []);
  assert.deepEqual(octets({ query: "x" }, { when: [{ json: "x", is: ["2"] }] }), [
    "inbound.octets[0].when[0].json",
  ]);
});

test("a declaration is an object of known members, not deep and not large", () => {
  for (const wrong of [null, 1, "x", [], undefined]) assert.equal(checkConnector(wrong).length, 1);
  assert.deepEqual(pathsOf({ run: "code" }).length, 1);
  assert.deepEqual(pathsOf({ auth: { kind: "script" } }), ["auth.kind"]);
  assert.deepEqual(pathsOf(send({ body: { kind: "binary", value: "" } as never })), ["send.body.kind"]);
  const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
  assert.deepEqual(pathsOf(send({ body: { kind: "json", value: deep } })), [""]);
  assert.deepEqual(pathsOf(send({ body: { kind: "json", value: "x".repeat(33_000) } })), [""]);
  const many = Array.from({ length: 51 }, () => ({ when: [{ status: [200] }], is: "accepted", id: "own" }));
  assert.deepEqual(pathsOf({ outcomes: many }), ["outcomes"]);
});

test("whatever is declared, the check answers", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => Array.isArray(checkConnector(value))));
  const members = fc.constantFrom(
    ...(Object.keys(declared()) as (keyof Connector)[]),
    "receipts",
    "inbound",
    "status",
  );
  fc.assert(
    fc.property(fc.constantFrom(...connectors.keys()), members, fc.jsonValue(), (name, member, value) =>
      Array.isArray(checkConnector({ ...builtIn(name), [member]: value })),
    ),
  );
});

test("values of fields are required, of a choice, without controls, and an address is an address", () => {
  const connector = declared({
    fields: [
      { name: "key", title: "K", secret: true },
      { name: "mode", title: "M", default: "a", choices: [{ value: "a", title: "A" }] },
      { name: "note", title: "N", optional: true },
      { name: "base", title: "U", format: "url" },
    ],
    send: { method: "POST", url: "{{base}}/send" },
  });
  const wrong = (given: Record<string, string>) =>
    checkFields(connector, { key: "k", base: "https://a.example", ...given }).map(({ field }) => field);
  assert.deepEqual(wrong({}), []);
  assert.deepEqual(wrong({ key: "" }), ["key"]);
  assert.deepEqual(wrong({ mode: "b" }), ["mode"]);
  assert.deepEqual(wrong({ note: "a\nb" }), ["note"]);
  assert.deepEqual(wrong({ other: "x" }), ["other"]);
  assert.deepEqual(wrong({ key: "x".repeat(4_001) }), ["key"]);
  for (const base of [
    "a.example",
    "ftp://a.example",
    "https://u@a.example",
    "https://a.example/?x",
    "https://a b",
    "http://",
    "https://é",
  ])
    assert.deepEqual(wrong({ base }), ["base"], base);
  for (const base of ["http://10.0.0.1:8080", "https://a.example/x/y/", "http://[::1]:80"])
    assert.deepEqual(wrong({ base }), [], base);
});

test("values that together give no URL are refused", () => {
  const connector = declared({ send: { method: "POST", url: "https://{{key}}.carrier.example/" } });
  assert.deepEqual(
    checkFields(connector, { key: "a b" }).map(({ field }) => field),
    [""],
  );
  assert.deepEqual(
    checkFields(connector, { key: "evil.example/" }).map(({ field }) => field),
    [""],
  );
  assert.deepEqual(checkFields(connector, { key: "abc" }), []);
});
