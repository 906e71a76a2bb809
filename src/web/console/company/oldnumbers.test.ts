// Tests of old numbers in the console: those of 8 digits, which no phone has any more, are told of once and mended at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../../test/applications.ts";
import { newPhone } from "../../../../test/codes.ts";
import { testService } from "../../../../test/testservice.ts";
import { ownedCompany, Visitor } from "../../../../test/visitor.ts";

const lines = (count: number) => Array.from({ length: count }, (_, i) => `07 08 09 ${10 + i} ; Awa ${i}`);

test("old numbers of 8 digits are told of in one notice, stay for who goes on, and become new by one button", async (t) => {
  const here = await testService(t);
  const phone = newPhone();
  const { call } = await ownedCompany(here, phone, { credits: 1_000 });
  const owner = new Visitor(here);
  await owner.signInToConsole(here, phone);

  const numbers = [...lines(60), "97000001", "10 00 00 00", "+2250700000001"].join("\n");
  const told = await owner.send(await owner.open("/campaigns/new"), "/campaigns/new", { numbers });
  assert.match(told.text, /62 numéros ressemblent à d’anciens numéros à 8 chiffres/);
  assert.match(told.text, /07 08 09 10 → \+225.07.07.08.09.10/);
  assert.match(told.text, /62 \(10 00 00 00\)/);
  assert.equal(told.text.match(/class="notice/g)?.length, 1);

  const url = new URL(told.url).pathname;
  const kept = await owner.send(told, url);
  assert.match(new URL(kept.url).pathname, /\/message$/);
  const when = await owner.send(kept, new URL(kept.url).pathname, { text: "Bonjour" });
  const checked = await owner.send(when, new URL(when.url).pathname);
  assert.match(new URL(checked.url).pathname, /\/check$/);
  assert.equal(checked.text.match(/anciens numéros/g)?.length, 1);
  assert.doesNotMatch(checked.text, /envoyé à l’ancien|avertissements/);

  const converted = await owner.send(await owner.open(url), url, { convert: "yes" });
  assert.equal(new URL(converted.url).pathname, url);
  assert.match(converted.text, /1 numéro ressemble/);
  const [, id] = /drafts\/(\w+)\//.exec(url)!;
  const { contacts } = await dataOf(call(`/v1/campaign/draft/${id}`));
  assert.deepEqual(contacts[0], { phone: "+2250707080910", name: "Awa 0" });
  assert.deepEqual(
    contacts.slice(60).map((contact: { phone: string }) => contact.phone),
    ["+2250797000001", "10 00 00 00", "+2250700000001"],
  );
});

test("a search by an old number finds the new one where that is certain, and asks for the country where it is not", async (t) => {
  const here = await testService(t);
  const phone = newPhone();
  await ownedCompany(here, phone);
  const owner = new Visitor(here);
  await owner.signInToConsole(here, phone);
  const find = (typed: string) => owner.open(`/numbers?${new URLSearchParams({ phone: typed })}`);
  for (const [typed, now] of [
    ["07 08 09 10", "2250707080910"],
    ["+229 97 00 00 05", "2290197000005"],
  ] as const) {
    const found = await find(typed);
    assert.equal(new URL(found.url).pathname, `/numbers/${now}`);
    assert.match(found.text, /est un ancien numéro/);
  }
  const asked = await find("97000005");
  assert.match(asked.text, /indicatif du pays, \+225.07.97.00.00.05 ou \+229.01.97.00.00.05/);
  assert.match((await find("+33 6 12 34 56 78")).text, /<h1>\+33.6.12.34.56.78</);
  assert.equal(new URL((await find("0708091011")).url).pathname, "/numbers/2250708091011");
});
