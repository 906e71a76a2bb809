// Bodies: every endpoint answers every body in the envelope, soon, and changes only what the caller may change.

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { routes } from "../../src/api/api.ts";
import { outcomes } from "../../src/platform/http/refusals.ts";
import type { Route } from "../../src/platform/http/routes.ts";
import { openLog } from "../../src/platform/log.ts";
import { addressed, endpointOf, membersOf, parametersOf } from "../endpoints.ts";
import {
  credentialsOf,
  type Fixture,
  headersOf,
  type Json,
  makeFixture,
  NEW_KEY,
  OPEN,
} from "../fixtures.ts";
import { isWellFormed, mutation, nested, place, strike, textOf, type Wrong, wrongFor } from "../hostile.ts";
import { atLength } from "../length.ts";
import { JSON_TYPE, send } from "../listener.ts";
import { assertBalanced } from "../sending.ts";
import { type Answered, readAnswer, type TestService, testService, until } from "../testservice.ts";

/** The number of bodies per endpoint and property, and how many times as many good ones have something wrong in them. */
const RUNS = atLength({ short: 1, long: 8, night: 2_000 });
const WRONG_TIMES = atLength({ short: 1, long: 3 });
/** No answer takes so long, even on a busy machine, unless some code walks the body again and again. */
const SLOW_MS = 60_000;
/** Endpoints share the schemas of their members. A value that one endpoint refused is tried at one of so many later routes. */
const TRIED_AGAIN_ONE_IN = atLength({ short: 16, long: 2 });
/** Bodies that are refused before any endpoint reads them are tried at one endpoint of so many. */
const LARGE_ONE_IN = atLength({ short: 20, long: 5 });

const builtIns = [Object, Array, String, Function].map(({ prototype }) => prototype);
const shapes = () => builtIns.map((prototype) => Reflect.ownKeys(prototype));

suite("every door", () => {
  const closing: (() => Promise<void>)[] = [];
  const crashes: string[] = [];
  let fixture: Promise<Fixture> | undefined;
  const validators = new Set<string>();
  const shapesBefore = shapes();
  let w: TestService;

  before(async () => {
    const log = openLog("error", { write: (line) => void crashes.push(line) });
    w = await testService({ after: (close) => closing.push(close) }, { ...OPEN, log });
  });
  after(async () => {
    for (const close of closing) await close();
  });

  /** The fixture that all routes share until one of them uses it up. */
  function living(): Promise<Fixture> {
    fixture ??= makeFixture(w);
    return fixture;
  }

  /** Posts with the credentials of the endpoint's own caller, and checks that the answer comes soon and is no crash. */
  async function ask(route: Route, body: Json): Promise<Answered> {
    const { callers, spends } = endpointOf(route);
    const own = await living();
    const { path, body: rest } = addressed(route, body);
    const credentials = credentialsOf(callers[0]!, w, own);
    const text = textOf({ ...rest, ...credentials });
    const answer = await post(path, text, headersOf(callers[0]!, text));
    if (answer.success && spends) fixture = undefined;
    if (answer.success && NEW_KEY.has(route.path)) {
      const { apiKey = own.apiKey, serverApiKey = own.serverApiKey, apiSecret = own.apiSecret } = answer.data;
      Object.assign(own, { apiKey, serverApiKey, apiSecret });
    }
    return answer;
  }

  async function post(path: string, text: string, headers: object = JSON_TYPE): Promise<Answered> {
    const startMs = performance.now();
    const answer = await send(w.url + path, text, headers);
    const ms = performance.now() - startMs;
    assert.notEqual(answer.error, "server-error", `${path} ${text.slice(0, 2_000)}\n${crashes.at(-1)}`);
    assert.ok(ms < SLOW_MS, `${path} took ${ms} ms for ${text.slice(0, 2_000)}`);
    return answer;
  }

  const sample = async (route: Route): Promise<Json> => endpointOf(route).body(await living());

  for (const [number, route] of routes.entries()) {
    const { path } = route;
    const inPath = parametersOf(route);
    const withPath = (body: Json, from: Json) => ({
      ...body,
      ...Object.fromEntries(inPath.map((name) => [name, from[name]])),
    });

    test(`${path}: the body of its example is accepted`, async () => {
      let said = "";
      const isAccepted = async () => {
        const answer = await ask(route, await sample(route));
        said = JSON.stringify(answer);
        return answer.success;
      };
      if (await isAccepted()) return;
      // Another endpoint has used up what this one needs, or there is no gateway yet.
      fixture = undefined;
      await until(async () => (await isAccepted()) || !said.includes("service-unavailable"));
      assert.match(said, /"success":true/);
    });

    // Each fixture that is spent costs eight requests.
    const runs = endpointOf(route).spends ? Math.ceil(RUNS / 4) : RUNS;

    test(`P01: ${path} answers arbitrary JSON`, async () => {
      const anything = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()));
      const property = fc.asyncProperty(anything, async (value) => {
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
        const good = await sample(route);
        if (isObject) await ask(route, withPath(value as Json, good));
        else assert.equal((await post(addressed(route, good).path, textOf(value))).error, "invalid-request");
      });
      await fc.assert(property, { numRuns: runs });
    });

    test(`P01: ${path} answers a good body with something wrong in it`, async () => {
      const property = fc.asyncProperty(
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        async (mutations) => {
          const good = await sample(route);
          const body = structuredClone(good);
          for (const one of mutations) strike(body, route, one);
          // A value that is no text cannot stand in a path. The body takes it then, and must agree with the path.
          const isLost = inPath.some((name) => !isWellFormed(body[name]));
          await ask(route, isLost ? withPath(body, good) : body);
        },
      );
      await fc.assert(property, { numRuns: runs * WRONG_TIMES });
    });

    test(`P03 P04 P06 P09 P11: ${path} refuses what is wrong for any member of its kind`, async () => {
      for (const [name, member] of membersOf(route)) {
        // A value that is no text cannot stand in a path.
        if (inPath.includes(name)) continue;
        const wrong = wrongFor(name, member);
        const isHuge = ({ value }: Wrong) => value.length > 100_000;
        const kind = `${name} ${textOf(member)}`;
        const isKnown = validators.has(kind);
        validators.add(kind);
        const tried = isKnown
          ? wrong.filter((one, at) => !isHuge(one) && (at + number) % TRIED_AGAIN_ONE_IN === 0)
          : wrong;
        await Promise.all(tried.map((one) => refuses(name, one)));
      }
    });

    async function refuses(name: string, { value, refused }: Wrong): Promise<void> {
      const body = structuredClone(await sample(route));
      if (!place(body, name, value)) return;
      // Only campaigns of these types have a time.
      if (name === "scheduledDate") {
        body.type = "SCHEDULED";
        delete body.recurring;
      }
      if (name === "recurring") body.type = "RECURRING";
      const answer = await ask(route, body);
      const said = `${name} = ${value.slice(0, 100)}: ${JSON.stringify(answer).slice(0, 500)}`;
      // A draft keeps any text as a time, until it is sent.
      const isUnfinished = path === "/v1/campaign/draft/save" && /^(scheduledDate$|recurring\b)/.test(name);
      if (refused && !(isUnfinished && answer.success))
        assert.equal(answer.error && outcomes[answer.error], refused, said);
    }

    test(`P05 P10: ${path} answers what is too much, or no JSON at all, with the envelope`, async () => {
      const body = await sample(route);
      const { path: here, body: rest } = addressed(route, body);
      const whole = { ...rest, ...credentialsOf(endpointOf(route).callers[0]!, w, await living()) };
      const beside = (text: string) => `${textOf(whole).slice(0, -1)},"more":${text}}`;
      const large = [nested(100_000), `[${"[],".repeat(300_000)}1]`, `${"9".repeat(1_000_000)}`];
      for (const text of [nested(17), ...(number % LARGE_ONE_IN === 0 ? large : [])]) {
        const isUnread = large.includes(text) && !route.bulk;
        const { error } = await post(here, beside(text));
        assert.equal(error, isUnread ? "request-too-large" : "invalid-request");
      }
      for (const method of ["GET", "PUT", "DELETE"]) {
        const answer = await readAnswer(await fetch(w.url + here, { method }));
        assert.equal(answer.error, "not-found");
      }
      const as = (bytes: string | Uint8Array, headers: object) => send(w.url + here, bytes, headers);
      const bytes = Buffer.from(textOf(whole));
      const packed = await as(gzipSync(bytes), { ...JSON_TYPE, "Content-Encoding": "gzip" });
      assert.equal(packed.error, "invalid-json");
      assert.equal((await as(bytes, { "Content-Type": "text/plain" })).error, "invalid-request");
      const notUtf8 = Buffer.concat([bytes.subarray(0, -1), Buffer.from(',"more":"\xff"}', "latin1")]);
      assert.equal((await as(notUtf8, JSON_TYPE)).error, "invalid-json");
    });
  }

  test("afterwards every credit is accounted for, nothing crashed, and JavaScript is what it was", async () => {
    await assertBalanced(w);
    assert.deepEqual(crashes, []);
    assert.deepEqual(shapes(), shapesBefore);
  });
});
