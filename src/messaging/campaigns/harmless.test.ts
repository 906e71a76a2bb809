// Harmless differences between clients: what they add without a meaning is not refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newPhone, sendCode, textAt, verify } from "../../../test/codes.ts";
import { testService } from "../../../test/testservice.ts";

test("harmless input", async (t) => {
  const w = await testService(t);
  const company = await w.company({ credits: 100 });
  const { apiKey, companyId } = company;

  await t.test("D14: a byte order mark before JSON is ignored", async () => {
    const response = await fetch(`${w.url}/v1/credit/balance`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `\ufeff${JSON.stringify({ apiKey, companyId })}`,
    });
    assert.equal(((await response.json()) as { data: number }).data, 100);
  });

  await t.test("D14: an empty array is an empty map, at any depth", async () => {
    const phone = newPhone();
    const created = await company.call("/v1/contact/create", { contacts: [{ phone, fields: [] }] });
    assert.deepEqual([created.error, created.data[0].phone], [null, phone]);
    const single = await company.call("/v1/contact/create", { phone, fields: [] });
    assert.equal(single.error, null);
    const campaign = { contacts: [phone], text: "Bonjour", recurring: [] };
    assert.equal((await company.call("/v1/campaign/create", campaign)).error, null);
    const filled = await company.call("/v1/contact/create", { phone, fields: ["Bouake"] });
    assert.equal(filled.error, "invalid-request");
  });

  await t.test("D14: spaces and invisible characters in a code do not count, and cost no guess", async () => {
    for (const blank of [" ", "\n", "\u00a0", "\u200b", "\u202a"]) {
      const sent = await sendCode(w, company);
      const typed = `${sent.code.slice(0, 2)}${blank}${sent.code.slice(2)}${blank}`;
      assert.equal((await verify(company, sent, typed)).data?.status, "VERIFIED", JSON.stringify(blank));
    }
  });

  await t.test("D14: a text and a name in NFD cost and arrive as they look", async () => {
    const phone = newPhone();
    const text = `${"Présence de @name à la soirée du comité ".normalize("NFD")}${"à Abidjan ".repeat(8)}`;
    const contact = { phone, name: "Zoé Béké".normalize("NFD") };
    const quoted = await company.call("/v1/campaign/quote", { contacts: [contact], text });
    const sent = await company.call("/v1/campaign/create", { contacts: [contact], text });
    assert.deepEqual([quoted.data.creditUsed, sent.data.creditUsed], [1, 1]);
    assert.equal(
      await textAt(w, phone),
      `Présence de Zoé Béké à la soirée du comité ${"à Abidjan ".repeat(8)}`,
    );
  });

  await t.test(
    "D14: invisible characters that cost a segment are warned of in the quote and at create",
    async () => {
      const text = `Bonjour\u200b, ${"votre colis est là. ".repeat(5)}`;
      const body = { contacts: [newPhone()], text };
      const quoted = await company.call("/v1/campaign/quote", body);
      const created = await company.call("/v1/campaign/create", body);
      for (const { warnings = [] } of [quoted, created]) {
        assert.equal(warnings.length, 1);
        assert.match(
          warnings[0]!.message,
          /1 caractère invisible : sans lui, le texte tient en 1 SMS au lieu de 2/,
        );
      }
      const short = { contacts: [newPhone()], text: "Bonjour\u200b" };
      assert.equal(
        (await company.call("/v1/campaign/quote", short)).warnings,
        undefined,
        "it costs nothing more",
      );
    },
  );

  await t.test("D14: senderId may name the service's default sender", async () => {
    const { data } = await company.call("/v1/campaign/create", {
      contacts: [newPhone()],
      text: "Bonjour",
      senderId: w.app.config.defaultSender,
    });
    assert.equal(data.senderIdId, null);
    assert.ok((await sendCode(w, company, { senderId: w.app.config.defaultSender })).code);
    const unknown = { contacts: [newPhone()], text: "Bonjour", senderId: "NOBODY" };
    assert.equal((await company.call("/v1/campaign/create", unknown)).error, "sender-not-found");
  });

  await t.test("C13: a weekday is that of its timestamp's zone, and is kept and shown in UTC", async () => {
    const at = async (recurring: object) =>
      company.call("/v1/campaign/create", {
        contacts: [newPhone()],
        text: "Bonjour",
        type: "RECURRING",
        recurring,
      });
    const shownOf = async (recurring: object) => {
      const { data } = await at(recurring);
      return (await company.call(`/v1/campaign/${data.id}`)).data.recurring;
    };
    assert.deepEqual(await shownOf({ monday: "2026-11-23T00:30:00+01:00" }), { sunday: "23:30" });
    assert.deepEqual(await shownOf({ sunday: "2026-11-22T00:30:00+01:00" }), { saturday: "23:30" });
    assert.deepEqual(await shownOf({ saturday: "2026-11-28T22:30:00-05:00" }), { sunday: "03:30" });
    assert.deepEqual(await shownOf({ monday: "2026-11-23T08:30:00+01:00" }), { monday: "07:30" });
    assert.deepEqual(await shownOf({ monday: "08:30" }), { monday: "08:30" });
    const both = await at({ monday: "2026-11-23T00:30:00+01:00", sunday: "08:30" });
    assert.equal(both.error, "invalid-schedule");
  });
});
