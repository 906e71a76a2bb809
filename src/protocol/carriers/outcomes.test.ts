// Tests of outcomes: the rules that hold for every carrier, and answers that are broken, cut, huge or of another charset.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  answer,
  carrierMessage,
  declared,
  NOW_MS,
  opened,
  outcomeOf,
  short,
} from "../../../test/carriers.ts";
import { connectors } from "./builtin.ts";
import type { OutcomeRule } from "./connector.ts";

const ruled = (...outcomes: OutcomeRule[]) => opened(declared({ outcomes }));
const OWN = carrierMessage().id;

/** A connector of which no rule holds. */
const bare = ruled({ when: [{ json: "/never", is: ["x"] }], is: "accepted", id: "own" });

test("without a rule, the status decides, and a 2xx that nobody knows is of unknown fate", () => {
  assert.deepEqual(outcomeOf(bare, 200), { is: "unknown", code: "http-200" });
  assert.deepEqual(outcomeOf(bare, 302), { is: "account", code: "misconfigured:http-302" });
  assert.deepEqual(outcomeOf(bare, 400), { is: "permanent", code: "refused:http-400" });
  assert.deepEqual(outcomeOf(bare, 401), { is: "account", code: "bad-credentials:http-401" });
  assert.deepEqual(outcomeOf(bare, 429), { is: "throttled", waitMs: 1000, code: "http-429" });
  assert.deepEqual(outcomeOf(bare, 500), { is: "temporary", code: "http-500" });
  assert.deepEqual(outcomeOf(bare, 503), { is: "temporary", code: "http-503" });
  for (const status of [502, 504, 520, 524])
    assert.deepEqual(outcomeOf(bare, status), { is: "unknown", code: `http-${status}` });
  for (const status of [408, 421, 425, 521])
    assert.deepEqual(outcomeOf(bare, status), { is: "temporary", code: `http-${status}` });
  assert.deepEqual(outcomeOf(bare, 402), { is: "account", code: "no-units:http-402" });
  for (const status of [403, 404])
    assert.deepEqual(outcomeOf(bare, status), { is: "permanent", code: `refused:http-${status}` });
  for (const status of [405, 407])
    assert.deepEqual(outcomeOf(bare, status), { is: "account", code: `misconfigured:http-${status}` });
});

test("Retry-After is seconds or a date, and at most 5 minutes", () => {
  const waitOf = (retryAfter: string) => {
    const outcome = outcomeOf(bare, 429, "", { "retry-after": retryAfter });
    return outcome.is === "throttled" ? outcome.waitMs : undefined;
  };
  assert.equal(waitOf("7"), 7_000);
  assert.equal(waitOf(new Date(NOW_MS + 20_000).toUTCString()), 20_000);
  assert.equal(waitOf(new Date(NOW_MS - 20_000).toUTCString()), 0);
  assert.equal(waitOf("86400"), 300_000);
  assert.equal(waitOf("-1"), 1_000);
  assert.equal(waitOf("soon"), 1_000);
});

test("the first rule of which all conditions hold decides", () => {
  const connector = ruled(
    {
      when: [{ status: [[200, 299]] }, { json: "/error", is: ["12"] }],
      is: "permanent",
      failure: "invalid-number",
      code: { json: "/error" },
    },
    {
      when: [{ json: "/error", present: true }],
      is: "account",
      trouble: "no-units",
      code: { json: "/error" },
    },
    { when: [{ header: "X-Wait", present: true }], is: "throttled", waitS: { header: "x-wait" } },
    { when: [{ text: true, contains: ["later"] }], is: "temporary" },
    {
      when: [{ status: [200] }, { text: true, startsWith: ["OK "] }],
      is: "accepted",
      id: { text: true, after: "OK ", before: ";" },
    },
  );
  assert.deepEqual(outcomeOf(connector, 201, { error: 12 }), { is: "permanent", code: "invalid-number:12" });
  assert.deepEqual(outcomeOf(connector, 201, { error: "POL 1" }), { is: "account", code: "no-units" });
  assert.deepEqual(outcomeOf(connector, 400, "x", { "x-wait": "2.5" }), {
    is: "throttled",
    waitMs: 2500,
    code: "http-400",
  });
  assert.deepEqual(outcomeOf(connector, 400, "Try LATER."), { is: "temporary", code: "http-400" });
  assert.deepEqual(outcomeOf(connector, 200, "ok 55;"), { is: "accepted", id: OWN });
  assert.deepEqual(outcomeOf(connector, 200, "OK 55;more"), { is: "accepted", id: "55" });
});

test("broken or cut JSON meets no condition on JSON; conditions on the status still hold", () => {
  const connector = ruled(
    {
      when: [
        { json: "/error", present: false },
        { json: "/id", present: true },
      ],
      is: "accepted",
      id: { json: "/id" },
    },
    { when: [{ json: "/error", present: false }], is: "temporary" },
    { when: [{ status: [201] }], is: "accepted", id: { json: "/id" } },
  );
  assert.deepEqual(outcomeOf(connector, 200, { id: "a" }), { is: "accepted", id: "a" });
  assert.deepEqual(outcomeOf(connector, 200, '{"id":"a"'), { is: "unknown", code: "http-200" });
  assert.deepEqual(outcomeOf(connector, 201, '{"id":"a"'), { is: "accepted", id: OWN });
  const cut = { ...answer(200, { id: "a" }), isCut: true };
  assert.deepEqual(connector.outcomeOf(cut, carrierMessage()), { is: "unknown", code: "http-200" });
  assert.deepEqual(outcomeOf(connector, 200, "[".repeat(500_000)), { is: "unknown", code: "http-200" });
});

test("whole numbers beyond 2^53 are ids with all their digits", () => {
  const connector = ruled({
    when: [{ json: "/id", present: true }],
    is: "accepted",
    id: { json: ["/x", "/id"] },
  });
  const idOf = (body: string) => {
    const outcome = outcomeOf(connector, 200, body);
    return outcome.is === "accepted" ? outcome.id : undefined;
  };
  assert.equal(idOf('{"id":3017544054459493400123}'), "3017544054459493400123");
  assert.equal(idOf('{"id":9007199254740993}'), "9007199254740993");
  assert.equal(idOf('{"id":9007199254740991}'), "9007199254740991");
  assert.equal(idOf('{"id":42}'), "42");
});

test("an id that cannot be stored is replaced by ours", () => {
  const connector = ruled({ when: [{ status: [200] }], is: "accepted", id: { json: "/id" } });
  for (const id of ["", " ", "a\nb", "x".repeat(201), null, {}, []])
    assert.deepEqual(outcomeOf(connector, 200, { id }), { is: "accepted", id: OWN });
});

test("an id is the last segment of a path, decoded, whatever surrounds it", () => {
  const connector = ruled({
    when: [{ status: [200] }],
    is: "accepted",
    id: { json: "/url", segment: "last" },
  });
  const idOf = (url: string) => short(connector.outcomeOf(answer(200, { url }), carrierMessage()));
  assert.equal(idOf("https://a.example/requests/tel%3A1/x%2F7?y=/z"), "accepted x/7");
  assert.equal(idOf("/requests/7//"), "accepted 7");
  assert.equal(idOf("7"), "accepted 7");
  assert.equal(idOf("/%zz"), "accepted %zz");
  for (const none of ["/", "", "?x"]) assert.equal(idOf(none), `accepted ${OWN}`);
  assert.equal(idOf(`${"/".repeat(500_000)}x${"/".repeat(500_000)}`), "accepted x");
});

test("a text is decoded by its charset, as UTF-8, or as windows-1252", () => {
  const connector = ruled({ when: [{ text: true, is: ["é"] }], is: "accepted", id: "own" });
  const isAccepted = (octets: Uint8Array, type?: string) =>
    outcomeOf(connector, 200, octets, type === undefined ? {} : { "content-type": type }).is === "accepted";
  assert.ok(isAccepted(Buffer.from("é", "utf8")));
  assert.ok(isAccepted(Buffer.from("é", "latin1")));
  assert.ok(isAccepted(Buffer.from("é", "latin1"), "text/plain; charset=utf-8"));
  assert.ok(isAccepted(Buffer.from("é", "utf16le"), 'text/plain; charset="utf-16le"'));
  assert.ok(isAccepted(Buffer.from("é", "utf8"), "text/plain; charset=no-such-charset"));
});

test("an answer of 1 MB with 60,000 members is read", () => {
  const connector = ruled({ when: [{ json: "/*/id", is: ["last"] }], is: "accepted", id: { json: "/*/id" } });
  const members = Array.from({ length: 60_000 }, (_, at) => [`m${at}`, { x: at }]);
  const large = JSON.stringify({ ...Object.fromEntries(members), z: { id: "last" } });
  assert.ok(large.length > 1_000_000);
  assert.deepEqual(outcomeOf(connector, 200, large), { is: "accepted", id: "last" });
});

test("a pointer reads no inherited member", () => {
  const connector = ruled({
    when: [{ json: "/constructor/name", present: true }],
    is: "accepted",
    id: "own",
  });
  assert.equal(outcomeOf(connector, 200, {}).is, "unknown");
  assert.equal(outcomeOf(connector, 200, '{"__proto__":{"constructor":{"name":"x"}}}').is, "unknown");
});

test("an answer in XML is read like JSON, without its DOCTYPE", () => {
  const connector = ruled({
    when: [{ json: "/answer/@code", is: ["0"] }],
    is: "accepted",
    id: { json: "/answer/id" },
  });
  assert.deepEqual(
    outcomeOf(connector, 200, '<?xml version="1.0"?><a:answer code="0"><id> 7 </id></a:answer>'),
    {
      is: "accepted",
      id: "7",
    },
  );
  const bomb = '<!DOCTYPE a [<!ENTITY x "y">]><answer code="0"><id>&x;</id></answer>';
  assert.equal(outcomeOf(connector, 200, bomb).is, "unknown");
  assert.equal(outcomeOf(connector, 200, "<answer>".repeat(50_000)).is, "unknown");
});

test("whatever a carrier answers, each connector has an outcome for it", () => {
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((text) => Buffer.from(text)),
    fc.string().map((text) => Buffer.from(`<a>${text}</a>`)),
  );
  const type = fc.constantFrom(undefined, "application/json", "text/xml; charset=utf-16", "x; charset=utf-7");
  fc.assert(
    fc.property(
      fc.constantFrom(...connectors.keys()),
      fc.integer({ min: 100, max: 599 }),
      body,
      type,
      (name, status, octets, contentType) => {
        const outcome = opened(name).outcomeOf(
          answer(status, octets, { "content-type": contentType }),
          carrierMessage(),
        );
        if (outcome.is !== "accepted") assert.match(outcome.code, /^[a-zA-Z0-9_.:-]{1,80}$/);
        else assert.ok(outcome.id.length > 0);
      },
    ),
    { numRuns: 300 },
  );
});
