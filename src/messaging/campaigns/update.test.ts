// Updates: a name at any time, and what a campaign says, to whom and when, as long as it waits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { addOperator, balanceOf, rows, send, waitingMessages } from "../../../test/sending.ts";
import { type Company, testService } from "../../../test/testservice.ts";
import { nowMs } from "../../platform/clock.ts";
import { runDueCampaigns } from "./due.ts";

const DAY_MS = 24 * 3_600_000;
const midnight = (days: number) => new Date(Math.ceil(nowMs() / DAY_MS) * DAY_MS + days * DAY_MS);

test("updating", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"]), simulator: false } });
  await addOperator(here, 1);
  const scheduled = async (company: Company, more: object = {}): Promise<string> => {
    const body = { contacts: [newPhone()], text: "Bonjour", type: "SCHEDULED", scheduledDate: midnight(1) };
    return (await dataOf(company.call("/v1/campaign/create", { ...body, ...more }))).id;
  };
  const update = (company: Company, id: string, change: object) =>
    company.call(`/v1/campaign/${id}/update`, change);

  await t.test("what waits goes as it was changed: its text, its people and its time", async () => {
    const company = await here.company({ credits: 10 });
    const id = await scheduled(company);
    const people = [
      { phone: newPhone(), name: "Awa" },
      { phone: newPhone(), name: "Yao" },
    ];
    const change = { name: "Rentrée", text: "Bonsoir @name", contacts: people, scheduledDate: midnight(2) };
    const { data, warnings } = await update(company, id, change);
    assert.deepEqual(
      [data.name, data.text, data.contactCount, data.scheduledDate, data.status, warnings],
      ["Rentrée", "Bonsoir @name", 2, midnight(2).toISOString(), "PENDING", undefined],
    );
    await runDueCampaigns(here.app, midnight(1));
    assert.deepEqual(await waitingMessages(here.app), []);
    await runDueCampaigns(here.app, midnight(2));
    const waiting = await waitingMessages(here.app);
    assert.deepEqual(waiting.map(({ phone, body }) => [phone, body]).sort(), [
      ...people.map(({ phone, name }) => [phone, `Bonsoir ${name}`]).sort(),
    ]);
    assert.equal(await balanceOf(company), 8);
    for (const late of [{ text: "Trop tard" }, { contacts: people }, { scheduledDate: midnight(3) }])
      assert.equal((await update(company, id, late)).error, "conflict", JSON.stringify(late));
    assert.equal((await dataOf(update(company, id, { name: "Archive" }))).name, "Archive");
  });

  await t.test("what a series says does not change once it has run; its name and days do", async () => {
    const company = await here.company({ credits: 10 });
    const recurring = { monday: "2027-01-04T09:00:00Z" };
    const id = await scheduled(company, { type: "RECURRING", recurring, scheduledDate: undefined });
    assert.equal((await update(company, id, { text: "Bonsoir" })).success, true);
    const [{ next_at: at }] = (await rows(here.app, "SELECT next_at FROM campaigns WHERE id = $1", [id])) as [
      { next_at: Date },
    ];
    await runDueCampaigns(here.app, at);
    for (const late of [{ text: "Autre" }, { contacts: [newPhone()] }])
      assert.equal((await update(company, id, late)).error, "conflict");
    const change = { name: "Lundis", recurring: { tuesday: "2027-01-05T09:00:00Z" } };
    assert.equal((await dataOf(update(company, id, change))).name, "Lundis");
  });

  await t.test("of two changes at once one is refused or both hold", async () => {
    const company = await here.company({ credits: 10 });
    const people = [newPhone(), newPhone()];
    for (let i = 0; i < 5; i++) {
      const id = await scheduled(company);
      const answers = await Promise.all([
        update(company, id, { text: "Nouveau" }),
        update(company, id, { contacts: people }),
      ]);
      const { text, contactCount } = await dataOf(company.call(`/v1/campaign/${id}`));
      assert.deepEqual(
        answers.map(({ error }) => error ?? null),
        [text === "Nouveau" ? null : "conflict", contactCount === 2 ? null : "conflict"],
      );
      assert.ok(answers.some(({ success }) => success));
    }
  });

  await t.test("a changed text says the own fields of its people, new ones too", async () => {
    const company = await here.company({ credits: 10 });
    const id = await scheduled(company);
    const contacts = [{ phone: newPhone(), fields: { city: "Bouaké" } }];
    const { warnings } = await update(company, id, { text: "Bonsoir @city @ville", contacts });
    assert.match(String(warnings?.map(({ message }) => message)), /^`@ville`/);
    await runDueCampaigns(here.app, midnight(1));
    const [waiting] = (await waitingMessages(here.app)).filter(({ phone }) => phone === contacts[0]!.phone);
    assert.equal(waiting!.body, "Bonsoir Bouaké @ville");
    assert.equal((await update(company, await scheduled(company), { text: "@city" })).success, true);
  });

  await t.test("a change alone leaves the rest, and a wrong one changes nothing", async () => {
    const company = await here.company({ credits: 10 });
    const id = await scheduled(company, { name: "Promo" });
    const before = await dataOf(company.call(`/v1/campaign/${id}`));
    assert.deepEqual(await dataOf(update(company, id, {})), before);
    const other = await here.company({ credits: 10 });
    for (const [change, error] of [
      [{ name: "Autre", text: "x".repeat(2_000) }, "message-too-long"],
      [{ name: "Autre", contacts: ["0"] }, "invalid-phone-number"],
      [{ name: "Autre", contacts: [] }, "no-recipient"],
      [{ text: "Autre", scheduledDate: "2020-01-01T00:00:00Z" }, "invalid-schedule"],
      [{ text: "Autre", recurring: { monday: "08:00" } }, "invalid-schedule"],
      [{ name: "x".repeat(201) }, "invalid-request"],
    ] as const)
      assert.equal((await update(company, id, change)).error, error, JSON.stringify(change));
    for (const change of [{ name: "Autre" }, { text: "Autre" }, { scheduledDate: midnight(2) }])
      assert.equal((await update(other, id, change)).error, "campaign-not-found");
    assert.deepEqual(await dataOf(company.call(`/v1/campaign/${id}`)), before);
    const { text, contactCount, name } = await dataOf(update(company, id, { text: "Bonsoir" }));
    assert.deepEqual([text, contactCount, name], ["Bonsoir", 1, "Promo"]);
    const word = await update(company, id, { text: "Bonsoir @nom" });
    assert.equal(word.warnings?.[0]?.field, "text");
  });

  await t.test("a campaign that was sent at once keeps what it says", async () => {
    const company = await here.company({ credits: 10 });
    const id = await send(company, newPhone());
    assert.equal((await update(company, id, { text: "Autre" })).error, "conflict");
    assert.equal((await dataOf(update(company, id, { name: "Celle d’hier" }))).name, "Celle d’hier");
  });

  await t.test("nobody reaches more people than were approved", async () => {
    const company = await here.company({ credits: 10 });
    const approver = { name: "Yao", phone: newPhone(), role: "approver" };
    await dataOf(company.call("/v1/company/member/create", approver));
    await dataOf(
      company.call("/v1/company/approval/update", { approval: "campaigns", approvalThreshold: 2 }),
    );
    const two = [newPhone(), newPhone()];
    const id = await scheduled(company);
    const grown = await dataOf(update(company, id, { contacts: two }));
    assert.equal(grown.approval.status, "PENDING");
    assert.equal((await update(company, id, { text: "Autre" })).error, "conflict");
    assert.equal((await dataOf(update(company, id, { name: "À voir" }))).name, "À voir");
  });

  await t.test("the audit log tells what was changed, and no text", async () => {
    const company = await here.company({ credits: 10 });
    const id = await scheduled(company);
    await dataOf(update(company, id, { name: "Rentrée", text: "Un secret" }));
    const [entry] = await rows(
      here.app,
      "SELECT * FROM audit_log WHERE action = 'campaign/{id}/update' AND company_id = $1",
      [company.companyId],
    );
    assert.ok(JSON.stringify(entry).includes("Rentrée"));
    assert.ok(!JSON.stringify(entry).includes("secret"));
  });
});
