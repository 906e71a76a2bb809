// Who receives a campaign: how many the answers count, and what they say where nobody would.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { type Company, testService } from "../../../test/testservice.ts";

/** 10:00 UTC of the day after tomorrow. */
const later = () => `${new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)}T10:00:00Z`;

async function groupOf(company: Company, contacts: readonly string[]): Promise<string> {
  return (await dataOf(company.call("/v1/group/create", { name: "Clients", contacts }))).id;
}

test("the answer of creation counts recipients and groups as the campaign does later", async (t) => {
  const company = await (await testService(t)).company({ credits: 100 });
  const group = await groupOf(company, ["2250700010015", "2250700010016"]);
  const contacts = ["2250700010016", "2250700010017", "2250700010017"];
  for (const body of [
    { groupsIds: [group] },
    { groupsIds: [group], contacts },
    { contacts },
    { groupsIds: [group], type: "SCHEDULED", scheduledDate: later() },
    { groupsIds: [group], contacts, type: "RECURRING", recurring: { monday: later() } },
  ]) {
    const made = await dataOf(company.call("/v1/campaign/create", { text: "Bonjour", ...body }));
    const known = await dataOf(company.call(`/v1/campaign/${made.id}`));
    assert.deepEqual([made._count, made.contactCount], [known._count, known.contactCount]);
    assert.equal(made._count.contacts, made.contactCount);
  }
});

test("a campaign that would reach nobody is refused with the reason", async (t) => {
  const company = await (await testService(t)).company({ credits: 10 });
  const emptied = await groupOf(company, ["2250700010018"]);
  const { data } = await company.call("/v1/contact/list");
  await company.call("/v1/contact/delete", { contactsIds: [data[0].id] });
  for (const [body, field, message] of [
    [{ groupsIds: [emptied] }, "groupsIds", /le groupe ne contient aucun contact/],
    [
      { groupsIds: [emptied, await groupOf(company, [])] },
      "groupsIds",
      /les groupes ne contiennent aucun contact/,
    ],
    [{ contacts: [] }, "contacts", /n’indique aucun destinataire/],
  ] as const)
    for (const path of ["/v1/campaign/create", "/v1/campaign/quote"]) {
      const { error, details } = await company.call(path, { text: "x", ...body });
      assert.deepEqual([error, details?.[0]?.field], ["no-recipient", field]);
      assert.match(details![0]!.message, message);
    }
});
