// Attacks that went through: applications of suspended companies, a thief's own phone, codes at our cost, rows of strangers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedSender, application, connected, dataOf } from "../applications.ts";
import { newPhone } from "../codes.ts";
import { phones, rows } from "../sending.ts";
import { formsOf, ownedCompany, Visitor, waitingPairing } from "../visitor.ts";
import { type Answered, until, type World, world } from "../world.ts";

const PROXY = { config: { trustProxy: ["127.0.0.1"] }, settings: { signInAnswerMs: 0 } };

/** Asks for a code to a phone from an address, and returns the status of the page. */
async function ask(here: World, link: string, phone: string, ip: string): Promise<number> {
  const visitor = new Visitor(here, { "X-Forwarded-For": ip });
  return (await visitor.send(await visitor.open(link), "/pair/phone", { phone: `+${phone}` })).status;
}

test("the application of a suspended company neither sends for others nor pairs", async (t) => {
  const here = await world(t);
  const app = await application(here);
  const payer = await here.company({ credits: 100 });
  const { connectionToken } = await connected(here, app, payer, "BOUTIQUE");
  const send = () =>
    here.call("/v1/third-party-app/sms/send", {
      connectionToken,
      message: "Bonjour",
      contacts: [phones(1)[0]],
    });
  const pair = () => app.call("/v1/third-party-app/pairing/initiate", { externalAccountId: "client-2" });
  const owner = `/v1/admin/company/${app.owner.companyId}`;
  assert.equal((await send()).error, null);
  assert.equal((await send()).error, null, "by the quick way");
  await dataOf(here.admin(`${owner}/suspend`, { reason: "hameçonnage" }));
  assert.deepEqual([(await send()).error, (await pair()).error], ["app-not-active", "app-not-active"]);
  await dataOf(here.admin(`${owner}/resume`));
  assert.deepEqual([(await send()).error, (await pair()).error], [null, null]);
  await dataOf(app.owner.call("/v1/company/close", { confirm: app.owner.companyId }));
  assert.deepEqual([(await send()).error, (await pair()).error], ["app-not-active", "app-not-active"]);
});

test("a member that a thief made with his own phone approves nothing after all keys are reset", async (t) => {
  const here = await world(t, { settings: PROXY.settings });
  const { link, status } = await waitingPairing(here);
  const [phone, thief] = [newPhone(), newPhone()];
  const company = await ownedCompany(here, phone);
  await acceptedSender(here, company, "BOUTIQUE");
  const thiefs = { name: "Complice", phone: thief, role: "owner" };
  await dataOf(company.call("/v1/company/member/create", thiefs));
  const his = new Visitor(here);
  const review = await his.signIn(here, await his.open(link), thief);
  assert.ok(formsOf(review.text).some((form) => form.action === "/pair/answer"));
  const reset = { all: true };
  await dataOf(here.admin(`/v1/admin/company/${company.companyId}/key/reset`, reset));
  await his.send(review, "/pair/answer", { answer: "approve" });
  assert.equal(await status(), "PENDING", "his session from before ends too");
  const hers = new Visitor(here);
  await hers.send(await hers.signIn(here, await hers.open(link), phone), "/pair/answer", {
    answer: "approve",
  });
  assert.equal(await status(), "CONNECTED");
});

test("a network gets a bounded number of sign-in codes, whatever addresses and phones it names", async (t) => {
  const here = await world(t, PROXY);
  const { link } = await waitingPairing(here);
  const company = await ownedCompany(here, newPhone());
  const most = here.app.config.limits.signInsPerTenMinutesOfNetwork;
  const member = { name: "Complice", phone: newPhone(), role: "reader" };
  const { id } = await dataOf(company.call("/v1/company/member/create", member));
  const statuses: number[] = [];
  for (let i = 0; i < most + 10; i++) {
    const phone = newPhone();
    await dataOf(company.call(`/v1/company/member/${id}/update`, { phone }));
    statuses.push(await ask(here, link, phone, `2001:db8:5:${i.toString(16)}::1`));
  }
  assert.equal(statuses.filter((status) => status === 200).length, most);
  assert.equal(await ask(here, link, newPhone(), "2001:db8:6::1"), 200, "another network has its own");
});

test("strangers who begin anew write nothing", async (t) => {
  const here = await world(t);
  for (let i = 0; i < 3; i++) {
    const visitor = new Visitor(here);
    const { text } = await visitor.open("/pair?code=ABCDEFGHJK");
    const csrf = /name="csrf" value="([^"]*)"/.exec(text)![1]!;
    const { status } = await visitor.open("/pair/restart", {
      method: "POST",
      body: new URLSearchParams({ csrf }),
    });
    assert.equal(status, 200);
  }
  assert.deepEqual(await rows(here.app, "SELECT FROM ended_sessions"), []);
});

const WAITING =
  "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

test("a company that closes or opens itself at the moment of its suspension stays suspended", async (t) => {
  const here = await world(t);
  const suspend =
    "UPDATE companies SET suspended_at = coalesce(suspended_at, now()), suspension_reason = 'abus' WHERE id = $1";
  for (const door of ["close", "reopen"]) {
    const company = await here.company({ credits: 10 });
    const confirm = company.companyId;
    if (door === "reopen") await dataOf(company.call("/v1/company/close", { confirm }));
    const { answer } = await here.app.database.transaction(
      async (tx): Promise<{ answer: Promise<Answered> }> => {
        await tx.run({ name: "test.suspend", text: suspend }, [confirm]);
        const asked = company.call(`/v1/company/${door}`, { confirm });
        await until(async () => (await rows(here.app, WAITING)).length > 0);
        return { answer: asked };
      },
    );
    const { error, details } = await answer;
    assert.deepEqual([error, details?.[0]?.field], ["not-authorized", "apiKey"], door);
    assert.equal((await company.call("/v1/company/reopen")).error, "not-authorized");
    const kept = "SELECT suspension_reason AS reason FROM companies WHERE id = $1";
    assert.deepEqual(await rows(here.app, kept, [confirm]), [{ reason: "abus" }]);
    const closings = await rows(here.app, "SELECT FROM closings WHERE company_id = $1", [confirm]);
    assert.equal(closings.length, door === "reopen" ? 1 : 0);
  }
});
