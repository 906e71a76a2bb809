// A group's detail shows its contacts, the newest ones of a large group.
import assert from "node:assert/strict";
import { test } from "node:test";
import { testService } from "../../../test/testservice.ts";

const SHOWN = 1_000;

test("group/{id} carries its newest contacts as contact/list shows them, and how many there are", async (t) => {
  const w = await testService(t);
  const company = await w.company();
  const phones = Array.from({ length: SHOWN + 5 }, (_, i) => String(2_250_710_001_000 + i));
  const made = (await company.call("/v1/contact/create", { contacts: phones })).data;
  const contactIds = made.map((contact: { id: string }) => contact.id);
  const { data: group } = await company.call("/v1/group/create", { name: "Clients", contactIds });
  const { data } = await company.call(`/v1/group/${group.id}`);
  assert.equal(data.contactCount, SHOWN + 5);
  assert.deepEqual(
    data.contacts.map((contact: { id: string }) => contact.id),
    [...contactIds].sort().reverse().slice(0, SHOWN),
  );
  const { data: listed } = await company.call("/v1/contact/list", { limit: 100 });
  assert.deepEqual(data.contacts.slice(0, 100), listed);
  const { data: empty } = await company.call("/v1/group/create", { name: "Personne" });
  assert.deepEqual((await company.call(`/v1/group/${empty.id}`)).data, { ...empty, contacts: [] });
  const unauthenticated = await w.company();
  assert.equal((await unauthenticated.call(`/v1/group/${group.id}`)).error, "group-not-found");
});
