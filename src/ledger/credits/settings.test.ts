// What a company sees and chooses of itself, and the balance below which its owner is told once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { rows } from "../../../test/sending.ts";
import { type Company, testService } from "../../../test/testservice.ts";
import { tellLowBalances } from "../../messaging/notices/notices.ts";

const { signal } = new AbortController();

test("a company's settings, and its low balance", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"]), smtpUrl: "smtp://127.0.0.1:1" } });
  const company = await here.company({ credits: 100 });
  const { companyId } = company;
  const update = (body: object) => company.call("/v1/company/update", body);
  const grant = (credit: number) => dataOf(here.admin("/v1/admin/credit/grant", { companyId, credit }));
  const owner = { ownerPhone: newPhone(), ownerEmail: "awa@boutique.example" };
  await dataOf(here.admin(`/v1/admin/company/${companyId}/update`, owner));

  await t.test("it is read by whoever may read, and changed by its owner", async () => {
    const read = await dataOf(company.call("/v1/company/read"));
    const { quotas, createdAt, ...rest } = read;
    assert.deepEqual(rest, {
      ...{ id: companyId, name: "Boutique Awa", country: "CI", language: "fr", timeZone: "Africa/Abidjan" },
      ...{ senderLimit: 3, partner: false, balance: 100, lowBalance: null },
    });
    assert.equal(quotas.drafts, 100);
    const changed = await dataOf(update({ name: "Boutique Yao", language: "en", lowBalance: 50 }));
    assert.deepEqual(changed, { ...read, name: "Boutique Yao", language: "en", lowBalance: 50 });
    assert.deepEqual(await dataOf(update({})), changed);
    assert.equal((await update({ lowBalance: 0 })).error, "invalid-request");
    // A member that only an administrator may set is ignored, and nothing else reaches the record of the company.
    const wanted = { country: "BJ", senderLimit: 9, quotas: { contacts: 9 }, ownerPhone: "2250700000009" };
    const before = await dataOf(here.admin(`/v1/admin/company/${companyId}`));
    const ignored = await update({ ...wanted, name: "Boutique Yao" });
    assert.equal(ignored.warnings!.length, Object.keys(wanted).length);
    assert.deepEqual(await dataOf(here.admin(`/v1/admin/company/${companyId}`)), before);
  });

  /** Mails and messages that are told, as several nodes look at once. */
  const told = async () => {
    await Promise.all([1, 2, 3].map(() => tellLowBalances(here.app, signal)));
    const [{ mails, messages }] = await rows(
      here.app,
      "SELECT (SELECT count(*) FROM mails) AS mails, (SELECT count(*) FROM holds WHERE pool_id = 'service') AS messages",
    );
    return [mails, messages];
  };
  const hourLater = () => rows(here.app, "UPDATE low_balances SET told_at = told_at - interval '1 hour'");

  await t.test("below the threshold its owner is told once, until it was above again", async () => {
    assert.deepEqual(await told(), [0, 0]);
    await grant(-60);
    assert.deepEqual(await told(), [1, 1]);
    await grant(-10);
    assert.deepEqual(await told(), [1, 1], "once");
    await grant(100);
    assert.deepEqual(await told(), [1, 1]);
    await grant(-100);
    assert.deepEqual(await told(), [1, 1], "once an hour at most, since the service pays");
    await hourLater();
    assert.deepEqual(await told(), [2, 2]);
    await hourLater();
    await dataOf(update({ lowBalance: 50 }));
    assert.deepEqual(await told(), [2, 2], "the same threshold");
    await dataOf(update({ lowBalance: 60 }));
    assert.deepEqual(await told(), [3, 3], "another one");
    assert.equal((await dataOf(update({ lowBalance: null }))).lowBalance, null);
    await hourLater();
    assert.deepEqual(await told(), [3, 3]);
  });

  await t.test("a company that never had credits is below, and a suspended one is not told", async () => {
    const poor: Company = await here.company();
    await dataOf(poor.call("/v1/company/update", { lowBalance: 1 }));
    await dataOf(here.admin(`/v1/admin/company/${poor.companyId}/suspend`, { reason: "Test" }));
    const before = await told();
    const marked = "SELECT told_at FROM low_balances WHERE company_id = $1";
    assert.deepEqual(await rows(here.app, marked, [poor.companyId]), [{ told_at: null }]);
    await dataOf(here.admin(`/v1/admin/company/${poor.companyId}/resume`));
    assert.deepEqual(await told(), before, "its owner has neither phone nor mail");
    assert.ok((await rows(here.app, marked, [poor.companyId]))[0].told_at);
  });
});
