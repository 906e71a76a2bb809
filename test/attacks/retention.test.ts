// Retention: what is old goes by itself, and statistics, balances and limits go on.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { proveCredits } from "../../src/delivery/sends/record/audit.ts";
import { keepLedger } from "../../src/delivery/sends/record/ledger.ts";
import { SettlementEffects } from "../../src/delivery/sends/settlement/effects.ts";
import { applyReceipts } from "../../src/delivery/sends/settlement/receipts.ts";
import { ladder } from "../../src/ladder.ts";
import { keepTexts } from "../../src/messaging/campaigns/texts.ts";
import { forgetOldOtps } from "../../src/messaging/otp/forget.ts";
import { newId } from "../../src/platform/ids.ts";
import { dataOf } from "../applications.ts";
import { age, newPhone, sendCode } from "../codes.ts";
import { assertBalanced, balanceOf, phones, rows, send, settled } from "../sending.ts";
import { tamperWith } from "../tamper.ts";
import { type TestService, testService, until } from "../testservice.ts";
import { traces } from "../twins.ts";

const DAY_MS = 24 * 3_600_000;
const { signal } = new AbortController();

/** Makes a campaign and its send so many days older. Returns its new id. */
async function older(here: TestService, id: string, days: number): Promise<string> {
  const old = newId(Number.parseInt(id.slice(0, 12), 16) - days * DAY_MS);
  const back = `created_at = created_at - ${days} * interval '1 day'`;
  await rows(
    here.app,
    `UPDATE campaigns SET id = $2, ${back}, scheduled_date = scheduled_date - ${days} * interval '1 day' WHERE id = $1`,
    [id, old],
  );
  await rows(here.app, "UPDATE sends SET id = $2 WHERE id = $1", [id, old]);
  await rows(here.app, "UPDATE messages SET send_id = $2 WHERE send_id = $1", [id, old]);
  return old;
}

test("H26: a text goes 90 days after the last send, and a series keeps its own", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 100 });
  const text = "Rendez-vous de Madame Koné";
  const [sent, young] = [await send(company, phones(3), text), await send(company, phones(3), text)];
  const series = async () => {
    const body = {
      contacts: [newPhone()],
      text,
      type: "RECURRING",
      recurring: { monday: "2027-01-04T09:00:00Z" },
    };
    const { id } = await dataOf(company.call("/v1/campaign/create", body));
    // Whom it names refers to it.
    await rows(
      here.app,
      "WITH named AS (DELETE FROM campaign_contacts WHERE campaign_id = $1) DELETE FROM campaign_groups WHERE campaign_id = $1",
      [id],
    );
    return id as string;
  };
  const [running, over] = [await series(), await series()];
  await dataOf(company.call(`/v1/campaign/${over}/cancel`));
  for (const id of [sent, young]) await settled(company, id);
  const stats = (await dataOf(company.call(`/v1/campaign/${sent}`))).stats;
  const old = await older(here, sent, 91);
  const [oldRunning, oldOver] = [await older(here, running, 91), await older(here, over, 91)];
  const kept = await older(here, young, 89);
  const textOf = async (id: string) => (await dataOf(company.call(`/v1/campaign/${id}`))).text;

  await keepTexts({ ...here.app, config: { ...here.app.config, retentionTextsDays: 0 } }, signal);
  assert.equal(await textOf(old), text);
  await keepTexts(here.app, signal);
  assert.deepEqual(
    [await textOf(old), await textOf(kept), await textOf(oldRunning), await textOf(oldOver)],
    ["", text, text, text],
  );
  assert.deepEqual((await dataOf(company.call(`/v1/campaign/${old}`))).stats, stats);
  const [message] = await dataOf(company.call(`/v1/campaign/${old}/messages`));
  assert.equal(message.status, "DELIVERED");
  await rows(here.app, "UPDATE campaigns SET canceled_at = canceled_at - interval '91 days' WHERE id = $1", [
    oldOver,
  ]);
  await keepTexts(here.app, signal);
  assert.deepEqual([await textOf(oldRunning), await textOf(oldOver)], [text, ""]);
});

test("H26: whom a campaign of that time named goes with its text", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"] as const) } });
  const company = await here.company({ credits: 100 });
  const id = newId(Date.now() - 91 * DAY_MS);
  const phone = newPhone();
  await rows(
    here.app,
    `INSERT INTO campaigns (company_id, id, name, body, sender_name, contact_count, credit_used, created_at)
     VALUES ($1, $2, 'Vieille', 'Bonjour', 'ATUMPAN', 1, 1, now() - interval '91 days')`,
    [company.companyId, id],
  );
  await rows(here.app, "INSERT INTO campaign_counts (company_id, sender_id, campaigns) VALUES ($1, '', 1)", [
    company.companyId,
  ]);
  await rows(
    here.app,
    "INSERT INTO campaign_contacts (company_id, campaign_id, number, given, phone) VALUES ($1, $2, 1, $3, $3)",
    [company.companyId, id, phone],
  );
  assert.equal((await traces(here, [phone])).length, 1);
  await keepTexts(here.app, signal);
  assert.deepEqual(await traces(here, [phone]), []);
});

test("H26: a one-time password names nobody after 24 hours, and counts for its share until 48", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 100 });
  const { phoneNumber } = await sendCode(here, company);
  const left = async () => (await traces(here, [phoneNumber])).filter((row) => row.startsWith("otp_codes "));
  await age(here, company, 23 * 3_600);
  await forgetOldOtps(here.app);
  assert.equal((await left()).length, 1);
  await age(here, company, 2 * 3_600);
  await forgetOldOtps(here.app);
  assert.deepEqual(await left(), []);
  const codes = await rows(here.app, "SELECT phone, code_digest, status, prefix FROM otp_codes");
  assert.deepEqual(codes, [
    { phone: "", code_digest: "", status: "PENDING", prefix: phoneNumber.slice(0, -4) },
  ]);
  await age(here, company, 24 * 3_600);
  await forgetOldOtps(here.app);
  assert.deepEqual(await rows(here.app, "SELECT FROM otp_codes"), []);
});

test("H26: what webhooks are told of a one-time password goes with its code, and a late receipt counts for nothing else", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 100 });
  const hook = { url: "https://example.com/x", events: ["campaign.failed", "message.failed"] };
  await dataOf(company.call("/v1/company/webhook/create", hook));
  const { token } = await sendCode(here, company, { callbackData: "connexion de Madame Koné" });
  const campaign = await send(company, phones(1));
  await settled(company, campaign);
  const [code] = await rows(here.app, "SELECT send_id FROM otp_codes");
  const left = async () => (await rows(here.app, "SELECT id FROM sends ORDER BY id")).map(({ id }) => id);
  const inSends = async (word: string) =>
    (await traces(here, [word])).filter((row) => row.startsWith("sends ")).length;
  await until(
    async () => (await rows(here.app, "SELECT FROM messages WHERE status <> 'DELIVERED'")).length === 0,
  );
  await age(here, company, 47 * 3_600);
  await forgetOldOtps(here.app);
  assert.deepEqual(await left(), [code.send_id, campaign]);
  assert.equal(await inSends(token), 1);
  await age(here, company, 2 * 3_600);
  await forgetOldOtps(here.app);
  assert.deepEqual(await left(), [campaign]);
  // The receipt of the code comes now, for the first time.
  await rows(here.app, "UPDATE messages SET status = 'SENT', delivered_at = NULL WHERE send_id = $1", [
    code.send_id,
  ]);
  const [message] = await rows(here.app, "SELECT * FROM messages WHERE send_id = $1", [code.send_id]);
  await here.app.database.transaction(async (tx) => {
    const effects = new SettlementEffects();
    const receipt = {
      operatorMessageId: message.operator_message_id,
      phone: message.phone,
      status: "UNDELIVERED",
      error: "001",
      ageMs: 0,
    } as const;
    assert.deepEqual(
      await applyReceipts(
        tx,
        { operatorId: message.operator_id, operatorIds: [message.operator_id] },
        [receipt],
        effects,
      ),
      [],
    );
    await effects.write(tx);
  });
  await assertBalanced(here);
  await proveCredits(here.app);
});

type Stats = { sent: number; delivered: number };

test("H26: after ten years movements go, and every balance is still proven", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 100 });
  const undelivered = "2250700000001";
  const id = await send(company, [...phones(5), undelivered]);
  const young = await send(company, phones(2));
  const before = await settled(company, id);
  await settled(company, young);
  const balance = await balanceOf(company);
  assert.ok(before.creditRefunded > 0, "the simulator refuses numbers that end in 0001");
  const count = async () =>
    (await rows(here.app, "SELECT (SELECT count(*) FROM holds) + (SELECT count(*) FROM entries) AS count"))[0]
      .count;
  const all = await count();
  await rows(
    here.app,
    "UPDATE holds SET created_at = created_at - interval '10 years 2 days' WHERE id = $1",
    [id],
  );
  await tamperWith(
    here,
    "UPDATE entries SET created_at = created_at - interval '10 years 2 days' WHERE kind = 'grant'",
  );
  await keepLedger(here.app, signal);
  assert.equal(await count(), all, "the audit has not summed them up yet");
  await proveCredits(here.app);
  await keepLedger({ ...here.app, config: { ...here.app.config, retentionLedgerYears: 0 } }, signal);
  assert.equal(await count(), all);
  await keepLedger(here.app, signal);
  assert.ok((await count()) < all);
  assert.deepEqual(await rows(here.app, "SELECT FROM holds WHERE id = $1", [id]), []);
  await assertBalanced(here);
  await proveCredits(here.app);
  await assertBalanced(here);
  assert.equal(await balanceOf(company), balance);
  const after = await dataOf(company.call(`/v1/campaign/${id}`));
  // Receipts may have come meanwhile.
  const counted = ({ sent, delivered, ...others }: Stats) => ({ ...others, accepted: sent + delivered });
  assert.deepEqual(counted(after.stats), counted(before.stats));
  assert.equal(after.creditRefunded, before.creditRefunded);
  await settled(company, await send(company, phones(1)));
  await assertBalanced(here);
});

test("H26: every table stands in docs/data.md, with who is named in it and how it goes", () => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/data.md"), "utf8");
  const named = new Set([...text.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  assert.deepEqual(
    Object.values(ladder)
      .flat()
      .filter((table) => !named.has(table)),
    [],
  );
});
