// Roles and scopes: every door of a company is tried by a key of each role and of each scope.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { routes } from "../../src/api/api.ts";
import { MEMBER_ROLES, type MemberRole, type Permission } from "../../src/identity/accounts/permissions.ts";
import { dataOf } from "../applications.ts";
import { newPhone } from "../codes.ts";
import { addressed, parametersOf } from "../doors.ts";
import { OPEN } from "../estates.ts";
import { opens } from "../permissions.ts";
import { wholeReference } from "../reference.ts";
import { resellerOf } from "../reselling.ts";
import { type Company, type World, world } from "../world.ts";

const SCOPES = ["read", "contacts", "send", "otp"] as const;
const ALL = MEMBER_ROLES.owner;

/** A key, with what may be done by it. */
type Key = { name: string; apiKey: string; may: readonly Permission[] };

suite("every door of a company", () => {
  const closing: (() => Promise<void>)[] = [];
  let company: Company;
  let keys: Key[];
  let page: string;

  before(async () => {
    const w: World = await world({ after: (close) => closing.push(close) }, OPEN);
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

  test("every line of the table belongs to a door", () => {
    const paths = new Set(ofCompanies.map(({ path }) => path));
    assert.deepEqual(
      Object.keys(opens).filter((path) => !paths.has(path)),
      [],
    );
  });

  for (const route of ofCompanies) {
    const { path } = route;

    test(`H25: ${path} opens to the keys of its line alone`, async () => {
      const wanted = opens[path] ?? assert.fail(`test/permissions.ts has no line for ${path}`);
      assert.deepEqual(route.permissions, wanted);
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
        if (answer.success && path === "/v1/user/key/regenerate") key.apiKey = answer.data.apiKey;
      }
    });
  }

  test("the reference says of every door which scopes and roles open it", () => {
    const articles = new Map(
      [...page.matchAll(/<article id="[^"]+"[^>]*>[\s\S]*?<\/article>/g)].map(([text]) => [
        /<p class="address"><span>POST<\/span> <code>([^<]+)<\/code>/.exec(text)?.[1],
        [...text.matchAll(/<dt>(?:Portée|Rôle)<\/dt><dd>([\s\S]*?)<\/dd>/g)].flatMap(
          ([, said]) => said!.match(/(?<=<code>)[^<]+/g) ?? ["—"],
        ),
      ]),
    );
    for (const [path, wanted] of Object.entries(opens)) {
      const scopes = wanted.filter((one) => one !== "manage");
      const roles = (Object.keys(MEMBER_ROLES) as MemberRole[]).filter((role) =>
        wanted.some((one) => (MEMBER_ROLES[role] as readonly Permission[]).includes(one)),
      );
      const said = wanted.length === 0 ? [] : [...(scopes.length > 0 ? scopes : ["—"]), ...roles];
      assert.deepEqual(articles.get(path), said, path);
    }
  });
});
