// Senders that the administrator gives a company: names that it could not ask for itself, exact to the handset.
import assert from "node:assert/strict";
import { test } from "node:test";
import { allAre } from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";

// 3GPP TS 23.038, section 6.2.1, without its line feed, carriage return and escape.
const PRINTABLE =
  "@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ!\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";

test("senders that the administrator gives", async (t) => {
  const w = await testService(t);
  const company = await w.company({ credits: 100, name: "Boutique Awa" });
  const give = (name: unknown, companyId = company.companyId) =>
    w.admin("/v1/admin/sender/create", { companyId, name, description: "Vient d’ailleurs" });
  const inbox = async (phone: string) =>
    (await w.admin("/v1/admin/simulator/inbox", { phone })).data as { from: string }[];

  await t.test(
    "it is accepted at once, counts against no limit, and its spaces around fall away",
    async () => {
      const { data } = await give("  Le Café 2 ");
      const { id, createdAt, ...rest } = data;
      assert.match(id, /^[0-9a-f]{24}$/);
      assert.equal(new Date(createdAt).toISOString(), createdAt);
      assert.deepEqual(rest, {
        name: "Le Café 2",
        description: "Vient d’ailleurs",
        status: "ACCEPTED",
        companyId: company.companyId,
        companyName: "Boutique Awa",
      });
      const own = await w.company();
      for (const name of ["A", "B", "C", "D", "ORANGE"])
        assert.equal((await give(name, own.companyId)).success, true, name);
      const asked = await own.call("/v1/sender/create", { name: "BOUTIQUE", description: "x" });
      assert.equal(asked.error, "sender-limit-reached");
    },
  );

  await t.test(
    "every printable character of GSM-7 goes out over SMPP as it is, and answers find it",
    async () => {
      const names = PRINTABLE.match(/.{1,9}/gs)!.map((part) => `${part[0]} ${part.slice(1)}`);
      await Promise.all(names.map((name) => give(name)));
      const phoneOf = (name: string) => String(2_250_700_031_000 + names.indexOf(name));
      const arrived = names.map(async (name) => {
        const sending = { contacts: [phoneOf(name)], text: "Bonjour", senderId: name };
        const { data } = await company.call("/v1/campaign/create", sending);
        await allAre("DELIVERED", company, data.id);
        assert.equal((await inbox(phoneOf(name)))[0]?.from, name);
      });
      await Promise.all(arrived);
      const greek = names.find((name) => name.includes("Ω"))!;
      await w.admin("/v1/admin/simulator/reply", { from: phoneOf(greek), to: greek, text: "STOP" });
      await until(async () => (await company.call("/v1/optout/list")).data[0]?.phone === phoneOf(greek));
    },
  );

  await t.test("what is no such name, no company, or taken is refused", async () => {
    for (const name of [
      "",
      "   ",
      "x".repeat(12),
      "La Boîte",
      "a\nb",
      "a\rb",
      "{x}",
      "5€",
      "a\\b",
      "ç",
      "😀",
      5,
    ]) {
      const { error, details } = await give(name);
      assert.equal(error, "invalid-request", JSON.stringify(name));
      assert.equal(details?.[0]?.field, "name");
    }
    assert.equal((await give("Awa", "000000000000000000000000")).error, "not-found");
    assert.equal((await give("Le Marché")).success, true);
    assert.equal((await give("LE MARCHé")).error, "sender-name-taken");
    const description = (
      await w.admin("/v1/admin/sender/create", { companyId: company.companyId, name: "X" })
    ).error;
    assert.equal(description, "invalid-request");
  });
});
