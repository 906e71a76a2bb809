// What an administrator changes and takes back: a company's terms, its key, a reseller's server key, anybody's campaign.
import assert from "node:assert/strict";
import { test } from "node:test";
import { application, connected, dataOf, provision } from "../applications.ts";
import { reseller as makeReseller } from "../reselling.ts";
import { balanceOf, rows, settled } from "../sending.ts";
import { testService } from "../testservice.ts";

const TO = "2250701020304";
const QUARTER_MS = 15 * 60_000;

/** A time to which a campaign may be scheduled. */
function inAnHour(): string {
  return new Date(Math.ceil(Date.now() / QUARTER_MS) * QUARTER_MS + 3_600_000).toISOString();
}

test("an administrator takes back what a company has", async (t) => {
  const here = await testService(t);

  await t.test("H12: a company's key is reset: the stolen one is dead, the new one works", async () => {
    const { companyId, userId, call } = await here.company();
    const reset = await dataOf(here.admin(`/v1/admin/company/${companyId}/key/reset`));
    assert.deepEqual([reset.companyId, reset.userId], [companyId, userId]);
    assert.equal((await call("/v1/credit/balance")).error, "not-authenticated");
    assert.equal((await call("/v1/credit/balance", { apiKey: reset.apiKey })).success, true);
    assert.equal((await here.admin("/v1/admin/company/nobody/key/reset")).error, "not-found");
  });

  await t.test("H12: a suspended company can do nothing, and after its resume everything", async () => {
    const company = await here.company({ credits: 5 });
    const path = (move: string) => `/v1/admin/company/${company.companyId}/${move}`;
    await dataOf(here.admin(path("suspend"), { reason: "Plaintes" }));
    const again = await dataOf(here.admin(path("suspend"), { reason: "Hameçonnage" }));
    assert.equal(again.suspensionReason, "Hameçonnage");
    for (const body of [{}, { contacts: [TO], text: "Bonjour" }]) {
      const refused = await company.call("/v1/campaign/create", body);
      assert.equal(refused.error, "not-authorized");
      assert.match(refused.details![0]!.message, /suspendue/);
    }
    const [listed] = await dataOf(here.admin("/v1/admin/company/list", { limit: 1 }));
    assert.deepEqual([listed.id, listed.suspendedAt], [company.companyId, again.suspendedAt]);
    for (let i = 0; i < 2; i++) {
      const { suspendedAt, suspensionReason } = await dataOf(here.admin(path("resume")));
      assert.deepEqual([suspendedAt, suspensionReason], [null, null]);
    }
    assert.equal(await balanceOf(company), 5);
    for (const move of ["suspend", "resume"])
      assert.equal((await here.admin(`/v1/admin/company/nobody/${move}`)).error, "not-found");
  });

  await t.test(
    "H12: no credential of a suspended company is taken, and each counts in its rate",
    async () => {
      const reseller = await makeReseller(here, { credits: 100 });
      const { company } = reseller;
      const app = await application(here);
      const connection = await connected(here, app, company);
      const customer = await reseller.customer();
      await dataOf(here.admin(`/v1/admin/company/${company.companyId}/suspend`));
      const sms = { contacts: [{ phone: TO }], message: "Bonjour" };
      const refused = await Promise.all([
        company.call("/v1/company/usage"),
        here.call("/v1/auth/otp/get", { apiKey: company.apiKey, phoneNumber: TO, appName: "Boutique" }),
        reseller.call("/v1/partner/customer/list"),
        connection.call("/v1/third-party-app/sms/send", sms),
        connection.call("/v1/third-party-app/balance"),
        provision(app, company, "another"),
        app.call("/v1/third-party-app/provision", {
          externalAccountId: "one more",
          target: "partnerCustomer",
          partnerServerKey: reseller.serverApiKey,
          partnerCustomerId: customer,
        }),
      ]);
      assert.deepEqual(
        refused.map(({ error, details }) => `${error} ${details?.[0]?.field}`),
        [
          "apiKey",
          "apiKey",
          "serverApiKey",
          "connectionToken",
          "connectionToken",
          "companyApiKey",
          "partnerServerKey",
        ].map((field) => `not-authorized ${field}`),
      );
      const held = await rows(here.app, "SELECT account_id AS id FROM suspended_accounts WHERE cause = $1", [
        company.companyId,
      ]);
      assert.deepEqual(held.map(({ id }) => id).sort(), [company.companyId, company.userId, customer].sort());
      await dataOf(here.admin(`/v1/admin/company/${company.companyId}/resume`));
      assert.equal((await connection.call("/v1/third-party-app/sms/send", sms)).success, true);
      assert.equal((await rows(here.app, "SELECT FROM suspended_accounts")).length, 0);
    },
  );

  await t.test("H12: a company's terms and its owner are changed; what is not said stays", async () => {
    const { companyId } = await here.company();
    const update = (change: object) => here.admin(`/v1/admin/company/${companyId}/update`, change);
    const first = await dataOf(update({ name: "Pagnes Adjoa", ownerPhone: TO, ownerName: "Adjoa" }));
    assert.deepEqual(
      [first.name, first.ownerName, first.ownerPhone, first.country],
      ["Pagnes Adjoa", "Adjoa", TO, "CI"],
    );
    const second = await dataOf(update({ senderLimit: 9, ownerName: "", ownerPhone: "05 01 02 03 04" }));
    assert.deepEqual(
      [second.name, second.senderLimit, second.ownerName, second.ownerPhone],
      ["Pagnes Adjoa", 9, null, "2250501020304"],
    );
    assert.equal((await update({ ownerPhone: "abc" })).error, "invalid-phone-number");
    assert.equal((await update({ senderLimit: -1 })).error, "invalid-request");
    assert.equal((await here.admin("/v1/admin/company/nobody/update", { name: "X" })).error, "not-found");
  });

  await t.test(
    "H12: a reseller is disabled: its server key is dead, its customers keep their credits",
    async () => {
      const reseller = await makeReseller(here, { credits: 100 });
      const customer = await dataOf(reseller.call("/v1/partner/customer/create", { name: "Salon Fatou" }));
      await dataOf(reseller.call("/v1/partner/grant-credit", { customerId: customer.id, credit: 10 }));
      const { companyId } = reseller.company;
      assert.deepEqual(await dataOf(here.admin(`/v1/admin/partner/${companyId}/disable`)), {
        companyId,
        partner: false,
      });
      assert.equal((await reseller.call("/v1/partner/customer/list")).error, "not-authenticated");
      assert.equal((await reseller.company.call("/v1/partner/app/server-key")).error, "not-authorized");
      await dataOf(here.admin("/v1/admin/partner/enable", { companyId }));
      const { serverApiKey } = await dataOf(reseller.company.call("/v1/partner/app/server-key"));
      const [kept] = await dataOf(reseller.call("/v1/partner/customer/list", { serverApiKey }));
      assert.deepEqual([kept.id, kept.balance], [customer.id, 10]);
      assert.equal((await here.admin("/v1/admin/partner/nobody/disable")).error, "not-found");
    },
  );

  await t.test("H12: anybody's campaign is canceled", async () => {
    const company = await here.company({ credits: 5 });
    const times = { type: "SCHEDULED", scheduledDate: inAnHour() };
    const { id } = await dataOf(
      company.call("/v1/campaign/create", { contacts: [TO], text: "Bonjour", ...times }),
    );
    const path = `/v1/admin/campaign/${id}/cancel`;
    const other = await here.company();
    assert.equal((await here.admin(path, { companyId: other.companyId })).error, "campaign-not-found");
    const canceled = await dataOf(here.admin(path, { companyId: company.companyId }));
    assert.equal(canceled.status, "CANCELED");
    assert.deepEqual(canceled, await settled(company, id));
    assert.equal((await here.admin(path, { companyId: company.companyId })).error, "campaign-not-cancelable");
  });
});

test("H12: a suspended company has its rate of requests, and keeps nobody else from theirs", async (t) => {
  const here = await testService(t, { limits: { requestsPerSecond: 0.01, requestBurst: 5 } });
  const [bad, good] = [await here.company(), await here.company()];
  await dataOf(here.admin(`/v1/admin/company/${bad.companyId}/suspend`));
  const errors = [];
  for (let i = 0; i < 7; i++) errors.push((await bad.call("/v1/company/usage")).error);
  assert.deepEqual(errors.slice(4), ["not-authorized", "too-many-requests", "too-many-requests"]);
  assert.equal((await good.call("/v1/company/usage")).success, true);
});
