// Closing: a company sends nothing more at once, can be read and opened again for 30 days, and is empty after that.
import assert from "node:assert/strict";
import { test } from "node:test";
import { application, connected, dataOf, testServiceWithWebhooks } from "../applications.ts";
import { newPhone } from "../codes.ts";
import { askDuring } from "../locks.ts";
import { startReceiver } from "../receiver.ts";
import { resellerOf } from "../reselling.ts";
import { assertBalanced, balanceOf, rows, send, settled } from "../sending.ts";
import { type Answered, type Company, type TestService, testService, until } from "../testservice.ts";
import { traces } from "../twins.ts";

const close = (company: Company, confirm = company.companyId) =>
  company.call("/v1/company/close", { confirm });
const closed = (company: Company) => dataOf(close(company));

/** Lets the time of a closed company be over, and waits until it is empty. */
async function emptied(here: TestService, company: Company): Promise<void> {
  await rows(here.app, "UPDATE closings SET empty_at = now() WHERE company_id = $1", [company.companyId]);
  await until(
    async () =>
      (
        await rows(here.app, "SELECT FROM closings WHERE company_id = $1 AND emptied_at IS NOT NULL", [
          company.companyId,
        ])
      ).length > 0,
  );
}

test("H28: a closed company reads and opens again, and does nothing else", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 10 });
  const phone = newPhone();
  await settled(company, await send(company, phone));
  for (const confirm of ["x", here.adminKey]) assert.equal((await close(company, confirm)).error, "conflict");
  assert.equal((await dataOf(company.call("/v1/company/reopen"))).status, "OPEN", "it is open");
  const { status, emptyAt } = await closed(company);
  assert.equal(status, "CLOSED");
  assert.deepEqual((await closed(company)).emptyAt, emptyAt, "a repeat does not put it off");
  const listed = async () =>
    (await dataOf(here.admin("/v1/admin/company/list", { limit: 100 }))).find(
      ({ id }: { id: string }) => id === company.companyId,
    );
  const { closedAt, suspensionReason } = await listed();
  assert.ok(closedAt);
  assert.equal(suspensionReason, "CLOSED");
  for (const path of ["/v1/contact/list", "/v1/campaign/list", "/v1/credit/balance", "/v1/credit/statement"])
    assert.equal((await company.call(path)).error, null, path);
  for (const [path, body] of [
    ["/v1/campaign/create", { contacts: [phone], text: "Bonjour" }],
    ["/v1/contact/create", { contacts: [phone] }],
    ["/v1/auth/otp/get", { phoneNumber: phone }],
    ["/v1/user/key/regenerate", {}],
  ] as const)
    assert.equal((await company.call(path, body)).error, "not-authorized", path);

  // What an administrator suspends meanwhile is not opened by its owner, and stays closed when that ends.
  await dataOf(here.admin(`/v1/admin/company/${company.companyId}/suspend`, { reason: "Hameçonnage" }));
  assert.equal((await company.call("/v1/company/reopen")).error, "not-authorized");
  await dataOf(here.admin(`/v1/admin/company/${company.companyId}/resume`));
  assert.equal((await company.call("/v1/contact/create", { contacts: [phone] })).error, "not-authorized");

  assert.equal((await dataOf(company.call("/v1/company/reopen"))).status, "OPEN");
  assert.equal((await listed()).suspendedAt, null);
  await settled(company, await send(company, phone));
});

/** Asks while an administrator suspends the company. */
function whileSuspended(here: TestService, company: Company, path: string, body = {}): Promise<Answered> {
  const text = "UPDATE companies SET suspended_at = now(), suspension_reason = 'Hameçonnage' WHERE id = $1";
  return askDuring(here, { text, values: [company.companyId] }, () => company.call(path, body));
}

test("H28: a company that is suspended while it closes or opens again stays suspended", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"] as const) } });
  const phone = newPhone();
  const [closing, opening, making] = [await here.company(), await here.company(), await here.company()];
  await closed(opening);
  const confirm = closing.companyId;
  for (const answer of [
    await whileSuspended(here, closing, "/v1/company/close", { confirm }),
    await whileSuspended(here, opening, "/v1/company/reopen"),
    await whileSuspended(here, making, "/v1/company/member/create", { name: "Yao", phone, role: "owner" }),
  ])
    assert.equal(answer.error, "not-authorized");
  assert.equal((await closing.call("/v1/company/reopen")).error, "not-authorized");
  for (const company of [closing, opening, making])
    assert.equal((await company.call("/v1/contact/create", { contacts: [phone] })).error, "not-authorized");
});

test("H28: once its time is over, a company is not opened again", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"] as const) } });
  const company = await here.company();
  await closed(company);
  await rows(here.app, "UPDATE closings SET empty_at = now()");
  assert.equal((await company.call("/v1/company/reopen")).error, "conflict");
});

test("H28: after its time a company is empty, its keys are dead, and the ledger keeps its sums", async (t) => {
  const here = await testServiceWithWebhooks(t);
  const receiver = await startReceiver(t);
  const [company, other] = [await here.company({ credits: 100 }), await here.company({ credits: 10 })];
  const owner = { ownerName: "Awa Koné", ownerEmail: "awa@boutique.ci", ownerPhone: "2250102039999" };
  await dataOf(here.admin(`/v1/admin/company/${company.companyId}/update`, owner));
  const app = await application(here, { webhookUrl: receiver.url });
  const connection = await connected(here, app, company);
  const shop = await resellerOf(here, company);
  const customer = await shop.customer("Salon Fatou");
  const [phone, stopped] = [newPhone(), newPhone()];
  const secret = "Rendez-vous secret";
  await dataOf(company.call("/v1/group/create", { name: "Clients", contacts: [{ phone, name: "Yao" }] }));
  await dataOf(company.call("/v1/optout/create", { phone: stopped }));
  const id = await send(company, phone, secret);
  await dataOf(
    company.call("/v1/campaign/create", {
      ...{ contacts: [phone], text: secret, type: "RECURRING" },
      recurring: { monday: "2027-01-04T09:00:00Z" },
    }),
  );
  await settled(company, id);
  const theirs = await send(other, phone);
  await settled(other, theirs);
  const balance = await balanceOf(company);
  const { apiKey: another } = await dataOf(company.call("/v1/company/key/create", { name: "Caisse" }));
  await closed(company);
  assert.equal((await connection.call("/v1/third-party-app/balance")).error, "not-authorized");
  await emptied(here, company);

  for (const text of [
    phone,
    stopped,
    secret,
    "Awa Koné",
    "awa@boutique.ci",
    "2250102039999",
    "Yao",
    "Salon Fatou",
  ]) {
    // The audit log keeps the names of those who acted until its months are over, and nothing else of anybody.
    const left = (await traces(here, [text]))
      .filter((row) => !row.includes(other.companyId))
      .filter((row) => text !== owner.ownerName || !row.startsWith("audit_log"));
    assert.deepEqual(left, [], text);
  }
  const left = async (table: string) =>
    (await rows(here.app, `SELECT FROM ${table} WHERE company_id = $1`, [company.companyId])).length;
  for (const table of ["contacts", "groups", "group_members", "campaign_contacts", "optouts", "senders"])
    assert.equal(await left(table), 0, table);
  assert.equal(await left("erased_optouts"), 1);
  assert.equal(await left("campaigns"), 2);
  for (const apiKey of [company.apiKey, another])
    assert.equal((await company.call("/v1/contact/list", { apiKey })).error, "not-authenticated");
  assert.equal((await connection.call("/v1/third-party-app/balance")).error, "connection-revoked");
  assert.equal((await shop.call("/v1/partner/customer/list")).error, "not-authenticated");
  const [pool] = await rows(here.app, "SELECT available FROM pools WHERE id = $1", [company.companyId]);
  assert.equal(pool.available, balance);
  const [sum] = await rows(here.app, "SELECT sent FROM sends WHERE id = $1", [id]);
  assert.ok(sum === undefined || sum.sent === 1);
  await assertBalanced(here);
  assert.equal((await dataOf(other.call(`/v1/campaign/${theirs}/messages`)))[0].phone, phone);
  assert.ok(customer);
});

test("H28: no key of an emptied company opens it, and who may open another one again keeps the key for it", async (t) => {
  const here = await testService(t);
  const [company, other] = [await here.company(), await here.company()];
  const [{ user_id: userId }] = await rows(
    here.app,
    "SELECT user_id FROM memberships WHERE company_id = $1",
    [other.companyId],
  );
  await rows(here.app, "INSERT INTO memberships (company_id, user_id, role) VALUES ($1, $2, 'owner')", [
    company.companyId,
    userId,
  ]);
  const { apiKey } = await dataOf(company.call("/v1/company/key/create", { name: "Caisse" }));
  const byKey = () => company.call("/v1/contact/list", { apiKey });
  await closed(company);
  await closed(other);
  assert.equal((await byKey()).error, null);
  await emptied(here, company);
  assert.equal((await byKey()).error, "not-authenticated");
  assert.equal((await dataOf(other.call("/v1/company/reopen"))).status, "OPEN");
});

test("H28: a company that is being emptied is not opened again after a step that failed", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"] as const) } });
  const company = await here.company();
  await closed(company);
  await rows(
    here.app,
    "UPDATE closings SET step = 'contacts', empty_at = now() + interval '1 minute' WHERE company_id = $1",
    [company.companyId],
  );
  assert.equal((await company.call("/v1/company/reopen")).error, "conflict");
});
