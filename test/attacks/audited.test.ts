// Every endpoint that changes something: it writes one audit entry, without a secret, and has its effect once for a key.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { routes } from "../../src/api/api.ts";
import { addressed, endpointOf } from "../endpoints.ts";
import {
  credentialsOf,
  type Fixture,
  headersOf,
  type Json,
  makeFixture,
  NEW_KEY,
  OPEN,
  unique,
} from "../fixtures.ts";
import { rows as select } from "../sending.ts";
import { type Answered, readAnswer, type TestService, testService, until } from "../testservice.ts";

/** Endpoints that change nothing and write an entry, since they show a secret or the texts of others. */
const SHOWING = ["third-party-app/my/list", "third-party-app/pairing/status", "admin/simulator/inbox"];

/** Endpoints that end the credential that calls them, which cannot repeat the call then. */
const ENDS_ITS_CALLER = new Set(["/v1/user/key/regenerate"]);

/** Endpoints whose own tables are the record of what they did. */
const OWN_RECORD = new Set([
  ...["auth/otp/get", "auth/otp/verify", "third-party-app/sms/send", "payment/webhook/{provider}"],
  ...["contact/import/begin", "contact/import/{id}/part", "contact/import/{id}/charset"],
  ...["third-party-app/public-submit", "admin/session/begin", "campaign/draft/save"],
  ...["session/begin", "signup/begin", "topup/{id}/checkout"],
]);

const SECRET_MEMBER = /"(?:\w*(?:key|secret|token|password)|pairingCode|qrContent)":"([^"]{4,})"/gi;

type Entry = { id: string; action: string; row: string };

suite("every door", () => {
  const closing: (() => Promise<void>)[] = [];
  const secrets = new Set<string>();
  let w: TestService;
  let waiting: Fixture | undefined;

  before(async () => {
    w = await testService({ after: (close) => closing.push(close) }, OPEN);
    secrets.add(w.adminKey).add("drum");
    const isBound = async () => {
      const { data } = await w.admin("/v1/admin/operator/list");
      return data.some(({ state }: { state: string }) => state === "BOUND");
    };
    await until(isBound);
  });
  after(async () => {
    for (const close of closing) await close();
  });

  // A digest is made of chance, and may have the letters of a short secret in it.
  const ENTRIES = "SELECT id, action, (to_jsonb(log) - 'hash')::text AS row FROM audit_log log ORDER BY id";
  const entries = async () => (await select(w.app, ENTRIES)) as Entry[];

  const learn = (text: string) => {
    for (const [, value] of text.matchAll(SECRET_MEMBER)) secrets.add(value!);
  };

  type Sent = { path: string; text: string; headers: Record<string, string> };

  /** A request to an endpoint as the first of its callers, with an idempotency key. */
  function requestTo(route: (typeof routes)[number], fixture: Fixture): Sent {
    const { callers, body: bodyOf } = endpointOf(route);
    const kind = callers[0]!;
    const { path, body } = addressed(route, bodyOf(fixture));
    const { idempotencyKey = unique(), ...rest } = body as Json;
    const text = JSON.stringify({ ...rest, ...credentialsOf(kind, w, fixture) } as Json);
    learn(text);
    return { path, text, headers: { ...headersOf(kind, text), "Idempotency-Key": String(idempotencyKey) } };
  }

  /** Sends a request; returns the answer and the entries that it made. */
  async function send({ path, text, headers }: Sent) {
    const known = new Set((await entries()).map(({ id }) => id));
    const answer = await readAnswer(await fetch(w.url + path, { method: "POST", headers, body: text }));
    learn(JSON.stringify(answer));
    return { answer, made: (await entries()).filter(({ id }) => !known.has(id)) };
  }

  /** The same request again: the first answer, and no second effect. With another body the key is refused. */
  async function repeat(request: Sent, first: Answered) {
    const again = await send(request);
    assert.deepEqual(again.made, []);
    if (ENDS_ITS_CALLER.has(request.path)) assert.notEqual(again.answer.success, true);
    else assert.deepEqual(again.answer, first);
    const answers = "SELECT answer FROM idempotency_keys ORDER BY created_at DESC LIMIT 1";
    const [kept] = (await select(w.app, answers)) as { answer: string }[];
    assert.match(kept!.answer, /^1\.[0-9a-f]+\.[\w-]+$/, "the answer is sealed");
    const text = JSON.stringify({ ...JSON.parse(request.text), notKnown: 1 });
    if (request.path.startsWith("/v1/payment/")) return; // signed over the body, and safe to repeat by itself
    const other = await send({ ...request, text });
    assert.deepEqual(other.made, []);
    if (!ENDS_ITS_CALLER.has(request.path)) assert.equal(other.answer.error, "idempotency-key-reused");
  }

  for (const route of routes) {
    const { path } = route;
    const action = path.replace("/v1/", "");
    const isNoted = route.audit !== undefined;

    const once = route.reads ? "" : ", and has its effect once for a key (D15)";
    test(`H23: ${path} writes ${isNoted ? "one entry" : "no entry"}${once}`, async () => {
      let fixture = waiting ?? (await makeFixture(w));
      waiting = undefined;
      let request = requestTo(route, fixture);
      let { answer, made } = await send(request);
      if (!answer.success) {
        // Another endpoint has used up something that this endpoint needs. A refusal is not noted.
        assert.deepEqual(made, []);
        fixture = await makeFixture(w);
        request = requestTo(route, fixture);
        ({ answer, made } = await send(request));
      }
      assert.equal(answer.success, true, JSON.stringify(answer));
      assert.deepEqual(
        made.map((entry) => entry.action),
        isNoted ? [action] : [],
      );
      if (!route.reads) await repeat(request, answer);
      if (!endpointOf(route).spends && !NEW_KEY.has(path)) waiting = fixture;
    });
  }

  test("H23: an endpoint that changes something is in the log, unless its own tables are the record of it", () => {
    const actionsOf = (some: typeof routes) => some.map(({ path }) => path.replace("/v1/", "")).sort();
    const noted = routes.filter(({ audit }) => audit !== undefined);
    const unnoted = routes.filter(({ reads, audit }) => !reads && audit === undefined);
    assert.deepEqual(actionsOf(unnoted), [...OWN_RECORD].sort());
    assert.deepEqual(actionsOf(noted.filter(({ reads }) => reads)), [...SHOWING].sort());
  });

  test("H23: no entry holds a secret, and the whole log is proven", async () => {
    const all = await entries();
    for (const secret of secrets)
      for (const { action, row } of all) assert.equal(row.includes(secret), false, `${action}: ${row}`);
    assert.ok(secrets.size > 20);
    let next: string | undefined;
    do {
      const { data } = await w.admin("/v1/admin/audit/verify", next === undefined ? {} : { next });
      assert.deepEqual(data.faults, []);
      next = data.next ?? undefined;
    } while (next !== undefined);
  });
});
