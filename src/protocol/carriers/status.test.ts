// Tests of status queries: what an answer proves, and what declarations may ask.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, checkStatus, declared, opened } from "../../../test/carriers.ts";
import { checkConnector } from "./declarationcheck.ts";
import type { StatusAnswer } from "./exchange.ts";

const OWN = "66f0c0ffee00000000000001-1";
const ASKED = { id: OWN, carrierId: "c1" };
const STATUS = {
  request: { method: "GET" as const, url: "https://carrier.example/status/{{id}}" },
  unknownHere: [{ json: "/error", is: ["no-such-message"] }],
  id: { json: "/id" },
  state: { json: "/state" },
  states: { done: "delivered" as const, way: "sent" as const },
};

const short = (found: StatusAnswer) => (found.is === "known" ? `${found.state} ${found.id}` : found.is);

test("only a known word and an id prove that the carrier has a message, and only its rule that it has none", () => {
  const connector = opened(declared({ status: STATUS }));
  assert.equal(connector.asksBy, "id");
  assert.equal(connector.statusRequest(ASKED, undefined)?.url, `https://carrier.example/status/${OWN}`);
  const says = (status: number, body: unknown) => short(connector.statusOf(answer(status, body), ASKED));
  assert.deepEqual(
    [
      says(200, { id: "c7", state: "done" }),
      says(200, { id: "c7", state: "way" }),
      says(200, { id: "c7", state: "never heard of it" }),
      says(200, { state: "done" }),
      says(200, "{broken"),
      says(404, { id: "c7", state: "done" }),
      says(404, { error: "no-such-message" }),
      says(404, { error: "no-such-page" }),
    ],
    ["delivered c7", "sent c7", "nothing", "nothing", "nothing", "nothing", "absent", "nothing"],
  );
  const limited = connector.statusOf(answer(429, "", { "retry-after": "7" }), ASKED);
  assert.deepEqual(limited, { is: "unavailable", waitMs: 7_000 });
  assert.equal(says(503, { error: "no-such-message" }), "unavailable");
  assert.equal(says(401, ""), "unavailable");
});

test("a query by the carrier's id counts for this id only", () => {
  const request = { method: "GET" as const, url: "https://carrier.example/status?id={{carrierId}}" };
  const { unknownHere: _, ...rules } = STATUS;
  const connector = opened(declared({ status: { ...rules, request } }));
  assert.equal(connector.asksBy, "carrierId");
  const says = (id: string) => short(connector.statusOf(answer(200, { id, state: "done" }), ASKED));
  assert.deepEqual([says("c1"), says("c2")], ["delivered c1", "nothing"]);
});

test("a query names its message by one id, and by the carrier's if we split texts", () => {
  const problems = (url: string, more: object = {}) =>
    checkConnector({ ...declared({ status: { ...STATUS, request: { method: "GET", url } } }), ...more }).map(
      ({ path }) => path,
    );
  assert.deepEqual(problems("https://carrier.example/{{id}}"), []);
  assert.deepEqual(problems("https://carrier.example/"), ["status.request"]);
  assert.deepEqual(problems("https://carrier.example/{{id}}/{{carrierId}}"), ["status.request"]);
  assert.deepEqual(problems("https://carrier.example/{{carrierId}}"), ["status.unknownHere"]);
  const text = { split: "us" };
  assert.deepEqual(problems("https://carrier.example/{{id}}", { text }), ["status.request"]);
  assert.deepEqual(problems("https://carrier.example/{{to}}{{id}}"), ["status.request.url"]);
});

test("the built-in connectors ask as their providers document it", () => {
  const urlOf = (name: string) => opened(name).statusRequest(ASKED, undefined)?.url ?? "";
  assert.match(urlOf("infobip"), new RegExp(`/sms/3/logs\\?messageId=${OWN}$`));
  checkStatus("infobip", ASKED, [
    [200, { results: [{ messageId: OWN, status: { groupName: "DELIVERED" } }] }, "delivered"],
    [200, { results: [] }, "nothing"],
  ]);
  assert.match(urlOf("termii"), /\/api\/sms\/inbox\?api_key=the-apiKey&message_id=c1$/);
  checkStatus("termii", ASKED, [
    [200, [{ message_id: "c1", status: "Delivered" }], "delivered"],
    [200, [{ message_id: "c2", status: "Delivered" }], "nothing"],
    [200, [], "nothing"],
  ]);
  assert.match(urlOf("atumpan"), /\/v1\/campaign\/c1\/messages$/);
  checkStatus("atumpan", ASKED, [
    [200, { success: true, data: [{ status: "DELIVERED", error: null }] }, "delivered"],
    [200, { success: true, data: [{ status: "UNKNOWN" }] }, "sent"],
    [200, { success: false, data: null, error: "campaign-not-found" }, "nothing"],
  ]);
});
