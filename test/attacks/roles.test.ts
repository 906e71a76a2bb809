// An attack by an administrator of a small role: every URL of the administration, with a key of each role.

import assert from "node:assert/strict";
import { test } from "node:test";
import { routes } from "../../src/api/api.ts";
import { ADMIN_ROLES, type AdminRole } from "../../src/identity/admins/roles.ts";
import type { Route } from "../../src/platform/http/routes.ts";
import { newId } from "../../src/platform/ids.ts";
import { machine } from "../administrators.ts";
import { dataOf } from "../applications.ts";
import { addressed, endpointOf } from "../endpoints.ts";
import { makeFixture, OPEN } from "../fixtures.ts";
import { rolesShown, wholeReference } from "../reference.ts";
import { rows } from "../sending.ts";
import { type TestService, testService, until } from "../testservice.ts";

const administration = routes.filter((route) => "adminKey" in route.credentials.properties);

const mayCall = (role: AdminRole, { roles }: Route) => roles.includes(role);

/** What an administrator only reads. */
const READING = administration.filter((route) => mayCall("support", route));

/** The endpoint that changes something for every role: one's own session, and for an owner any. */
const OWN_SESSION = "/v1/admin/session/{id}/end";

test("H24 the reference shows for every URL that takes an adminKey which roles may call it", async (t) => {
  const page = await wholeReference(await testService(t));
  for (const { path, roles } of administration) assert.deepEqual(rolesShown(page).get(path), roles, path);
});

test("H24 an owner may call everything, and support changes nothing", () => {
  assert.deepEqual(
    administration.filter((route) => !mayCall("owner", route)).map(({ path }) => path),
    [],
  );
  const audited = READING.filter(({ reads }) => !reads).map(({ path }) => path);
  assert.deepEqual(audited, [OWN_SESSION]);
});

test("H24 a role does what the reference says, and gets not-authorized for all else", async (t) => {
  const here = await testService(t, OPEN);
  const roles = await Promise.all(
    ADMIN_ROLES.map(async (role) => [role, await machine(here, role)] as const),
  );
  let fixture = await makeFixture(here);
  for (const route of administration) {
    const { body, spends } = endpointOf(route);
    for (const [role, call] of roles) {
      if (!mayCall(role, route)) {
        const sent = addressed(route, body(fixture));
        assert.equal((await call(sent.path, sent.body)).error, "not-authorized", `${role} ${route.path}`);
        // Whoever may not call learns nothing of what the URL wants.
        const { error, details } = await call(sent.path, {});
        assert.deepEqual(
          [error, details?.[0]?.field],
          ["not-authorized", "adminKey"],
          `${role} ${route.path}`,
        );
        continue;
      }
      const sent = addressed(route, body(fixture));
      const answer = await call(sent.path, sent.body);
      assert.ok(
        !["not-authorized", "not-authenticated"].includes(answer.error ?? ""),
        `${role} ${route.path}: ${answer.error}`,
      );
      if (spends && answer.success) fixture = await makeFixture(here);
    }
  }
});

const WRITTEN = "Secret de la boutique";
const PHONE = "2250700123456";
/**
 * Where it stands: the owner of a company and of an application, each listed and read, a test of an operator, a number
 * that may be ported.
 */
const PLACES = 6;
/** What may be a phone: more digits than any count or credit here, outside of ids. */
const LONG_NUMBER = /(?<![\w.-])\+?\d{8,}(?![\w.-])/g;

/** Fills what support reads with whole phones and a text. */
async function plant(here: TestService) {
  const { companyId } = await here.company();
  await dataOf(here.admin(`/v1/admin/company/${companyId}/update`, { ownerPhone: PHONE }));
  const submission = { name: "Marché", slug: `x${newId()}`, description: "Vend du poisson" };
  const owner = { ownerEmail: "a@b.ci", ownerPhone: PHONE };
  const { id: submitted } = await dataOf(
    here.call("/v1/third-party-app/public-submit", { ...submission, ...owner }),
  );
  const [operator] = await rows(here.app, "SELECT id FROM operators WHERE name = 'simulator'");
  const tried = `/v1/admin/operator/${operator!.id}/test`;
  // A test of an operator is refused until its first session is bound.
  const { id: trial } = await until(async () => {
    const answer = await here.admin(tried, { phone: PHONE, text: WRITTEN });
    return answer.success && answer.data;
  });
  const call = (await here.company({ credits: 100 })).call;
  const contacts = Array.from({ length: 51 }, (_, i) => String(2250700200000 + i));
  await dataOf(call("/v1/campaign/create", { contacts, text: WRITTEN }));
  return { company: companyId, submitted, operator: operator!.id, operatorTest: trial };
}

test("H24 support sees no whole phone and no text of anybody, whatever it reads", async (t) => {
  const here = await testService(t, { ...OPEN, config: { ...OPEN.config, holdFirstCampaigns: 3 } });
  const fixture = await makeFixture(here);
  const own = { ...fixture.own, ...(await plant(here)) };
  const [support, reviewer] = await Promise.all([machine(here, "support"), machine(here, "reviewer")]);
  const seen = { support: "", reviewer: "" };
  for (const route of READING) {
    const given = route.path.endsWith("/ported/find")
      ? { phone: PHONE }
      : endpointOf(route).body({ ...fixture, own });
    const { path, body } = addressed(route, {
      ...given,
      limit: 100,
      status: undefined,
      ids: undefined,
      search: undefined,
    });
    for (const [role, call] of [
      ["support", support],
      ["reviewer", reviewer],
    ] as const)
      seen[role] += `${path} ${JSON.stringify((await call(path, body)).data)}\n`;
  }
  // In the answers to another role they all stand, so this test does not pass because nothing is found.
  assert.equal(seen.reviewer.split(PHONE).length - 1, PLACES, seen.reviewer);
  assert.ok(seen.reviewer.includes(WRITTEN));
  assert.deepEqual([seen.support.includes(PHONE), seen.support.includes(WRITTEN)], [false, false]);
  assert.equal(seen.support.split('"225••••••••56"').length - 1, PLACES, seen.support);
  assert.deepEqual(seen.support.match(LONG_NUMBER), null);
});
