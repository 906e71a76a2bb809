// One message and its life, by the id that every list gives it; nobody else's, and nothing that is not kept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { send, settled } from "../../../test/sending.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";

const [REJECTED, UNDELIVERED] = ["2250700000001", "2250700000002"];

test("a message tells its life, by the id that lists give it", async (t) => {
  const w = await testService(t);
  const company = await w.company({ credits: 20 });
  const other = await w.company({ credits: 20 });
  const delivered = newPhone();
  const campaign = await send(company, [REJECTED, UNDELIVERED, delivered], "Bonjour @name");
  await settled(company, campaign);
  const messagesOf = async (who: Company, id: string) => dataOf(who.call(`/v1/campaign/${id}/messages`));
  const all = await until(async () => {
    const found: { id: string; status: string }[] = await messagesOf(company, campaign);
    return found.every(({ status }) => status !== "SENT" && status !== "SENDING") && found;
  });
  const lives = await Promise.all(all.map(({ id }) => dataOf(company.call(`/v1/message/${id}`))));
  assert.deepEqual(
    lives.map(({ phone, status, kind, text, campaignId }) => [phone, status, kind, text, campaignId]),
    [
      [REJECTED, "REJECTED", "campaign", "Bonjour @name", campaign],
      [UNDELIVERED, "UNDELIVERED", "campaign", "Bonjour @name", campaign],
      [delivered, "DELIVERED", "campaign", "Bonjour @name", campaign],
    ],
  );
  const [rejected, undelivered, good] = lives;
  assert.deepEqual(rejected.events, [
    { status: "QUEUED", at: rejected.createdAt },
    { status: "REJECTED", at: null },
  ]);
  assert.ok(rejected.errorReason.length > 10 && rejected.operatorMessageId === null);
  assert.deepEqual(undelivered.events, [
    { status: "QUEUED", at: undelivered.createdAt },
    { status: "SENT", at: undelivered.sentAt },
    { status: "UNDELIVERED", at: null },
  ]);
  assert.deepEqual(good.events, [
    { status: "QUEUED", at: good.createdAt },
    { status: "SENT", at: good.sentAt },
    { status: "DELIVERED", at: good.deliveredAt },
  ]);
  assert.ok(good.operator && good.operatorMessageId && good.deliveredAt >= good.sentAt);
  const { operatorMessageId: _, events: __, ...listed } = good;
  assert.deepEqual((await company.call("/v1/message/list", { phone: delivered })).data, [listed]);

  const unknown = await other.call("/v1/message/66f0c0ffee00000000000001-1");
  assert.equal(unknown.error, "not-found");
  for (const id of [all[0]!.id, `${campaign}-4`, campaign, `${campaign}-0`, `${campaign}-99999999999`, "x"])
    assert.deepEqual(await other.call(`/v1/message/${id}`), unknown, id);
  assert.deepEqual(await company.call(`/v1/message/${campaign}-4`), unknown);

  const { token } = await dataOf(company.call("/v1/auth/otp/get", { phoneNumber: newPhone() }));
  assert.ok(token);
  const [code] = await dataOf(company.call("/v1/message/list", { limit: 1 }));
  const life = await dataOf(company.call(`/v1/message/${code.id}`));
  assert.deepEqual([life.kind, life.text, life.campaignId], ["otp", null, null]);
});
