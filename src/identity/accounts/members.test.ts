// Members and keys of a company: who they are, what is shown of them, and that a company always has an owner.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { rows } from "../../../test/sending.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";

const KEY = "/v1/company/key";
const MEMBER = "/v1/company/member";
const YAO = { name: "Yao Koffi", email: "yao@example.ci" };

const memberOf = (company: Company, role: string, phone = newPhone()) =>
  dataOf(company.call(`${MEMBER}/create`, { ...YAO, phone, role }));

test("members of a company", async (t) => {
  const here = await testService(t);

  await t.test("are made with a key, changed, listed, and removed", async () => {
    const company = await here.company();
    const phone = newPhone();
    const { apiKey, ...made } = await memberOf(company, "editor", `+${phone}`);
    assert.deepEqual({ ...YAO, phone, role: "editor" }, withoutId(made));
    assert.equal((await company.call("/v1/contact/create", { apiKey, phone: newPhone() })).success, true);
    const path = `${MEMBER}/${made.id}`;
    const changed = await dataOf(company.call(`${path}/update`, { role: "reader", email: "" }));
    assert.deepEqual(changed, { ...made, role: "reader", email: null });
    const listed = await company.call("/v1/company/member/list");
    assert.deepEqual(
      [listed.totalCount, listed.data[0].id, listed.data[0].role],
      [2, company.userId, "owner"],
    );
    assert.deepEqual(listed.data[1], changed);
    const newest = await company.call(`${MEMBER}/list`, { sort: "desc", limit: 1 });
    assert.deepEqual(newest.data, [changed]);
    assert.deepEqual(await dataOf(company.call(`${path}/remove`)), changed);
    assert.equal((await company.call(`${path}/remove`)).error, "not-found");
    assert.equal((await company.call(`${MEMBER}/list`)).totalCount, 1);
  });

  await t.test("need a phone of their own in the company; another company may have it too", async () => {
    const [one, other] = [await here.company(), await here.company()];
    const yao = await memberOf(one, "reader");
    const again = { ...YAO, phone: `+${yao.phone}`, role: "reader" };
    const refused = await one.call(`${MEMBER}/create`, again);
    assert.deepEqual([refused.error, refused.details![0]!.field], ["conflict", "phone"]);
    const there = await dataOf(other.call(`${MEMBER}/create`, again));
    assert.notEqual(there.id, yao.id);
    const adjoa = await memberOf(one, "reader");
    const taking = (phone: string) => one.call(`${MEMBER}/${adjoa.id}/update`, { phone });
    assert.equal((await taking(yao.phone)).error, "conflict");
    assert.equal((await taking(adjoa.phone)).success, true);
    assert.equal((await taking("12")).error, "invalid-phone-number");
    const nobody = await one.call(`${MEMBER}/create`, { ...again, phone: "abc" });
    assert.equal(nobody.error, "invalid-phone-number");
  });

  await t.test("the last owner stays, whoever asks", async () => {
    const company = await here.company();
    const alone = `${MEMBER}/${company.userId}`;
    const lower = () => company.call(`${alone}/update`, { role: "reader" });
    for (const refused of [await lower(), await company.call(`${alone}/remove`)]) {
      assert.equal(refused.error, "conflict");
      assert.match(refused.details![0]!.message, /dernier owner/);
    }
    const [yao, adjoa] = [await memberOf(company, "owner"), await memberOf(company, "owner")];
    const removals = [company.userId, yao.id, adjoa.id].map((id, i, all) => {
      const apiKey = [company.apiKey, yao.apiKey, adjoa.apiKey][(i + 1) % all.length];
      return company.call(`${MEMBER}/${id}/remove`, { apiKey });
    });
    await Promise.all(removals);
    const left = await rows(here.app, "SELECT role FROM memberships WHERE company_id = $1", [
      company.companyId,
    ]);
    assert.ok(left.length > 0 && left.every(({ role }) => role === "owner"));
  });

  await t.test(
    "the oldest owner that is left is the owner whom an administrator sees and resets",
    async () => {
      const company = await here.company();
      await memberOf(company, "approver");
      const yao = await memberOf(company, "owner");
      await dataOf(company.call(`${MEMBER}/${company.userId}/update`, { role: "reader" }));
      const [listed] = await dataOf(here.admin("/v1/admin/company/list", { limit: 1 }));
      assert.deepEqual([listed.id, listed.userId, listed.ownerPhone], [company.companyId, yao.id, yao.phone]);
      const reset = await dataOf(here.admin(`/v1/admin/company/${company.companyId}/key/reset`));
      assert.equal(reset.userId, yao.id);
    },
  );

  await t.test("an application whose submitter has left tells the owner", async () => {
    const company = await here.company();
    const yao = await memberOf(company, "owner");
    const owner = newPhone();
    await dataOf(here.admin(`/v1/admin/company/${company.companyId}/update`, { ownerPhone: owner }));
    const { id } = await submitted(company, yao.apiKey);
    await dataOf(company.call(`${MEMBER}/${yao.id}/remove`));
    await dataOf(here.admin(`/v1/admin/third-party-app/${id}/reject`, { rejectionReason: "Une banque" }));
    await until(() => here.simulator.inbox({ phone: owner }).length === 1);
  });

  await t.test("a user who acts for two companies is changed by neither", async () => {
    const [one, other] = [await here.company(), await here.company()];
    const join = "INSERT INTO memberships (company_id, user_id, role) VALUES ($1, $2, 'reader')";
    await rows(here.app, join, [one.companyId, other.userId]);
    const change = (change: object) => one.call(`${MEMBER}/${other.userId}/update`, change);
    const refused = await change({ phone: newPhone() });
    assert.deepEqual([refused.error, refused.details![0]!.field], ["conflict", "id"]);
    assert.equal((await change({ role: "editor" })).success, true);
    const { apiKey } = other;
    assert.equal((await one.call("/v1/contact/create", { apiKey, phone: newPhone() })).success, true);
    await dataOf(one.call(`${MEMBER}/${other.userId}/remove`));
    assert.equal((await one.call("/v1/company/usage", { apiKey })).error, "not-authenticated");
    assert.equal((await other.call("/v1/company/usage")).success, true);
  });
});

test("keys of a company", async (t) => {
  const here = await testService(t);
  const company = await here.company();
  const made = async (wish: object = {}) =>
    dataOf(company.call(`${KEY}/create`, { name: "Caisse", ...wish }));
  const listed = async () => dataOf(company.call(`${KEY}/list`));

  await t.test("are shown with their limits, and their value never again", async () => {
    const { apiKey, ...key } = await made({ scopes: ["send"], expiresAt: "2999-01-01T01:00:00+01:00" });
    const { id, createdAt, ...rest } = key;
    assert.deepEqual(rest, {
      ...{ name: "Caisse", memberId: company.userId, scopes: ["send"], networks: [] },
      ...{ expiresAt: "2999-01-01T00:00:00.000Z", lastUsedAt: null },
    });
    assert.deepEqual(await listed(), [key]);
    const stored = await rows(here.app, "SELECT api_keys::text AS row FROM api_keys");
    assert.ok(stored.every(({ row }) => !row.includes(apiKey)));
    const changed = await dataOf(company.call(`${KEY}/${id}/update`, { name: "Boutique" }));
    assert.deepEqual(changed, { ...key, name: "Boutique" });
    for (const wrong of [{ scopes: [] }, { scopes: ["manage"] }, { expiresAt: "demain" }, { name: 1 }])
      assert.equal((await company.call(`${KEY}/${id}/update`, wrong)).error, "invalid-request");
    assert.deepEqual((await listed())[0], changed);
  });

  await t.test("show when they were used last, which is written once a minute", async () => {
    const { apiKey, id } = await made();
    const use = () => dataOf(company.call("/v1/company/usage", { apiKey }));
    await use();
    const { lastUsedAt } = await until(async () =>
      (await listed()).find((one: { id: string; lastUsedAt: unknown }) => one.id === id && one.lastUsedAt),
    );
    assert.match(lastUsedAt, /^\d{4}-/);
    await rows(here.app, "UPDATE api_keys SET last_used_at = NULL WHERE id = $1", [id]);
    for (let i = 0; i < 5; i++) await use();
    // Another key is noted after these, so theirs would be there by now.
    const other = await made();
    await dataOf(company.call("/v1/company/usage", { apiKey: other.apiKey }));
    await until(async () => (await listed())[0].lastUsedAt);
    assert.equal((await listed())[1].lastUsedAt, null);
  });

  await t.test("regenerating one gives it a new value, and leaves the first key alone", async () => {
    const { apiKey, ...key } = await made({ scopes: ["read"] });
    const fresh = await dataOf(company.call("/v1/user/key/regenerate", { apiKey }));
    const usage = (apiKey: string) => company.call("/v1/company/usage", { apiKey });
    assert.equal((await usage(apiKey)).error, "not-authenticated");
    assert.equal((await usage(fresh.apiKey)).success, true);
    assert.equal((await usage(company.apiKey)).success, true);
    const sent = await company.call("/v1/campaign/create", { apiKey: fresh.apiKey, contacts: [], text: "x" });
    assert.equal(sent.error, "not-authorized");
    assert.deepEqual((await listed())[0].id, key.id);
  });
});

const withoutId = ({ id: _, createdAt: __, ...member }: Record<string, unknown>) => member;

/** Submits an application by this key. */
async function submitted(company: Company, apiKey: string): Promise<{ id: string }> {
  const slug = `x${newPhone()}`;
  const body = { name: "Boutique", slug, description: "Vend des pagnes", apiKey };
  return dataOf(company.call("/v1/third-party-app/submit", body));
}
