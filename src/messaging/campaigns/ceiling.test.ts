// A ceiling for the price of a send: what was shown to whoever sends is not exceeded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { balanceOf } from "../../../test/sending.ts";
import { type Company, testService } from "../../../test/testservice.ts";

const CREATE = "/v1/campaign/create";
const TOMORROW = new Date(Math.ceil(Date.now() / 3_600_000 + 24) * 3_600_000).toISOString();

test("creditAtMost", async (t) => {
  const here = await testService(t);
  const nothingWent = async (company: Company, credits: number) => {
    assert.equal(await balanceOf(company), credits);
    assert.equal((await company.call("/v1/campaign/list")).totalCount, 0);
  };

  await t.test("a send whose whole price is above it leaves nothing behind, and its draft", async () => {
    const company = await here.company({ credits: 10 });
    const contacts = [newPhone(), newPhone()];
    const { id: groupId } = await dataOf(company.call("/v1/group/create", { name: "Clients" }));
    const { id: draftId } = await dataOf(company.call("/v1/campaign/draft/save", { text: "Bonjour" }));
    await dataOf(company.call(`/v1/group/${groupId}/contacts/add`, { contacts: [newPhone()] }));
    const send = { contacts, groupsIds: [groupId], text: "Bonjour", draftId, idempotencyKey: draftId };
    const refused = await company.call(CREATE, { ...send, creditAtMost: 2 });
    assert.deepEqual(
      [refused.error, refused.details],
      [
        "conflict",
        [{ field: "creditAtMost", message: "le prix total est de 3 crédits, au-dessus du plafond de 2" }],
      ],
    );
    await nothingWent(company, 10);
    assert.equal((await company.call(`/v1/campaign/draft/${draftId}`)).error, null);
    const sent = await dataOf(company.call(CREATE, { ...send, creditAtMost: 3 }));
    assert.deepEqual(await dataOf(company.call(CREATE, { ...send, creditAtMost: 3 })), sent);
    assert.equal((await company.call(CREATE, { ...send, creditAtMost: 4 })).error, "idempotency-key-reused");
    assert.equal(await balanceOf(company), 7);
  });

  await t.test("who has opted out does not count, among sends that come together too", async () => {
    const company = await here.company({ credits: 10 });
    const [out, reached] = [newPhone(), newPhone()];
    await dataOf(company.call("/v1/optout/create", { phone: out }));
    const send = (creditAtMost: number) =>
      company.call(CREATE, { contacts: [out, reached], text: "Bonjour", creditAtMost });
    const answers = await Promise.all([send(1), send(0), send(1)]);
    assert.deepEqual(
      answers.map(({ error }) => error),
      [null, "conflict", null],
    );
    assert.equal(await balanceOf(company), 8);
  });

  await t.test("it contradicts what is priced later", async () => {
    const company = await here.company({ credits: 10 });
    for (const later of [
      { type: "SCHEDULED", scheduledDate: TOMORROW },
      { type: "RECURRING", recurring: { monday: "08:30" } },
    ]) {
      const body = { contacts: [newPhone()], text: "Bonjour", ...later, creditAtMost: 1 };
      const { error, details } = await company.call(CREATE, body);
      assert.deepEqual([error, details?.[0]?.field], ["invalid-request", "creditAtMost"], later.type);
    }
    await nothingWent(company, 10);
  });
});
