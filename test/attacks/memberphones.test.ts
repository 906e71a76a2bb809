// Phones of members, which a tenant or a thief chooses: they open nothing that lasts, and cost the service little.
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedSender, dataOf } from "../applications.ts";
import { newPhone } from "../codes.ts";
import { type TestService, testService } from "../testservice.ts";
import { formsOf, ownedCompany, Visitor, waitingPairing } from "../visitor.ts";

const PROXY = { config: { trustProxy: ["127.0.0.1"] }, settings: { signInAnswerMs: 0 } };

/** Asks for a code to a phone from an address, and returns the status of the page. */
async function ask(here: TestService, link: string, phone: string, ip: string): Promise<number> {
  const visitor = new Visitor(here, { "X-Forwarded-For": ip });
  return (await visitor.send(await visitor.open(link), "/pair/phone", { phone: `+${phone}` })).status;
}

test("a member that a thief made with his own phone approves nothing after all keys are reset", async (t) => {
  const here = await testService(t, { settings: PROXY.settings });
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
  const here = await testService(t, PROXY);
  const { link } = await waitingPairing(here);
  const company = await ownedCompany(here, newPhone());
  const most = here.app.config.limits.signInsPerTenMinutesOfNetwork;
  const member = { name: "Complice", phone: newPhone(), role: "reader" };
  const { id } = await dataOf(company.call("/v1/company/member/create", member));
  let given = 0;
  for (let isGiven = true; isGiven && given < 2 * most; ) {
    const phone = newPhone();
    await dataOf(company.call(`/v1/company/member/${id}/update`, { phone }));
    isGiven = (await ask(here, link, phone, `2001:db8:5:${given.toString(16)}::1`)) === 200;
    if (isGiven) given++;
  }
  // A slow machine gets some more while it asks; twice as many would take it ten minutes.
  assert.ok(given >= most && given < 2 * most, `${given} codes`);
  assert.equal(await ask(here, link, newPhone(), "2001:db8:6::1"), 200, "another network has its own");
});
