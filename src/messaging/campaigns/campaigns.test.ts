// Campaigns of type SMS through their URLs, in the words of the interface document.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atLength } from "../../../test/length.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";
import { newId } from "../../platform/ids.ts";

/** As many as one request may name are accepted in `src/ledger/credits/credits.test.ts`. */
const RECIPIENTS = atLength({ short: 3_000, night: 10_000 });
const HEX_24 = /^[0-9a-f]{24}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

async function settled(company: Company, id: string) {
  return until(async () => {
    const { data } = await company.call(`/v1/campaign/${id}`);
    return data.stats.queued === 0 && data.stats.sent === 0 && data;
  });
}

test("campaigns", async (t) => {
  const w = await testService(t);

  await t.test("the minimal example: phones, text and type", async () => {
    const company = await w.company({ credits: 10 });
    const contacts = [{ phone: "2250700000101" }, { phone: "2250700000102" }];
    const { data } = await company.call("/v1/campaign/create", { contacts, text: "Bonjour", type: "SMS" });
    assert.match(data.id, HEX_24);
    assert.match(data.createdAt, ISO);
    assert.deepEqual(
      { ...data, id: "", campaignId: "", name: "", createdAt: "" },
      {
        id: "",
        campaignId: "",
        name: "",
        text: "Bonjour",
        type: "SMS",
        status: "PENDING",
        scheduledDate: null,
        createdAt: "",
        contactCount: 2,
        creditUsed: 2,
        blockedContacts: [],
        blockedCount: 0,
        senderIdId: null,
        userId: company.userId,
        _count: { contacts: 2, groups: 0 },
      },
    );
    assert.equal(data.campaignId, data.id);
    const done = await settled(company, data.id);
    assert.equal(done.status, "SENT");
    assert.deepEqual(done.stats, { total: 2, queued: 0, sent: 0, delivered: 2, failed: 0, blocked: 0 });
  });

  await t.test("a number ending in 0001 makes the campaign FAILED and refunds it", async () => {
    const company = await w.company({ credits: 10 });
    const { data } = await company.call("/v1/campaign/create", {
      contacts: ["2250700000001"],
      text: "Bonjour",
    });
    assert.equal(data.creditUsed, 1);
    const done = await settled(company, data.id);
    assert.equal(done.status, "FAILED");
    assert.equal(done.creditUsed, 1);
    assert.equal(done.creditRefunded, 1);
    assert.equal((await company.call("/v1/credit/balance")).data, 10);
    const messages = await company.call(`/v1/campaign/${data.id}/messages`);
    assert.deepEqual(messages.data, [
      {
        ...{ id: `${data.id}-1`, phone: "2250700000001" },
        status: "REJECTED",
        segments: 1,
        credits: 1,
        error: "ESME_RINVDSTADR",
        errorReason: "L’opérateur ne connaît pas ce numéro ou ne le dessert pas.",
        sentAt: null,
        deliveredAt: null,
      },
    ]);
    assert.equal(messages.totalCount, 1);
  });

  await t.test("the price is held at once: the balance shows it before anything is delivered", async () => {
    const company = await w.company({ credits: 100 });
    const contacts = Array.from({ length: 60 }, (_, i) => `22507000011${10 + i}`);
    const { data } = await company.call("/v1/campaign/create", { contacts, text: "Bonjour" });
    assert.equal(data.creditUsed, 60);
    assert.equal((await company.call("/v1/credit/balance")).data, 40);
    assert.equal((await company.call("/v1/user/credit")).data, 40);
  });

  await t.test("another country costs five times as much, and accents cost segments", async () => {
    const company = await w.company({ credits: 100 });
    const one = await company.call("/v1/campaign/create", {
      contacts: ["+33 6 12 34 56 78"],
      text: "Bonjour",
    });
    assert.equal(one.data.creditUsed, 5);
    const accents = await company.call("/v1/campaign/create", {
      contacts: ["2250700000101"],
      text: "ê".repeat(71),
    });
    assert.equal(accents.data.creditUsed, 2);
  });

  await t.test("too few credits: nothing is sent, nothing is kept", async () => {
    const company = await w.company({ credits: 1 });
    const contacts = ["2250700000101", "2250700000102"];
    assert.equal(
      (await company.call("/v1/campaign/create", { contacts, text: "Bonjour" })).error,
      "insufficient-credits",
    );
    assert.equal((await company.call("/v1/credit/balance")).data, 1);
    assert.equal((await company.call("/v1/campaign/list")).totalCount, 0);
    assert.equal((await company.call("/v1/contact/list")).totalCount, 0);
  });

  await t.test("each recipient gets a text of its own, and values are never expanded again", async () => {
    const company = await w.company({ credits: 10 });
    await company.call("/v1/contact/create", {
      contacts: [{ phone: "2250700000301", name: "Awa", firstName: "Awa" }],
    });
    const contacts = ["2250700000301", { phone: "2250700000302", name: "@phone" }, "2250700000303"];
    const { data } = await company.call("/v1/campaign/create", {
      contacts,
      text: "Bonjour @name (@unknown)",
    });
    await settled(company, data.id);
    const inbox = await w.admin("/v1/admin/simulator/inbox", { limit: 1000 });
    const texts = Object.fromEntries(
      inbox.data.map((message: { to: string; text: string }) => [message.to, message.text]),
    );
    assert.equal(texts["2250700000301"], "Bonjour Awa (@unknown)");
    assert.equal(texts["2250700000302"], "Bonjour @phone (@unknown)");
    assert.equal(texts["2250700000303"], "Bonjour 2250700000303 (@unknown)");
  });

  await t.test(
    "L14: one phone in several forms is one message; the others are blocked as duplicates",
    async () => {
      const company = await w.company({ credits: 10 });
      const contacts = [
        { phone: "+225 07 00 00 04 01", name: "Awa" },
        "2250700000401",
        "00225-0700000401",
        "0700000401",
      ];
      const { data } = await company.call("/v1/campaign/create", { contacts, text: "Bonjour" });
      assert.equal(data.contactCount, 1);
      assert.equal(data.creditUsed, 1);
      assert.deepEqual(
        data.blockedContacts.map(({ phone, code }: { phone: string; code: string }) => [phone, code]),
        [
          ["2250700000401", "duplicate"],
          ["00225-0700000401", "duplicate"],
          ["0700000401", "duplicate"],
        ],
      );
      assert.equal((await company.call(`/v1/campaign/${data.id}`)).data.stats.blocked, 3);
    },
  );

  for (const [wanted, twice, out] of [
    [{}, "Ce numéro est déjà dans la liste.", "Cette personne a demandé à ne plus recevoir de messages."],
    [{ language: "en" }, "This number is already in the list.", "This person has opted out of messages."],
  ] as const)
    await t.test(`the company is told in its language who is blocked and why: ${out}`, async () => {
      const company = await w.company({ credits: 10, ...wanted });
      await company.call("/v1/optout/create", { phone: "2250700000412" });
      const contacts = ["2250700000411", "2250700000411", "2250700000412"];
      for (const path of ["quote", "create"]) {
        const { data } = await company.call(`/v1/campaign/${path}`, { contacts, text: "Bonjour" });
        assert.deepEqual(data.blockedContacts, [
          { phone: "2250700000411", name: null, code: "duplicate", reason: twice },
          { phone: "2250700000412", name: null, code: "opted-out", reason: out },
        ]);
      }
      const alone = await company.call("/v1/campaign/create", {
        contacts: ["2250700000412"],
        text: "Bonjour",
      });
      assert.equal(alone.error, "no-recipient");
      assert.deepEqual(alone.details, [{ field: "contacts[0].phone", message: out }]);
    });

  await t.test(
    "contacts that do not exist are created from what the campaign says, others stay as they are",
    async () => {
      const company = await w.company({ credits: 10 });
      await company.call("/v1/contact/create", { phone: "2250700000501", name: "Avant" });
      const contacts = [
        { phone: "2250700000501", name: "Après" },
        { phone: "2250700000502", name: "Neuf", sex: "F" },
      ];
      await company.call("/v1/campaign/create", { contacts, text: "Bonjour" });
      const { data } = await company.call("/v1/contact/list", { orderBy: "phone" });
      assert.deepEqual(
        data.map(({ name, sex }: { name: string; sex: string | null }) => [name, sex]),
        [
          ["Avant", null],
          ["Neuf", "F"],
        ],
      );
    },
  );

  await t.test("what a campaign cannot be, by error code", async () => {
    const company = await w.company({ credits: 10 });
    const create = async (body: object) =>
      (await company.call("/v1/campaign/create", { text: "Bonjour", ...body })).error;
    const contacts = ["2250700000101"];
    assert.equal(await create({ contacts: [] }), "no-recipient");
    assert.equal(await create({}), "no-recipient");
    assert.equal(
      await create({ contacts: Array.from({ length: 10_001 }, () => "2250700000101") }),
      "too-many-contacts",
    );
    assert.equal(await create({ contacts, senderId: "NOBODY" }), "sender-not-found");
    for (const length of [1_531, 10_001, 1_000_000])
      assert.equal(await create({ contacts, text: "x".repeat(length) }), "message-too-long");
    const long = { contacts, text: "x".repeat(10_001) };
    assert.equal((await company.call("/v1/campaign/quote", long)).error, "message-too-long");
    assert.equal(
      await create({ groupsIds: Array.from({ length: 10_001 }, () => newId()) }),
      "too-many-contacts",
    );
    assert.equal(await create({ contacts, text: "" }), "invalid-request");
    assert.equal(await create({ contacts, text: 5 }), "invalid-request");
    assert.equal(await create({ contacts: [5] }), "invalid-request");
    const bad = await company.call("/v1/campaign/create", {
      text: "x",
      contacts: ["2250700000101", "abc", { phone: "12" }, "", { phone: "2".repeat(65) }],
    });
    assert.equal(bad.error, "invalid-phone-number");
    assert.deepEqual(
      bad.details?.map(({ field }) => field),
      ["contacts[1].phone", "contacts[2].phone", "contacts[3].phone", "contacts[4].phone"],
    );
    assert.equal((await company.call("/v1/campaign/list")).totalCount, 0);
  });

  await t.test("the sender is named by its full name, within the company, and accepted", async () => {
    const company = await w.company({ credits: 10 });
    const insert = (name: string, status: string) =>
      w.app.database.run(
        {
          name: "test.insertSender",
          text: "INSERT INTO senders (company_id, id, name, description, status) VALUES ($1, $2, $3, '', $4)",
        },
        [company.companyId, newId(), name, status],
      );
    await insert("Ma Boutique", "ACCEPTED");
    await insert("PENDING1", "PENDING");
    const create = (senderId?: string) =>
      company.call("/v1/campaign/create", {
        contacts: ["2250700000601"],
        text: "Bonjour",
        ...(senderId && { senderId }),
      });
    assert.match((await create("Ma Boutique")).data.senderIdId, HEX_24);
    assert.match((await create("ma boutique")).data.senderIdId, HEX_24);
    assert.match((await create()).data.senderIdId, HEX_24, "the only accepted sender is the default");
    assert.equal((await create("PENDING1")).error, "sender-not-accepted");
    const other = await w.company({ credits: 10 });
    const foreign = await other.call("/v1/campaign/create", {
      contacts: ["2250700000601"],
      text: "x",
      senderId: "Ma Boutique",
    });
    assert.equal(foreign.error, "sender-not-found");
    await until(async () => {
      const { data } = await w.admin("/v1/admin/simulator/inbox", { phone: "2250700000601" });
      return data.length === 3 && data.every((message: { from: string }) => message.from === "Ma Boutique");
    });
  });

  await t.test("campaigns are listed newest first, with the counts of the list", async () => {
    const company = await w.company({ credits: 10 });
    const ids: string[] = [];
    for (const name of ["un", "deux", "trois"]) {
      ids.push(
        (await company.call("/v1/campaign/create", { name, contacts: ["2250700000701"], text: "x" })).data.id,
      );
    }
    const page = await company.call("/v1/campaign/list", { limit: 2 });
    assert.deepEqual(
      page.data.map((row: { id: string }) => row.id),
      [ids[2], ids[1]],
    );
    const { totalCount, count, page: number, totalPage } = page;
    assert.deepEqual(
      { totalCount, count, number, totalPage },
      { totalCount: 3, count: 2, number: 1, totalPage: 2 },
    );
    const first = page.data[0];
    const expected = {
      name: "trois",
      text: "x",
      type: "SMS",
      scheduledDate: null,
      contactCount: 1,
      senderIdId: null,
      userId: company.userId,
    };
    for (const [field, value] of Object.entries(expected)) assert.deepEqual(first[field], value, field);
    const oldest = await company.call("/v1/campaign/list", {
      sort: "asc",
      orderBy: "firstName",
      page: 2,
      limit: 2,
    });
    assert.deepEqual(
      oldest.data.map((row: { id: string }) => row.id),
      [ids[2]],
    );
  });

  await t.test("A02: another company's campaign answers like one that does not exist", async () => {
    const [owner, unauthenticated] = [await w.company({ credits: 10 }), await w.company()];
    const { data } = await owner.call("/v1/campaign/create", { contacts: ["2250700000801"], text: "secret" });
    for (const path of ["", "/messages"]) {
      const foreign = await unauthenticated.call(`/v1/campaign/${data.id}${path}`);
      assert.deepEqual(foreign, await unauthenticated.call(`/v1/campaign/${newId()}${path}`));
      assert.equal(foreign.error, "campaign-not-found");
    }
  });

  await t.test(
    `P02: ${RECIPIENTS} recipients are accepted at once, and all of them are reached`,
    async () => {
      const company = await w.company({ credits: RECIPIENTS });
      const contacts = Array.from({ length: RECIPIENTS }, (_, i) => ({
        phone: String(2_250_800_000_000 + i * 100 + 99),
      }));
      const { data } = await company.call("/v1/campaign/create", { contacts, text: "Bonjour à tous" });
      assert.equal(data.contactCount, RECIPIENTS);
      const done = await settled(company, data.id);
      assert.equal(done.stats.delivered, RECIPIENTS);
      const last = await company.call(`/v1/campaign/${data.id}/messages`, {
        page: RECIPIENTS / 100,
        limit: 100,
      });
      assert.equal(last.data.at(-1).phone, contacts.at(-1)!.phone);
      assert.equal(last.totalPage, RECIPIENTS / 100);
      assert.equal((await w.admin("/v1/admin/credit/audit")).data.balanced, true);
    },
  );
});
