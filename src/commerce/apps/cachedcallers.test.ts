// A send is accepted by the cached connection of its caller. Whatever has changed elsewhere since is noticed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedSender, application, connected, dataOf } from "../../../test/applications.ts";
import { assertBalanced, balanceOf, phones, rows } from "../../../test/sending.ts";
import { testService } from "../../../test/testservice.ts";

test("what another process changed is noticed by the next send", async (t) => {
  const here = await testService(t);
  const app = await application(here);
  const company = await here.company({ credits: 100 });
  const { connectionId, connectionToken } = await connected(here, app, company, "BOUTIQUE");
  let last = 0;
  const send = (more: object = {}) =>
    here.call("/v1/third-party-app/sms/send", {
      connectionToken,
      message: "Votre commande est prête",
      contacts: [phones(200)[last++]],
      ...more,
    });
  /** Changes rows past this process, as another process does. */
  const change = (text: string, ...values: unknown[]) => rows(here.app, `UPDATE ${text}`, values);
  const senderOf = async (id: string) =>
    (await rows(here.app, "SELECT sender_name FROM campaigns WHERE id = $1", [id]))[0].sender_name;

  await t.test("the first send looks the connection up, and the next ones believe", async () => {
    for (let i = 0; i < 3; i++) assert.equal((await send()).success, true);
    assert.equal(await balanceOf(company), 97);
  });

  await t.test("a new sender is used at once, and one that is no longer accepted not any more", async () => {
    const other = await acceptedSender(here, company, "AUTRE");
    await change("connections SET sender_id = $2 WHERE id = $1", connectionId, other);
    const { campaignId } = await dataOf(send());
    assert.equal(await senderOf(campaignId), "AUTRE");
    await change("senders SET status = 'REFUSED' WHERE id = $1", other);
    assert.equal((await send()).error, "sender-not-assigned");
    await change("senders SET status = 'ACCEPTED' WHERE id = $1", other);
    assert.equal((await send()).success, true);
  });

  await t.test("an application that is stopped, and one that comes back", async () => {
    await change("apps SET status = 'INACTIVE' WHERE id = $1", app.id);
    assert.equal((await send()).error, "app-not-active");
    await change("apps SET status = 'ACTIVE' WHERE id = $1", app.id);
    assert.equal((await send()).success, true);
  });

  await t.test("a cap of the day counts from the next send on", async () => {
    await change("connections SET daily_credit_cap = 1 WHERE id = $1", connectionId);
    assert.equal((await send()).success, true);
    assert.equal((await send()).error, "insufficient-credits");
    await change("connections SET daily_credit_cap = NULL WHERE id = $1", connectionId);
    assert.equal((await send()).success, true);
  });

  await t.test("a phone that has opted out is blocked, alone and among others at once", async () => {
    const out = "2250700009999";
    await dataOf(company.call("/v1/optout/create", { phone: out }));
    assert.equal((await send({ contacts: [out] })).error, "no-recipient");
    const answers = await Promise.all([send(), send({ contacts: [out] }), send(), send()]);
    assert.deepEqual(
      answers.map((answer) => answer.error),
      [null, "no-recipient", null, null],
    );
  });

  await t.test("bad bodies are refused as they are without belief", async () => {
    const refused = await send({ contacts: "none" });
    assert.equal(refused.error, "invalid-request");
    assert.equal((await send({ message: "x".repeat(1_600) })).error, "message-too-long");
    assert.equal((await send({ contacts: [], other: 1 })).error, "no-recipient");
    const warned = await send({ contcts: [1] });
    assert.deepEqual(
      warned.warnings?.map((warning) => warning.field),
      ["contcts"],
    );
  });

  await t.test("a pool that cannot pay refuses, and what comes beside it is accepted", async () => {
    const left = await balanceOf(company);
    await change("pools SET available = 1 WHERE id = $1", company.companyId);
    const answers = await Promise.all([send(), send(), send()]);
    assert.deepEqual(answers.map((answer) => answer.error).sort(), [
      "insufficient-credits",
      "insufficient-credits",
      null,
    ]);
    await change("pools SET available = $2 WHERE id = $1", company.companyId, left - 1);
    await assertBalanced(here);
  });

  await t.test("a token that is revoked, and one that is another's now", async () => {
    await change("connections SET status = 'REVOKED', revoked_at = now() WHERE id = $1", connectionId);
    assert.equal((await send()).error, "connection-revoked");
    assert.equal((await send({ contacts: "none" })).error, "connection-revoked");
    await change("connections SET token_digest = 'another' WHERE id = $1", connectionId);
    assert.equal((await send()).error, "not-authenticated");
  });
});
