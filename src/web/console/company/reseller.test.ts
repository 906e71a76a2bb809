// Tests of reselling in the console: a form that is sent twice has its effect once, and pages say what is true.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newPhone } from "../../../../test/codes.ts";
import { resellerOf } from "../../../../test/reselling.ts";
import { testService } from "../../../../test/testservice.ts";
import { ownedCompany, type Shown, Visitor } from "../../../../test/visitor.ts";

test("the page of a customer", async (t) => {
  const here = await testService(t);
  const phone = newPhone();
  const company = await ownedCompany(here, phone, { credits: 1_000 });
  const shop = await resellerOf(here, company);
  const customerId = await shop.customer();
  await shop.offer();
  const owner = new Visitor(here);
  await owner.signInToConsole(here, phone);
  const url = `/reseller/customers/${customerId}`;

  await t.test("makes one purchase of a form that is sent twice, and another of another page", async () => {
    const page = await owner.open(url);
    const buy = (from: Shown) => owner.send(from, `${url}/purchase`);
    const made = await buy(page);
    assert.match(new URL(made.url).pathname, /^\/reseller\/purchases\/\w{24}$/);
    assert.equal((await buy(page)).url, made.url);
    assert.notEqual((await buy(await owner.open(url))).url, made.url);
  });

  await t.test("tells amounts from the statement, and none that a link names", async () => {
    const forged = await owner.open(`${url}?sold=500000`);
    assert.doesNotMatch(forged.text, /500\s000|Vente enregistrée/);
    const sold = await owner.send(forged, `${url}/sell`, { credit: "300" });
    assert.match(sold.text, /Vente enregistrée/);
    assert.doesNotMatch(new URL(sold.url).search, /300/);
    assert.match(sold.text, /<td[^>]*>\D*300\D*<\/td>/);
  });
});
