// Tenancy: every endpoint is asked by the wrong caller, and by the right caller for things of somebody else.

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { routes } from "../../src/api/api.ts";
import { CHOSEN, OF_NO_ACCOUNT } from "../../src/platform/http/idschemas.ts";
import { newId } from "../../src/platform/ids.ts";
import { newKey } from "../../src/platform/secrets/secrets.ts";
import { addressed, endpointOf, membersOf, parametersOf } from "../endpoints.ts";
import {
  CREDENTIALS,
  credentialsOf,
  type Fixture,
  type Json,
  type Kind,
  kinds,
  makeFixture,
  NEW_KEY,
  OPEN,
} from "../fixtures.ts";
import { overrides } from "../overrides.ts";
import { type TestService, testService } from "../testservice.ts";
import type { Things } from "../things.ts";
import { alike, ask, traces, twinsOf } from "../twins.ts";

const UNAUTHENTICATED =
  /^not-authenticated \{"success":false,"data":null,"error":"not-authenticated","details":\[.+\]\}$/;
/**
 * How many kinds of unauthenticated callers every endpoint is tried with: no credentials, unknown keys, mixed keys of two
 * companies.
 */
const TRIED_EVERYWHERE = 4;
const ID_MEMBER = /((^|\.)(ids?|token)|Ids?)(\[\])?$/;

suite("every door", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let mine: Fixture;
  let foreign: Fixture;
  let twins: ReturnType<typeof twinsOf>;
  /** What the other company has, before anybody asks for it. */
  let untouched: string[] | undefined;
  /** The kinds of credentials that were tried with all kinds of unauthenticated callers. */
  const tried = new Set<object>();

  before(async () => {
    // Without a gateway, everything that a campaign wrote stays as it was written.
    const config = { ...OPEN.config, roles: new Set(["api"] as const) };
    w = await testService({ after: (close) => closing.push(close) }, { ...OPEN, config });
    [mine, foreign] = await Promise.all([makeFixture(w), makeFixture(w)]);
    twins = twinsOf(w);
  });
  after(async () => {
    for (const close of closing) await close();
  });

  /** Everything with an id of the other company, but for the logs: they say who asked for what, some behind the answers. */
  const touched = () => traces(w, Object.values(foreign.own), { except: ["audit_log", "requests"] });

  const strangeThings = (): Things => {
    const named = Object.keys(foreign.own).map((thing) => [thing, newId()]);
    return { ...(Object.fromEntries(named) as Things), senderName: `A${newId().slice(-10)}` };
  };

  test("every override belongs to an endpoint", () => {
    const paths = new Set(routes.map((route) => route.path));
    assert.deepEqual(
      Object.keys(overrides).filter((path) => !paths.has(path)),
      [],
    );
  });

  for (const route of routes) {
    const { path } = route;

    test(`A02: ${path} declares what every id of its path and body names`, () => {
      const members = membersOf(route).map(([name]) => name);
      const ids = [...new Set([...members.filter((name) => ID_MEMBER.test(name)), ...parametersOf(route)])];
      // The items of an array are ids, and the array itself is none.
      const wanted = ids.filter((name) => !members.includes(`${name}[]`)).sort();
      assert.deepEqual(Object.keys(endpointOf(route).ids).sort(), wanted, "declare ids by `idOf`");
    });

    test(`A01 A05: ${path} accepts only the callers of its route`, async () => {
      const { callers, body: bodyOf } = endpointOf(route);
      const documented = new Set(callers.flatMap((kind): readonly string[] => kinds[kind]));
      assert.deepEqual(Object.keys(route.credentials.properties).sort(), [...documented].sort());
      if (callers.includes("nobody")) return;
      const { path: here, body } = addressed(route, bodyOf(mine));
      // Every wrong caller gets the same bytes, which name the credentials that the endpoint wants.
      const unauthenticated = await ask(w, here, body);
      assert.match(unauthenticated, UNAUTHENTICATED);
      for (const name of documented) assert.ok(unauthenticated.includes(name), name);
      const others = (Object.keys(kinds) as Kind[]).filter((kind) => !callers.includes(kind));
      for (const kind of others) {
        assert.equal(
          await ask(w, here, { ...body, ...credentialsOf(kind, w, mine) }, kind),
          unauthenticated,
          kind,
        );
      }
      // Endpoints with the same credentials identify callers by the same code, so only one of them is tried with all
      // unauthenticated callers.
      const all = tried.has(route.credentials)
        ? unauthenticatedCallers().slice(0, TRIED_EVERYWHERE)
        : unauthenticatedCallers();
      tried.add(route.credentials);
      for (const credentials of all) {
        assert.equal(
          await ask(w, here, { ...body, ...credentials }),
          unauthenticated,
          JSON.stringify(credentials),
        );
      }
      const kind = callers[0]!;
      const right = credentialsOf(kind, w, mine) as Record<string, string>;
      const { companyId: _, ...bare } = body;
      const headers = { Authorization: `Bearer ${Object.values(right)[0]}`, ...right };
      const answer = await ask(w, `${here}?${new URLSearchParams(right)}`, bare, "nobody", headers);
      assert.equal(answer, unauthenticated, "credentials are members of the body");
      assert.notEqual(await ask(w, here, { ...body, ...right }, kind), unauthenticated);
      if (NEW_KEY.has(path)) mine = await makeFixture(w);
    });
  }

  for (const route of routes) {
    const { callers, ids, body: bodyOf, spends } = endpointOf(route);
    // The administrator may name everybody's things, and any provider may pay for them.
    const bounded = callers.filter((kind) => kind !== "admin" && kind !== "provider");
    if (Object.keys(ids).length === 0) continue;

    for (const kind of bounded)
      test(`A02: ${route.path} answers a ${kind} alike for another's id and for an unknown id`, async () => {
        untouched ??= await touched();
        const strange = strangeThings();
        for (const [name, thing] of Object.entries(ids)) {
          if (thing === CHOSEN) continue;
          const named = thing === OF_NO_ACCOUNT ? "contact" : thing;
          for (const beside of name.endsWith("[]") ? [undefined, named] : [undefined]) {
            const answerTo = async (own: Fixture, asked: string) => {
              const given = withIds(bodyOf(own), name, beside ? [own.own[beside], asked] : [asked]);
              const { path, body } = addressed(route, given);
              const answer = await ask(w, path, { ...body, ...credentialsOf(kind, w, own) });
              return alike(answer.replaceAll(asked, "<asked>"));
            };
            const [one, other] = await twins.take();
            const there = await answerTo(one, foreign.own[named]);
            const nowhere = await answerTo(other, strange[named]);
            assert.equal(there, nowhere, `${name}${beside ? ", beside one's own" : ""}`);
            if (!spends || !there.startsWith("success")) twins.giveBack([one, other]);
          }
        }
        assert.deepEqual(await touched(), untouched);
      });
  }

  /** Credentials of nobody: of another company, of another kind, in the wrong member, of the wrong type. */
  function unauthenticatedCallers(): Json[] {
    const { apiKey, companyId, serverApiKey, apiSecret, connectionToken } = mine;
    const { adminKey } = w;
    const everywhere = (value: unknown) => Object.fromEntries(CREDENTIALS.map((name) => [name, value]));
    return [
      {},
      everywhere(newKey("")),
      { ...everywhere(apiKey), companyId: foreign.companyId },
      { ...everywhere(foreign.apiKey), companyId },
      ...[
        "",
        companyId,
        newKey("adm_"),
        newKey("psk_"),
        newKey("tps_"),
        newKey("ct_"),
        "x".repeat(10_000),
        1,
        true,
        null,
        [],
        {},
      ].map(everywhere),
      { ...everywhere(adminKey), adminKey: apiKey },
      { ...everywhere(serverApiKey), serverApiKey: apiKey },
      { ...everywhere(apiSecret), apiSecret: connectionToken },
      { ...everywhere(connectionToken), connectionToken: apiSecret },
      ...[
        (key: string) => [key],
        (key: string) => ({ key }),
        (key: string) => ` ${key}`,
        (key: string) => key.slice(1),
        (key: string) => key.toUpperCase(),
      ].map((spoilt) => ({
        apiKey: spoilt(apiKey),
        companyId: spoilt(companyId),
        adminKey: spoilt(adminKey),
        serverApiKey: spoilt(serverApiKey),
        apiSecret: spoilt(apiSecret),
        connectionToken: spoilt(connectionToken),
      })),
    ];
  }
});

/** Members with the same meaning. A body may have one of them. */
const INSTEAD = ["contacts", "contactIds", "contactsIds"];

/** The body with these ids as its `id`, its `ids[]` or its `things[].id`. */
function withIds(body: Json, name: string, ids: readonly string[]): Json {
  const [member = "", inside] = name.split("[]");
  const rest = INSTEAD.includes(member)
    ? Object.fromEntries(Object.entries(body).filter(([key]) => !INSTEAD.includes(key)))
    : body;
  if (inside === undefined) return { ...rest, [member]: ids[0] };
  const items = inside === "" ? ids : ids.map((id) => ({ phone: "2250700001098", [inside.slice(1)]: id }));
  return { ...rest, [member]: items };
}
