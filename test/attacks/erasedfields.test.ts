// Own fields of a person go with the person, and those of a company with the company.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../applications.ts";
import { newPhone } from "../codes.ts";
import { ERASE, erased } from "../erasures.ts";
import { rows } from "../sending.ts";
import { testService, until } from "../testservice.ts";
import { traces } from "../twins.ts";

const VALUE = "quartier-sans-pareil";
const NAME = "quartier_prive";

test("H27: own fields leave the phone book, later campaigns and drafts with their person", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 10 });
  const [phone, neighbour] = [newPhone(), newPhone()];
  const contacts = [
    { phone, fields: { [NAME]: VALUE } },
    { phone: neighbour, fields: { [NAME]: "Plateau" } },
  ];
  const text = `Bonjour de @${NAME}`;
  await dataOf(company.call("/v1/contact/create", { contacts }));
  const later = { type: "RECURRING", recurring: { monday: "2027-01-04T09:00:00Z" } };
  await dataOf(company.call("/v1/campaign/create", { contacts, text, ...later }));
  const draft = await dataOf(company.call("/v1/campaign/draft/save", { contacts, text }));
  assert.ok((await traces(here, [VALUE])).length >= 3);
  await erased(company.call, ERASE, phone);
  assert.deepEqual(await traces(here, [VALUE]), []);
  const { contacts: left } = await dataOf(company.call(`/v1/campaign/draft/${draft.id}`));
  assert.deepEqual(left, [{ phone: neighbour, fields: { [NAME]: "Plateau" } }]);
});

test("H28: a closed company leaves no own field and no name of one", async (t) => {
  const here = await testService(t);
  const company = await here.company();
  await dataOf(company.call("/v1/contact/create", { phone: newPhone(), fields: { [NAME]: VALUE } }));
  assert.deepEqual(await dataOf(company.call("/v1/contact/field/list")), [{ name: NAME }]);
  await dataOf(company.call("/v1/company/close", { confirm: company.companyId }));
  await rows(here.app, "UPDATE closings SET empty_at = now() WHERE company_id = $1", [company.companyId]);
  const isEmptied = "SELECT FROM closings WHERE company_id = $1 AND emptied_at IS NOT NULL";
  await until(async () => (await rows(here.app, isEmptied, [company.companyId])).length > 0);
  assert.deepEqual(await traces(here, [VALUE, NAME]), []);
});
