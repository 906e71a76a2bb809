// Sends that are queued in steps: what happens to the group in between, and to the messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertBalanced, phones, stacked } from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { queueLargeSends } from "./runs.ts";

const MEMBERS = 10_000;
const DEAR = 100;
const CHEAP = 400;

/** Stops after this many steps. */
function after(steps: number): AbortSignal {
  let looks = 0;
  return Object.create(AbortSignal.prototype, { aborted: { get: () => looks++ >= steps } });
}

test("where four cheap people stand in for a dear one, all of them are reached before the last step", async (t) => {
  const here = await testService(stacked(t), { config: { roles: new Set(["api", "gateway"]) } });
  const company = await here.company({ credits: 100_000 });
  const contactsOf = async (list: string[]): Promise<string[]> =>
    (await company.call("/v1/contact/create", { contacts: list })).data.map(({ id }: { id: string }) => id);
  const { data: group } = await company.call("/v1/group/create", { name: "Clients" });
  const change = (move: string, contactIds: string[]) =>
    company.call(`/v1/group/${group.id}/contacts/${move}`, { contactIds });
  const all = phones(MEMBERS + CHEAP);
  await change("add", await contactsOf(all.slice(0, MEMBERS)));
  const dear = await contactsOf(phones(DEAR, "336"));
  await change("add", dear);
  const { data } = await company.call("/v1/campaign/create", { groupsIds: [group.id], text: "Bonjour" });
  assert.equal(data.contactCount, MEMBERS + DEAR);

  await change("remove", dear);
  await change("add", await contactsOf(all.slice(MEMBERS)));
  await queueLargeSends(here.app, after(2));
  const campaign = async () => (await company.call(`/v1/campaign/${data.id}`)).data;
  await until(async () => (await campaign()).stats.delivered === MEMBERS + CHEAP);
  await queueLargeSends(here.app);
  assert.equal((await campaign()).contactCount, MEMBERS + CHEAP);
  assert.equal((await company.call("/v1/credit/balance")).data, 100_000 - MEMBERS - CHEAP);
  await assertBalanced(here);
});
