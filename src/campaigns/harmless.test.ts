// Harmless differences between clients: what they add without a meaning is not refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newPhone, sendCode, verify } from "../../test/codes.ts";
import { world } from "../../test/world.ts";

test("harmless input", async (t) => {
  const w = await world(t);
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
