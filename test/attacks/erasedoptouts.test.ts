// Opt-outs of people who were erased: they stay in force as keyed hashes, and what those people say still counts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../applications.ts";
import { newPhone } from "../codes.ts";
import { ERASE, erased, tablesWith } from "../erasures.ts";
import { send, settled } from "../sending.ts";
import { type Company, testService } from "../testservice.ts";

test("H27: who had opted out is never written to after the erasure, until they or the company end it", async (t) => {
  const here = await testService(t);
  const replyTo = (to: string, from: string, text: string) =>
    dataOf(here.admin("/v1/admin/simulator/reply", { from, to, text }));
  /** Gives a company a sender that it may use, or one that waits for the administrator. */
  const named = async (company: Company, name: string, isAccepted = true) => {
    const asked = { name, description: "Pour nos clients" };
    const { id } = await dataOf(company.call("/v1/sender/create", asked));
    if (isAccepted) await dataOf(here.admin(`/v1/admin/sender/${id}/accept`, { reason: "Test" }));
  };
  const reply = (from: string, text: string) => replyTo("ATUMPAN", from, text);
  const refusedTo = async (company: Company, body: object) =>
    (await company.call("/v1/campaign/create", { text: "Bonjour", ...body })).error;

  await t.test("a person's own STOP ends by their START alone", async () => {
    const company = await here.company({ credits: 100 });
    const phone = newPhone();
    await settled(company, await send(company, phone));
    await reply(phone, "STOP");
    await erased(company.call, ERASE, phone);
    assert.deepEqual(await dataOf(company.call("/v1/optout/list")), []);
    const lifted = await company.call("/v1/optout/delete", { phone });
    assert.deepEqual([lifted.data, lifted.warnings?.length], [{ count: 0 }, 1]);
    const { id } = await dataOf(company.call("/v1/group/create", { name: "Clients", contacts: [phone] }));
    assert.equal(await refusedTo(company, { contacts: [phone] }), "no-recipient");
    assert.equal(await refusedTo(company, { groupsIds: [id] }), "no-recipient");
    const some = await dataOf(
      company.call("/v1/campaign/create", { text: "Bonjour", contacts: [phone, newPhone()] }),
    );
    assert.deepEqual([some.blockedCount, some.blockedContacts[0].code], [1, "opted-out"]);
    await erased(company.call, ERASE, phone);
    assert.equal(await refusedTo(company, { contacts: [phone] }), "no-recipient");
    await reply(phone, "START");
    await settled(company, await send(company, phone));
  });

  await t.test("a START to a company that has erased the person ends no other opt-out", async () => {
    const [company, other] = [await here.company({ credits: 10 }), await here.company({ credits: 10 })];
    const phone = newPhone();
    await named(company, "PHARMACIE");
    for (const one of [company, other]) {
      await settled(one, await send(one, phone));
      await reply(phone, "STOP");
    }
    await erased(company.call, ERASE, phone);
    await replyTo("PHARMACIE", phone, "START");
    assert.equal(await refusedTo(other, { contacts: [phone] }), "no-recipient");
    await send(company, phone);
  });

  await t.test("a STOP after the erasure makes theirs what the company had entered", async () => {
    const company = await here.company({ credits: 10 });
    const phone = newPhone();
    await settled(company, await send(company, phone));
    await dataOf(company.call("/v1/optout/create", { phone }));
    await erased(company.call, ERASE, phone);
    await reply(phone, "STOP");
    assert.deepEqual(await dataOf(company.call("/v1/optout/delete", { phone })), { count: 0 });
    assert.equal(await refusedTo(company, { contacts: [phone] }), "no-recipient");
    assert.deepEqual(await tablesWith(here, phone), [], "the phone does not come back");
    await reply(phone, "START");
    await send(company, phone);
  });

  await t.test("a STOP to a company that has erased the person opts out of no other", async () => {
    const [company, other, hijacker] = [
      await here.company({ credits: 10 }),
      await here.company({ credits: 10 }),
      await here.company(),
    ];
    const phone = newPhone();
    await named(company, "CLINIQUE");
    await dataOf(company.call("/v1/optout/create", { phone }));
    await erased(company.call, ERASE, phone);
    await settled(other, await send(other, phone));
    await replyTo("CLINIQUE", phone, "STOP");
    await settled(other, await send(other, phone));
    // Whoever asks for a short code as its name gets no wishes of others.
    await named(hijacker, "36111", false);
    await dataOf(hijacker.call("/v1/optout/create", { phone }));
    await erased(hijacker.call, ERASE, phone);
    await replyTo("36111", phone, "STOP");
    assert.equal(await refusedTo(other, { contacts: [phone] }), "no-recipient");
    await replyTo("36111", phone, "START");
    await send(other, phone);
  });

  await t.test("one that the company entered ends by the company", async () => {
    const [company, other] = [await here.company({ credits: 100 }), await here.company({ credits: 100 })];
    const phone = newPhone();
    await dataOf(company.call("/v1/optout/create", { phone }));
    await erased(company.call, ERASE, phone);
    assert.equal(await refusedTo(company, { contacts: [phone] }), "no-recipient");
    await send(other, phone);
    assert.deepEqual(await dataOf(company.call("/v1/optout/delete", { phone })), { count: 1 });
    await send(company, phone);
  });
});
