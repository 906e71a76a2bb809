// What people write back, from the simulated handset to the next campaign.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dialect, sentBy } from "../../../test/dialects.ts";
import { rows } from "../../../test/sending.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";
import { newId } from "../../platform/ids.ts";
import type { DeliverSm } from "../../protocol/smpp/pdu.ts";
import { runDueCampaigns } from "../campaigns/due.ts";
import { receiveMessage } from "./receiving.ts";

test("replies", async (t) => {
  const w = await testService(t);
  let lastPhone = 2_250_700_001_000;
  const newPhone = () => String(++lastPhone);

  /** Writes to a phone and waits until the operator has the message. */
  async function write(company: Company, phone: string, senderId?: string): Promise<void> {
    const campaign = { contacts: [phone], text: "Bonjour", ...(senderId && { senderId }) };
    const { data } = await company.call("/v1/campaign/create", campaign);
    await until(async () => (await company.call(`/v1/campaign/${data.id}`)).data.stats.queued === 0);
  }

  const reply = async (from: string, text: string, to = "ATUMPAN") => {
    const { data } = await w.admin("/v1/admin/simulator/reply", { from, to, text });
    assert.deepEqual(data, { delivered: true });
  };

  /** The phones that a company may not write to any more. */
  const outOf = async (company: Company): Promise<string[]> =>
    (await company.call("/v1/optout/list")).data.map((row: { phone: string }) => row.phone);

  async function withSender(name: string): Promise<Company> {
    const company = await w.company({ credits: 10 });
    const { data } = await company.call("/v1/sender/create", { name, description: "x" });
    await w.admin(`/v1/admin/sender/${data.id}/accept`, { reason: "Test" });
    return company;
  }

  await t.test("STOP blocks the next campaign at no cost, START ends that", async () => {
    const [company, phone] = [await w.company({ credits: 10 }), newPhone()];
    await write(company, phone);
    await reply(phone, "Arrêt, s'il vous plaît !");
    const [optout] = (await company.call("/v1/optout/list")).data;
    assert.deepEqual([optout.phone, optout.source], [phone, "HANDSET"]);
    const alone = await company.call("/v1/campaign/create", { contacts: [phone], text: "Bonjour" });
    assert.equal(alone.error, "no-recipient");
    const contacts = [{ phone: `+${phone}`, name: "Awa" }, newPhone()];
    const { data } = await company.call("/v1/campaign/create", { contacts, text: "Bonjour" });
    assert.equal(data.contactCount, 1);
    assert.equal(data.creditUsed, 1);
    const [blocked] = data.blockedContacts;
    assert.deepEqual([blocked.phone, blocked.name, blocked.code], [`+${phone}`, "Awa", "opted-out"]);
    await reply(phone, "Reprendre");
    assert.deepEqual(await outOf(company), []);
    await write(company, phone);
  });

  await t.test("STOP that comes before the message which it answers is committed waits for it", async () => {
    const [company, phone] = [await w.company({ credits: 10 }), newPhone()];
    await write(company, newPhone());
    let replying: Promise<void> | undefined;
    await w.app.database.transaction(async (tx) => {
      // What the operator says now cannot be settled.
      const lock = "SELECT 1 FROM pool_outcomes WHERE pool_id = $1 FOR UPDATE";
      await tx.run({ name: "test.lockOutcomes", text: lock }, [company.companyId]);
      await company.call("/v1/campaign/create", { contacts: [phone], text: "Bonjour" });
      await until(async () => w.simulator.inbox({ phone }).length === 1);
      let isTaken = false;
      replying = reply(phone, "STOP").then(() => {
        isTaken = true;
      });
      for (let i = 0; i < 20; i++) await company.call("/v1/credit/balance");
      assert.equal(isTaken, false);
    });
    await replying;
    assert.deepEqual(await outOf(company), [phone]);
  });

  await t.test("what is no wish changes nothing, and so does who was never written to", async () => {
    const [company, phone] = [await w.company({ credits: 10 }), newPhone()];
    await write(company, phone);
    await reply(phone, "stop by the shop tomorrow");
    await reply(newPhone(), "STOP");
    await reply(newPhone(), "START");
    assert.deepEqual(await outOf(company), []);
  });

  await t.test("a reply that is delivered again is harmless", async () => {
    const [company, phone] = [await w.company({ credits: 10 }), newPhone()];
    await write(company, phone);
    await Promise.all([reply(phone, "STOP"), reply(phone, "STOP"), reply(phone, "STOP")]);
    assert.deepEqual(await outOf(company), [phone]);
    await Promise.all([reply(phone, "START"), reply(phone, "START")]);
    assert.deepEqual(await outOf(company), []);
  });

  await t.test("STOP is for the company that wrote last, and for no other", async () => {
    const [first, last, phone] = [
      await w.company({ credits: 10 }),
      await w.company({ credits: 10 }),
      newPhone(),
    ];
    await write(first, phone);
    await write(last, phone);
    await reply(phone, "STOP");
    assert.deepEqual([await outOf(first), await outOf(last)], [[], [phone]]);
  });

  await t.test(
    "a reply to a name is for who wrote under it; to a short code, for who wrote last at all",
    async () => {
      const [awa, binta] = [await withSender("AWA"), await withSender("BINTA")];
      const [phone, other] = [newPhone(), newPhone()];
      for (const handset of [phone, other]) {
        await write(awa, handset, "AWA");
        await write(binta, handset, "BINTA");
      }
      await reply(phone, "STOP", "awa");
      assert.deepEqual([await outOf(awa), await outOf(binta)], [[phone], []]);
      await reply(other, "STOP", "36111");
      assert.deepEqual([await outOf(awa), await outOf(binta)], [[phone], [other]]);
    },
  );

  await t.test("STOP with the sender's own name or number opts out, and with another's nothing", async () => {
    const [awa, binta] = [await withSender("AWABTQ"), await withSender("BINTABTQ")];
    const [phone, other, third] = [newPhone(), newPhone(), newPhone()];
    for (const handset of [phone, other, third]) await write(awa, handset, "AWABTQ");
    await reply(phone, "STOP Bintabtq", "AWABTQ");
    assert.deepEqual([await outOf(awa), await outOf(binta)], [[], []]);
    await reply(phone, "STOP Awabtq", "AWABTQ");
    assert.deepEqual(await outOf(awa), [phone]);
    await reply(other, "STOP 36112", "36112");
    assert.deepEqual(await outOf(awa), [other, phone]);
    await write(binta, third, "BINTABTQ");
    await reply(third, "STOP AWABTQ", "36112");
    assert.deepEqual([(await outOf(awa)).includes(third), await outOf(binta)], [true, []]);
    await reply(third, "START awabtq svp", "36112");
    assert.equal((await outOf(awa)).includes(third), false);
  });

  await t.test("STOP with a company's name, to its own number, is for this company alone", async () => {
    const [awa, binta] = [await withSender("AWANUM"), await withSender("BINTANUM")];
    const phone = newPhone();
    await w.admin("/v1/admin/inbound/number/create", { number: "36113", companyId: awa.companyId });
    await write(awa, phone, "AWANUM");
    await write(binta, phone, "BINTANUM");
    await reply(phone, "STOP BINTANUM", "36113");
    assert.deepEqual([await outOf(awa), await outOf(binta)], [[], []]);
    await reply(phone, "STOP AWANUM", "36113");
    assert.deepEqual([await outOf(awa), await outOf(binta)], [[phone], []]);
  });

  await t.test("START ends the opt-out also when another company has written since", async () => {
    const [left, other, phone] = [
      await w.company({ credits: 10 }),
      await w.company({ credits: 10 }),
      newPhone(),
    ];
    await write(left, phone);
    await reply(phone, "STOP");
    await write(other, phone);
    await reply(phone, "START");
    assert.deepEqual(await outOf(left), []);
  });

  await t.test("a message that the operator refused was not written", async () => {
    const [first, last] = [await w.company({ credits: 10 }), await w.company({ credits: 10 })];
    const phone = "2250700010001";
    await rows(w.app, INSERT_MESSAGE, [first.companyId, await campaignOf(first), phone]);
    await write(last, phone);
    await reply(phone, "STOP");
    assert.deepEqual([await outOf(first), await outOf(last)], [[phone], []]);
  });

  await t.test("one-time passwords are exempt: who sends one has not written", async () => {
    const [company, other, phone] = [await w.company({ credits: 10 }), await w.company(), newPhone()];
    await write(company, phone);
    await rows(w.app, INSERT_MESSAGE, [other.companyId, newId(), phone]);
    await reply(phone, "STOP");
    assert.deepEqual([await outOf(company), await outOf(other)], [[phone], []]);
  });

  await t.test("a run of a recurring campaign writes too", async () => {
    const [first, weekly, phone] = [
      await w.company({ credits: 10 }),
      await w.company({ credits: 10 }),
      newPhone(),
    ];
    await write(first, phone);
    const midnight = "2026-01-01T00:00:00Z";
    const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    const recurring = Object.fromEntries(days.map((day) => [day, midnight]));
    const campaign = { contacts: [phone], text: "Bonjour", type: "RECURRING", recurring };
    const { data } = await weekly.call("/v1/campaign/create", campaign);
    const tomorrow = new Date(new Date().setUTCHours(24, 0, 0, 0));
    await runDueCampaigns(w.app, tomorrow);
    await until(async () => {
      const messages = await weekly.call(`/v1/campaign/${data.id}/messages`);
      return messages.data[0]?.sentAt;
    });
    await reply(phone, "STOP");
    assert.deepEqual([await outOf(first), await outOf(weekly)], [[], [phone]]);
  });

  await t.test("a reply is read in whatever coding it comes", async () => {
    const company = await w.company({ credits: 100 });
    const header = Buffer.from([5, 0, 3, 1, 1, 1]);
    const table: [name: string, pdu: Partial<DeliverSm>][] = [
      ["GSM-7", { dataCoding: 0, shortMessage: Buffer.from("Stop") }],
      ["IA5", { dataCoding: 1, shortMessage: Buffer.from("STOP") }],
      ["Latin-1", { dataCoding: 3, shortMessage: Buffer.from("ARRÊT", "latin1") }],
      ["UCS-2", { dataCoding: 8, shortMessage: Buffer.from("ARRÊT", "utf16le").swap16() }],
      ["UCS-2, class 1", { dataCoding: 0x19, shortMessage: Buffer.from("Arrêt", "utf16le").swap16() }],
      ["a header before it", { esmClass: 0x40, shortMessage: Buffer.concat([header, Buffer.from("STOP")]) }],
      [
        "in message_payload",
        { shortMessage: Buffer.alloc(0), tlvs: { messagePayload: Buffer.from("STOP") } },
      ],
    ];
    const { data: operators } = await w.admin("/v1/admin/operator/list");
    const operatorIds = operators.map(({ id }: { id: string }) => id);
    for (const [name, pdu] of table) {
      const phone = newPhone();
      await write(company, phone);
      const whole = { esmClass: 0, dataCoding: 0, shortMessage: Buffer.alloc(0), ...pdu } as DeliverSm;
      await receiveMessage(w.app, { ...BY_DEFAULT, operatorIds, from: `+${phone}`, pdu: whole });
      assert.equal((await outOf(company))[0], phone, name);
    }
    const nonsense: [from: string, pdu: Partial<DeliverSm>][] = [
      ["", { shortMessage: Buffer.from("STOP") }],
      ["36111", { shortMessage: Buffer.from("STOP") }],
      [newPhone(), { shortMessage: Buffer.alloc(0) }],
      [newPhone(), { esmClass: 0x40, shortMessage: Buffer.from([200, 1]) }],
      [newPhone(), { dataCoding: 8, shortMessage: Buffer.from([0xd8]) }],
    ];
    for (const [from, pdu] of nonsense) {
      const whole = { esmClass: 0, dataCoding: 0, ...pdu } as DeliverSm;
      await receiveMessage(w.app, { ...BY_DEFAULT, operatorIds, from, pdu: whole });
    }
    assert.equal((await company.call("/v1/optout/list")).totalCount, table.length);
  });

  /** The id of some campaign of a company, to other people. */
  async function campaignOf(company: Company): Promise<string> {
    const campaign = { contacts: [newPhone()], text: "Bonjour" };
    return (await company.call("/v1/campaign/create", campaign)).data.id;
  }
});

test("where data_coding 0 is Latin-1 for an operator, its replies are read so", async (t) => {
  const here = await testService(t, { config: { simulator: false } });
  const latin = await dialect(here, t, { alphabet: "latin-1", dataCoding: 0 });
  const [{ destinationAddr: phone }] = await sentBy(latin, "Bonjour");
  const shortMessage = Buffer.from("ARRÊT", "latin1");
  const said = { sourceAddr: phone, destinationAddr: "ATUMPAN", dataCoding: 0, shortMessage };
  assert.equal((await latin.operator.sessions[0]!.deliver(said)).status, 0);
  const { data } = await latin.company.call("/v1/optout/list");
  assert.deepEqual(
    data.map((row: { phone: string }) => row.phone),
    [phone],
  );
});

const BY_DEFAULT = {
  sessionId: null,
  messageId: null,
  country: "CI",
  settings: { alphabet: "gsm-7", dataCoding: 0, repeatWindowS: 10 },
  to: "ATUMPAN",
} as const;

const INSERT_MESSAGE = `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, sent_at)
  VALUES ($1, $2, 1000, $3, 'SENT', 1, 1, now())`;
