// What a young installation's statistics say about the phone book does not slow it down.
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { atLength } from "../../../test/length.ts";
import { testService } from "../../../test/testservice.ts";

const LIST = 10_000;
const LISTS = atLength({ short: [0], night: [0, 1] });
const phonesOf = (list: number) =>
  Array.from({ length: LIST }, (_, i) => String(2_250_710_000_099 + (list * LIST + i) * 100));

test("after ANALYZE saw three contacts, 10,000 more are known, sent to, grouped and deleted at once", async (t) => {
  const w = await testService(t);
  for (const phone of ["2250700000011", "2250700000012", "2250700000013"]) {
    const company = await w.company();
    await company.call("/v1/contact/create", { contacts: [phone] });
    await company.call("/v1/optout/create", { phone });
  }
  const database = new pg.Client({ connectionString: w.ownerUrl });
  await database.connect();
  await database.query("ANALYZE");
  await database.end();

  const company = await w.company({ credits: 100_000 });
  const call = async (path: string, body: object) => {
    const answer = await company.call(path, body);
    assert.equal(answer.error, null, path);
    return answer.data;
  };
  for (const list of LISTS) {
    const contacts = await call("/v1/contact/create", { contacts: phonesOf(list) });
    await call("/v1/contact/create", { contacts: phonesOf(list) });
    const group = await call("/v1/group/create", { name: `Liste ${list}` });
    const contactIds = contacts.map((contact: { id: string }) => contact.id);
    await call(`/v1/group/${group.id}/contacts/add`, { contactIds });
    const sent = await call("/v1/campaign/create", { text: "Bonjour", contacts: phonesOf(list) });
    assert.equal(sent.contactCount, LIST);
    await call(`/v1/group/${group.id}/contacts/remove`, { contactIds });
    await call("/v1/contact/delete", { contactsIds: contactIds.slice(0, 5_000) });
  }
});
