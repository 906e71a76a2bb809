// H25: what a key of a company can do, from where and until when; and that one which is taken back can do nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { application, dataOf } from "../applications.ts";
import { newPhone } from "../codes.ts";
import { countWaiting } from "../locks.ts";
import { reseller, resellerOf } from "../reselling.ts";
import { rows } from "../sending.ts";
import { callBy, companyOf, signIn } from "../signins.ts";
import { type Answered, type Company, type TestService, testService, until } from "../testservice.ts";

const KEY = "/v1/company/key";
const MEMBER = "/v1/company/member";
// A second failure of an address is forgiven after 20 s, so a slow machine does not change what is counted.
const PROXY = { config: { trustProxy: ["127.0.0.1"] }, limits: { authFailuresPerMinute: 3 } };
const from = (ip: string) => ({ "X-Forwarded-For": ip });

const campaign = () => ({ contacts: [newPhone()], text: "Bonjour" });
const keyOf = (company: Company, wish: object = {}) =>
  dataOf(company.call(`${KEY}/create`, { name: "Caisse", ...wish }));
const memberOf = (company: Company, role: string) =>
  dataOf(company.call(`${MEMBER}/create`, { name: "Yao", phone: newPhone(), role }));
const messageOf = ({ details }: Answered) => details![0]!.message;

/** Sends a request whose answer waits until `meanwhile` is done: the company is locked until then. */
async function duringLock(
  here: TestService,
  company: Company,
  ask: () => Promise<Answered>,
  meanwhile: string,
) {
  const { answer } = await here.app.database.transaction(async (tx) => {
    const lock = "SELECT FROM companies WHERE id = $1 FOR NO KEY UPDATE";
    await tx.run({ name: "test.lock", text: lock }, [company.companyId]);
    const answer = ask();
    await until(async () => (await countWaiting(here.app)) > 0);
    await tx.run({ name: `test.${meanwhile}`, text: meanwhile }, [company.companyId]);
    return { answer };
  });
  return answer;
}

test("H25: a key of a company can do what its scopes and its member may", async (t) => {
  const here = await testService(t);

  await t.test("a read key cannot send, a send key can, and both are told what is missing", async () => {
    const company = await here.company({ credits: 10 });
    const { apiKey: reading, ...shown } = await keyOf(company, { scopes: ["read", "read"] });
    assert.equal(reading.length, 32);
    assert.deepEqual([shown.scopes, shown.memberId], [["read"], company.userId]);
    const refused = await company.call("/v1/campaign/create", { ...campaign(), apiKey: reading });
    assert.equal(refused.error, "not-authorized");
    assert.equal(messageOf(refused), "cette clé n’a pas la portée send");
    assert.equal((await company.call("/v1/credit/balance", { apiKey: reading })).data, 10);
    const { apiKey: sending } = await keyOf(company, { scopes: ["send"] });
    const sent = await dataOf(company.call("/v1/campaign/create", { ...campaign(), apiKey: sending }));
    assert.equal((await company.call(`/v1/campaign/${sent.id}`, { apiKey: sending })).success, true);
    assert.equal((await company.call("/v1/contact/list", { apiKey: sending })).error, "not-authorized");
    const managing = await company.call(`${KEY}/create`, { name: "x", apiKey: sending });
    assert.match(messageOf(managing), /sans portées/);
    const { apiKey: all } = await keyOf(company);
    assert.equal((await company.call(`${KEY}/list`, { apiKey: all })).count, 3);
  });

  await t.test("a role is the bound of its keys, also after they were made", async () => {
    const company = await here.company({ credits: 10 });
    const approver = await memberOf(company, "approver");
    const { apiKey, id } = await keyOf(company, { memberId: approver.id, scopes: ["send"] });
    const both = async () => [
      (await company.call("/v1/campaign/create", { ...campaign(), apiKey })).error,
      (await company.call("/v1/campaign/create", { ...campaign(), apiKey: approver.apiKey })).error,
    ];
    assert.deepEqual(await both(), [null, null]);
    await dataOf(company.call(`${MEMBER}/${approver.id}/update`, { role: "editor" }));
    assert.deepEqual(await both(), ["not-authorized", "not-authorized"]);
    await dataOf(company.call(`${KEY}/${id}/update`, { scopes: null }));
    const refused = await company.call("/v1/campaign/create", { ...campaign(), apiKey });
    assert.equal(
      messageOf(refused),
      "le rôle editor ne permet pas cette opération ; elle exige le rôle approver ou owner",
    );
  });

  await t.test("a key that may not manage connects no application, whoever holds it", async () => {
    const company = await here.company();
    const app = await application(here);
    const asked = { externalAccountId: "client", target: "company", companyId: company.companyId };
    const provision = (companyApiKey: string) =>
      app.call("/v1/third-party-app/provision", { ...asked, companyApiKey });
    for (const { apiKey } of [
      await keyOf(company, { scopes: ["send"] }),
      await memberOf(company, "approver"),
    ]) {
      const refused = await provision(apiKey);
      assert.deepEqual([refused.error, refused.details![0]!.field], ["not-authorized", "companyApiKey"]);
    }
    assert.equal((await provision((await keyOf(company)).apiKey)).success, true);
  });

  await t.test(
    "one-time passwords: by an otp key of the company; as a user only by a first key",
    async () => {
      const company = await here.company({ credits: 10 });
      await dataOf(here.admin("/v1/admin/credit/grant", { userId: company.userId, credit: 10 }));
      const { apiKey } = await keyOf(company, { scopes: ["otp"] });
      const { companyId } = company;
      const get = (given: object) => here.call("/v1/auth/otp/get", { phoneNumber: newPhone(), ...given });
      assert.equal((await get({ apiKey, companyId })).success, true);
      const alone = await get({ apiKey });
      assert.deepEqual([alone.error, alone.details![0]!.field], ["not-authorized", "companyId"]);
      assert.equal((await get({ apiKey: company.apiKey })).success, true);
      const { apiKey: read } = await keyOf(company, { scopes: ["read"] });
      assert.equal((await get({ apiKey: read, companyId })).error, "not-authorized");
      const editor = await memberOf(company, "editor");
      for (const given of [{}, { companyId }])
        assert.equal((await get({ apiKey: editor.apiKey, ...given })).error, "not-authorized");
    },
  );

  await t.test("keys and members of another company are not there", async () => {
    const [mine, other] = [await here.company(), await here.company()];
    const { id, apiKey } = await keyOf(other);
    const member = await memberOf(other, "reader");
    assert.equal((await mine.call("/v1/company/usage", { apiKey })).error, "not-authenticated");
    for (const path of [`${KEY}/${id}/update`, `${KEY}/${id}/revoke`])
      assert.equal((await mine.call(path, { name: "x" })).error, "not-found");
    for (const path of [`${MEMBER}/${member.id}/update`, `${MEMBER}/${member.id}/remove`])
      assert.equal((await mine.call(path, { role: "owner" })).error, "not-found");
    assert.equal((await mine.call(`${KEY}/create`, { name: "x", memberId: member.id })).error, "not-found");
    assert.equal((await other.call("/v1/company/usage", { apiKey })).success, true);
  });

  await t.test("a key is of one company, also where its member acts for another", async () => {
    const [one, other] = [await here.company(), await here.company()];
    const { apiKey } = await keyOf(one);
    const join = "INSERT INTO memberships (company_id, user_id, role) VALUES ($1, $2, 'owner')";
    await rows(here.app, join, [other.companyId, one.userId]);
    assert.equal((await other.call("/v1/company/usage", { apiKey: one.apiKey })).success, true);
    assert.equal((await other.call("/v1/company/usage", { apiKey })).error, "not-authenticated");
  });
});

test("H25: a key works from its addresses and until its end, and else is that of a stranger", async (t) => {
  const here = await testService(t, PROXY);
  const company = await here.company();
  const usage = (apiKey: string, ip: string) => company.call("/v1/company/usage", { apiKey }, from(ip));
  const unauthenticated = await usage("wrong", "198.51.100.1");

  await t.test("another address gets what a stranger gets, and counts as a failure", async () => {
    const { apiKey, id, networks } = await keyOf(company, { networks: ["203.0.113.9/24", "2001:db8::/32"] });
    assert.deepEqual(networks, ["203.0.113.0/24", "2001:db8::/32"]);
    for (const ip of ["203.0.113.77", "2001:db8:1::5"]) assert.equal((await usage(apiKey, ip)).success, true);
    assert.deepEqual(await usage(apiKey, "198.51.100.2"), unauthenticated);
    const otp = { apiKey, phoneNumber: newPhone() };
    assert.equal((await here.call("/v1/auth/otp/get", otp, from("198.51.100.2"))).error, "not-authenticated");
    const errors = [];
    for (let i = 0; i < 5; i++) errors.push((await usage(apiKey, "198.51.100.3")).error);
    assert.deepEqual(errors.slice(0, 3), Array(3).fill("not-authenticated"));
    assert.equal(errors.at(-1), "too-many-requests");
    for (const [path, body] of [
      [`${KEY}/create`, { name: "Caisse", networks: [] }],
      [`${KEY}/create`, { name: "Caisse", scopes: [] }],
      [`${KEY}/${id}/update`, { networks: [] }],
      [`${KEY}/${id}/update`, { scopes: [] }],
    ] as const)
      assert.equal((await company.call(path, body)).error, "invalid-request", "everything or nothing?");
    await dataOf(company.call(`${KEY}/${id}/update`, { networks: null }));
    assert.equal((await usage(apiKey, "198.51.100.4")).success, true);
    const wrong = await company.call(`${KEY}/create`, { name: "x", networks: ["10.0.0.0/8", "Abidjan"] });
    assert.deepEqual([wrong.error, wrong.details![0]!.field], ["invalid-request", "networks[1]"]);
  });

  await t.test("an application elsewhere cannot use a key that is bound to addresses", async () => {
    const app = await application(here);
    const { apiKey: companyApiKey } = await keyOf(company, { networks: ["203.0.113.0/24"] });
    const asked = { externalAccountId: "client", target: "company", companyId: company.companyId };
    const provision = (ip: string) =>
      app.call("/v1/third-party-app/provision", { ...asked, companyApiKey }, from(ip));
    assert.equal((await provision("198.51.100.5")).error, "not-authenticated");
    assert.equal((await provision("203.0.113.5")).success, true);
  });

  await t.test("a key that has expired is dead, and can be given more time", async () => {
    const { apiKey, id } = await keyOf(company, { expiresAt: "2999-01-01T00:00:00Z" });
    assert.equal((await usage(apiKey, "198.51.100.6")).success, true);
    await rows(here.app, "UPDATE api_keys SET expires_at = now() WHERE id = $1", [id]);
    assert.deepEqual(await usage(apiKey, "198.51.100.6"), unauthenticated);
    const [listed] = await dataOf(company.call(`${KEY}/list`));
    assert.equal(listed.id, id, "it is listed until it is revoked");
    const past = await company.call(`${KEY}/${id}/update`, { expiresAt: "2020-01-01T00:00:00Z" });
    assert.deepEqual([past.error, past.details![0]!.field], ["invalid-request", "expiresAt"]);
    assert.equal((await dataOf(company.call(`${KEY}/${id}/update`, { expiresAt: "" }))).expiresAt, null);
    assert.equal((await usage(apiKey, "198.51.100.6")).success, true);
  });
});

test("H25: what is taken back is dead for the next request", async (t) => {
  const here = await testService(t);

  await t.test("a revoked key, and the keys of a removed member", async () => {
    const company = await here.company();
    const usage = (apiKey: string) => company.call("/v1/company/usage", { apiKey });
    const { id, apiKey } = await keyOf(company);
    await usage(apiKey);
    assert.equal((await dataOf(company.call(`${KEY}/${id}/revoke`))).name, "Caisse");
    assert.equal((await usage(apiKey)).error, "not-authenticated");
    assert.equal((await company.call(`${KEY}/${id}/revoke`)).error, "not-found");
    const yao = await memberOf(company, "owner");
    const another = await keyOf(company, { memberId: yao.id });
    await dataOf(company.call(`${MEMBER}/${yao.id}/remove`));
    for (const dead of [yao.apiKey, another.apiKey])
      assert.equal((await usage(dead)).error, "not-authenticated");
    const otp = await here.call("/v1/auth/otp/get", { apiKey: yao.apiKey, phoneNumber: newPhone() });
    assert.equal(otp.error, "not-authenticated");
    const [left] = await rows(here.app, "SELECT name, phone, email FROM users WHERE id = $1", [yao.id]);
    assert.deepEqual(left, { name: null, phone: null, email: null });
  });

  await t.test("the administrator's reset takes all keys back, if that is wished", async () => {
    const company = await here.company();
    const [yao, key] = [await memberOf(company, "owner"), await keyOf(company)];
    const path = `/v1/admin/company/${company.companyId}/key/reset`;
    const shop = await resellerOf(here, company);
    const customers = async () => (await shop.call("/v1/partner/customer/list")).error;
    const errors = async () =>
      Promise.all(
        [company.apiKey, yao.apiKey, key.apiKey].map(
          async (apiKey) => (await company.call("/v1/company/usage", { apiKey })).error,
        ),
      );
    await dataOf(here.admin(path));
    assert.deepEqual(await errors(), ["not-authenticated", null, null]);
    assert.equal(await customers(), null);
    const { apiKey, userId } = await dataOf(here.admin(path, { all: true }));
    assert.deepEqual(await errors(), ["not-authenticated", "not-authenticated", "not-authenticated"]);
    assert.equal(await customers(), "not-authenticated", "a thief may have made the server key");
    assert.equal(userId, company.userId);
    const again = { name: "Yao", memberId: yao.id, apiKey };
    const made = await dataOf(company.call(`${KEY}/create`, again));
    assert.equal((await company.call("/v1/company/usage", { apiKey: made.apiKey })).success, true);
  });

  await t.test("a thief's request that is under way when the key is taken back grants nothing", async () => {
    for (const [path, body] of [
      [`${KEY}/create`, { name: "Voleur" }],
      [`${MEMBER}/create`, { name: "Voleur", phone: newPhone(), role: "owner" }],
    ] as const) {
      const company = await here.company();
      const { apiKey } = await keyOf(company);
      const thief = () => company.call(path, { ...body, apiKey });
      const refused = await duringLock(here, company, thief, "DELETE FROM api_keys WHERE company_id = $1");
      assert.equal(refused.error, "not-authenticated");
    }
    const { company: shop } = await reseller(here);
    const serverKey = () => shop.call("/v1/partner/app/server-key");
    const cleared =
      "UPDATE users SET key_digest = 'none ' || id FROM memberships WHERE user_id = users.id AND company_id = $1";
    assert.equal((await duringLock(here, shop, serverKey, cleared)).error, "not-authenticated");
    const company = await here.company();
    const lowered = "UPDATE memberships SET role = 'reader' WHERE company_id = $1";
    const ask = () => company.call(`${KEY}/create`, { name: "Voleur" });
    assert.equal((await duringLock(here, company, ask, lowered)).error, "not-authorized");
  });

  await t.test("a thief's request by a session that ends while it is under way grants nothing", async () => {
    const ended = "UPDATE member_sessions SET ends_at = now() WHERE $1 <> ''";
    const shut = "UPDATE companies SET sessions_from = clock_timestamp() WHERE id = $1";
    for (const [path, body, meanwhile] of [
      [`${KEY}/create`, { name: "Voleur" }, ended],
      ["/v1/user/key/regenerate", {}, ended],
      [`${MEMBER}/create`, { name: "Voleur", phone: newPhone(), role: "owner" }, shut],
    ] as const) {
      const phone = newPhone();
      const company = await companyOf(here, phone);
      const { sessionKey } = await signIn(here, phone);
      const thief = callBy(here, sessionKey, company.companyId);
      const refused = await duringLock(here, company, () => thief(path, body), meanwhile);
      assert.equal(refused.error, "not-authenticated", path);
    }
  });

  await t.test("of two who have a key, one alone can replace it", async () => {
    const company = await here.company();
    for (const { apiKey } of [company, await keyOf(company)]) {
      const both = await Promise.all([1, 2].map(() => company.call("/v1/user/key/regenerate", { apiKey })));
      assert.deepEqual(both.map(({ error }) => error).sort(), ["not-authenticated", null].sort());
    }
  });
});

test("H25: a thief's approval of a pairing that is under way when the key is revoked connects nothing", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"] as const) } });
  const company = await here.company();
  const app = await application(here);
  const begun = app.call("/v1/third-party-app/pairing/initiate", { externalAccountId: "client" });
  const { pairingCode } = await dataOf(begun);
  const { apiKey } = await keyOf(company);
  const ask = () => company.call("/v1/third-party-app/pairing/confirm", { apiKey, pairingCode });
  const answer = await duringLock(here, company, ask, "DELETE FROM api_keys WHERE company_id = $1");
  assert.equal(answer.error, "not-authenticated");
  assert.equal((await rows(here.app, "SELECT FROM connections")).length, 0);
});
