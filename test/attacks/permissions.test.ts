// Roles and scopes: every endpoint of a company is tried by a key of each role and of each scope.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { routes } from "../../src/api/api.ts";
import { MEMBER_ROLES, type MemberRole, type Permission } from "../../src/identity/accounts/permissions.ts";
import { dataOf } from "../applications.ts";
import { newPhone } from "../codes.ts";
import { addressed, parametersOf } from "../endpoints.ts";
import { OPEN } from "../fixtures.ts";
import { rolesShown, wholeReference } from "../reference.ts";
import { resellerOf } from "../reselling.ts";
import { type Company, type TestService, testService } from "../testservice.ts";

const SCOPES = ["read", "contacts", "send", "otp"] as const;
const ALL = MEMBER_ROLES.owner;

/** The endpoint that any key of any member may call: it replaces that key. */
const OF_ANY_KEY = "/v1/user/key/regenerate";

/** A key, with what may be done by it. */
type Key = { name: string; apiKey: string; may: readonly Permission[] };

suite("every door of a company", () => {
  const closing: (() => Promise<void>)[] = [];
  let company: Company;
  let keys: Key[];
  let page: string;

  before(async () => {
    const w: TestService = await testService({ after: (close) => closing.push(close) }, OPEN);
    company = await w.company();
    await resellerOf(w, company);
    keys = [{ name: "the first key of the owner", apiKey: company.apiKey, may: ALL }];
    for (const [role, may] of Object.entries(MEMBER_ROLES)) {
      const member = { name: "Yao", phone: newPhone(), role };
      const { id, apiKey } = await dataOf(company.call("/v1/company/member/create", member));
      keys.push({ name: `the first key of a member who is ${role}`, apiKey, may });
      for (const scopes of [undefined, ...SCOPES.map((scope) => [scope])]) {
        const wish = { name: "Caisse", memberId: id, ...(scopes && { scopes }) };
        const made = await dataOf(company.call("/v1/company/key/create", wish));
        const bounded = may.filter((one) => !scopes || (scopes as Permission[]).includes(one));
        keys.push({ name: `a key of ${role} for ${scopes ?? "all"}`, apiKey: made.apiKey, may: bounded });
      }
    }
    page = await wholeReference(w);
  });
  after(async () => {
    for (const close of closing) await close();
  });

  const ofCompanies = routes.filter((route) => "companyId" in route.credentials.properties);

  test("H25: one endpoint takes any key, and a reader changes nothing but exports a campaign", () => {
    const pathsOf = (some: typeof routes) => some.map(({ path }) => path);
    assert.deepEqual(pathsOf(ofCompanies.filter(({ permissions }) => permissions.length === 0)), [
      OF_ANY_KEY,
    ]);
    const audited = ofCompanies.filter(({ reads, permissions }) => !reads && permissions.includes("read"));
    assert.deepEqual(pathsOf(audited), ["/v1/campaign/{id}/export"]);
  });

  for (const route of ofCompanies) {
    const { path } = route;

    test(`H25: ${path} opens to the keys with its permissions alone`, async () => {
      const wanted = route.permissions as readonly Permission[];
      // Nothing is given and nobody has these ids, so a key that may come in changes nothing.
      const nothing = Object.fromEntries(parametersOf(route).map((name) => [name, "nobody"]));
      const { path: here, body } = addressed(route, nothing);
      for (const key of keys) {
        const answer = await company.call(here, { ...body, apiKey: key.apiKey });
        const isOpen = wanted.length === 0 || wanted.some((one) => key.may.includes(one));
        const isRefused = answer.error === "not-authorized";
        assert.equal(isRefused, !isOpen, `${key.name}: ${JSON.stringify(answer)}`);
        assert.notEqual(answer.error, "not-authenticated", key.name);
        if (isRefused) {
          const [detail] = answer.details!;
          assert.equal(detail!.field, "apiKey");
          assert.match(detail!.message, /rôle|portée/, key.name);
        }
        if (answer.success && path === OF_ANY_KEY) key.apiKey = answer.data.apiKey;
      }
    });
  }

  test("the reference says of every door which scopes and roles open it", () => {
    const shown = rolesShown(page);
    for (const { path, permissions } of ofCompanies) {
      const wanted = permissions as readonly Permission[];
      const scopes = wanted.filter((one) => one !== "manage");
      const roles = (Object.keys(MEMBER_ROLES) as MemberRole[]).filter((role) =>
        wanted.some((one) => (MEMBER_ROLES[role] as readonly Permission[]).includes(one)),
      );
      const said = wanted.length === 0 ? [] : [...(scopes.length > 0 ? scopes : ["—"]), ...roles];
      assert.deepEqual(shown.get(path), said, path);
    }
  });
});
