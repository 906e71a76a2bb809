// Campaigns to groups, at a time, every week; canceled, quoted, repeated: through their URLs and by a clock of our own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atLength } from "../../../test/length.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";
import { query } from "../../platform/database/query.ts";
import { runDueCampaigns } from "./due.ts";

/** More than the 10,000 that are queued at once. */
const MANY = atLength({ short: 11_000, night: 25_000 });
const HOUR_MS = 3_600_000;
const QUARTER_MS = 15 * 60_000;

const listRuns = query<{ occurrence: Date; failure: string | null }>(
  "test.listRuns",
  "SELECT occurrence, failure FROM campaign_runs WHERE campaign_id = $1 ORDER BY occurrence",
);

async function settled(company: Company, id: string) {
  return until(async () => {
    const { data } = await company.call(`/v1/campaign/${id}`);
    return data.stats.queued === 0 && data.stats.sent === 0 && data;
  });
}

/** A quarter of an hour some hours from now, as callers write it. */
function quarterIn(hours: number): Date {
  return new Date(Math.ceil((Date.now() + hours * HOUR_MS) / QUARTER_MS) * QUARTER_MS);
}

const phonesFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => String(first + i * 100));

test("campaigns of every type", async (t) => {
  const w = await testService(t);
  const at = (date: Date) => runDueCampaigns(w.app, date);

  async function groupOf(company: Company, phones: string[], name = "Clients"): Promise<string> {
    const group = (await company.call("/v1/group/create", { name })).data.id;
    for (let i = 0; i < phones.length; i += 10_000) {
      const { data } = await company.call("/v1/contact/create", { contacts: phones.slice(i, i + 10_000) });
      await company.call(`/v1/group/${group}/contacts/add`, {
        contactIds: data.map((contact: { id: string }) => contact.id),
      });
    }
    return group;
  }

  await t.test(
    "recipients are the contacts and the members of the groups, one message per phone",
    async () => {
      const company = await w.company({ credits: 100 });
      const one = await groupOf(company, ["2250700010011", "2250700010012"]);
      const two = await groupOf(company, ["2250700010012", "2250700010013"], "Autres");
      const { data } = await company.call("/v1/campaign/create", {
        contacts: ["2250700010011", "2250700010014"],
        groupsIds: [one, two, one],
        text: "Bonjour @name",
      });
      assert.equal(data.contactCount, 4);
      assert.equal(data.creditUsed, 4);
      assert.deepEqual(data._count, { contacts: 4, groups: 2 });
      assert.deepEqual(data.blockedContacts, []);
      const done = await settled(company, data.id);
      assert.equal(done.stats.delivered, 4);
    },
  );

  await t.test(
    "groups alone are enough; unknown and foreign groups are refused, nobody is no-recipient",
    async () => {
      const [company, other] = [await w.company({ credits: 100 }), await w.company()];
      const foreign = await groupOf(other, ["2250700010021"]);
      const empty = await groupOf(company, []);
      const create = async (body: object) =>
        (await company.call("/v1/campaign/create", { text: "x", ...body })).error;
      assert.equal(await create({ groupsIds: [foreign] }), "group-not-found");
      assert.equal(await create({ groupsIds: ["000000000000000000000000"] }), "group-not-found");
      assert.equal(await create({ groupsIds: [empty] }), "no-recipient");
      const full = await groupOf(company, ["2250700010022"]);
      assert.equal(await create({ groupsIds: [full] }), null);
    },
  );

  await t.test(
    `a group of ${MANY} is held whole at once, queued in steps, and reached to the last`,
    async () => {
      const company = await w.company({ credits: MANY + 5_000 });
      const group = await groupOf(company, phonesFrom(2_250_710_000_099, MANY));
      const { data } = await company.call("/v1/campaign/create", { groupsIds: [group], text: "Bonjour" });
      assert.equal(data.contactCount, MANY);
      assert.equal(data.creditUsed, MANY);
      assert.equal((await company.call("/v1/credit/balance")).data, 5_000);
      assert.equal((await w.admin("/v1/admin/credit/audit")).data.balanced, true);
      const done = await until(async () => {
        const { data: now } = await company.call(`/v1/campaign/${data.id}`);
        return now.stats.delivered === MANY && now;
      });
      assert.equal(done.status, "SENT");
      const audit = (await w.admin("/v1/admin/credit/audit")).data;
      assert.equal(audit.balanced, true);
      assert.equal(audit.held, 0);
    },
  );

  await t.test("a scheduled campaign holds when it fires, to its groups as they are then", async () => {
    const company = await w.company({ credits: 10 });
    const group = await groupOf(company, ["2250700010031"]);
    const date = quarterIn(2);
    const { data } = await company.call("/v1/campaign/create", {
      contacts: ["2250700010032"],
      groupsIds: [group],
      text: "Demain",
      type: "SCHEDULED",
      scheduledDate: date.toISOString(),
    });
    assert.equal(data.status, "PENDING");
    assert.equal(data.scheduledDate, date.toISOString());
    assert.equal(data.contactCount, 2);
    assert.equal((await company.call("/v1/credit/balance")).data, 10);
    await company.call(`/v1/group/${group}/contacts/add`, { contacts: [{ phone: "2250700010033" }] });
    await at(new Date(date.getTime() - 1));
    assert.equal((await company.call(`/v1/campaign/${data.id}`)).data.status, "PENDING");
    await at(date);
    const done = await settled(company, data.id);
    assert.equal(done.status, "SENT");
    assert.equal(done.contactCount, 3);
    assert.equal(done.creditUsed, 3);
    assert.equal((await company.call("/v1/credit/balance")).data, 7);
    await at(new Date(date.getTime() + HOUR_MS));
    assert.equal((await w.app.database.run(listRuns, [data.id])).length, 1);
  });

  await t.test("T06: too few credits when it fires: FAILED, nothing sent; a series goes on", async () => {
    const company = await w.company({ credits: 1 });
    const date = quarterIn(1);
    const contacts = ["2250700010041", "2250700010042"];
    const once = await company.call("/v1/campaign/create", {
      contacts,
      text: "x",
      type: "SCHEDULED",
      scheduledDate: date.toISOString(),
    });
    const every = Object.fromEntries(
      ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((day) => [
        day,
        date.toISOString(),
      ]),
    );
    const series = await company.call("/v1/campaign/create", {
      contacts,
      text: "x",
      type: "RECURRING",
      recurring: every,
    });
    assert.equal(series.data.status, "ACTIVE");
    await at(date);
    const failed = (await company.call(`/v1/campaign/${once.data.id}`)).data;
    assert.deepEqual([failed.status, failed.failure], ["FAILED", "insufficient-credits"]);
    assert.equal(failed.contactCount, 2);
    assert.deepEqual([failed.stats.total, failed.stats.queued, failed.stats.failed], [2, 0, 2]);
    await w.admin("/v1/admin/credit/grant", { companyId: company.companyId, credit: 10, reason: "test" });
    await at(new Date(date.getTime() + 24 * HOUR_MS));
    const { data } = await company.call(`/v1/campaign/${series.data.id}`);
    assert.equal(data.status, "ACTIVE");
    assert.deepEqual(
      data.runs.map((run: { error: string | null; contactCount: number }) => [run.error, run.contactCount]),
      [
        [null, 2],
        ["insufficient-credits", 0],
      ],
    );
    assert.equal(data.creditUsed, 2);
    await until(async () => (await company.call(`/v1/campaign/${series.data.id}/messages`)).totalCount === 2);
    assert.equal((await company.call("/v1/credit/balance")).data, 9);
  });

  await t.test("who opts out before a run is blocked by that run, and counted there", async () => {
    const company = await w.company({ credits: 10 });
    const date = quarterIn(1);
    const contacts = ["2250700010051", "2250700010052"];
    const create = async (body: object) =>
      (await company.call("/v1/campaign/create", { contacts, text: "x", ...body })).data.id;
    const once = await create({ type: "SCHEDULED", scheduledDate: date.toISOString() });
    const weekday = date.toLocaleDateString("en", { weekday: "long", timeZone: "UTC" }).toLowerCase();
    const series = await create({ type: "RECURRING", recurring: { [weekday]: date.toISOString() } });
    const read = async (id: string) => (await company.call(`/v1/campaign/${id}`)).data;
    assert.equal((await read(once)).stats.blocked, 0);
    await company.call("/v1/optout/create", { phone: "2250700010052" });
    await at(date);
    const [sent, ran] = [await read(once), await read(series)];
    assert.deepEqual([sent.contactCount, sent.stats.total, sent.stats.blocked], [1, 1, 1]);
    assert.deepEqual([ran.stats.total, ran.stats.blocked, ran.runs[0].stats.blocked], [1, 1, 1]);
  });

  await t.test(
    "T02: late by less than an hour it runs, later it is recorded as missed, and nothing is charged",
    async () => {
      const company = await w.company({ credits: 10 });
      const date = quarterIn(3);
      const create = () =>
        company.call("/v1/campaign/create", {
          contacts: ["2250700010051"],
          text: "x",
          type: "SCHEDULED",
          scheduledDate: date.toISOString(),
        });
      const [late, lost] = [await create(), await create()];
      const waiting = await company.call(`/v1/campaign/${lost.data.id}/messages`);
      assert.deepEqual([waiting.totalCount, waiting.count], [0, 0]);
      await company.call(`/v1/campaign/${lost.data.id}/cancel`);
      const { stats } = (await company.call(`/v1/campaign/${lost.data.id}`)).data;
      assert.deepEqual([stats.total, stats.queued, stats.failed], [1, 0, 1]);
      const missed = await create();
      await at(new Date(date.getTime() + HOUR_MS));
      assert.equal((await settled(company, late.data.id)).status, "SENT");
      assert.equal((await company.call(`/v1/campaign/${lost.data.id}`)).data.status, "CANCELED");
      assert.equal((await settled(company, missed.data.id)).status, "SENT");
      const tooLate = quarterIn(5);
      const { data } = await company.call("/v1/campaign/create", {
        contacts: ["2250700010052"],
        text: "x",
        type: "SCHEDULED",
        scheduledDate: tooLate.toISOString(),
      });
      await at(new Date(tooLate.getTime() + HOUR_MS + 1));
      assert.equal((await company.call(`/v1/campaign/${data.id}`)).data.status, "FAILED");
      assert.deepEqual(
        (await w.app.database.run(listRuns, [data.id])).map((run) => run.failure),
        ["missed"],
      );
      assert.equal((await company.call("/v1/credit/balance")).data, 8);
    },
  );

  await t.test(
    "T01, T07: an occurrence runs once, however many clocks look, and when they go back",
    async () => {
      const company = await w.company({ credits: 100 });
      const date = quarterIn(7);
      const { data } = await company.call("/v1/campaign/create", {
        contacts: ["2250700010061"],
        text: "x",
        type: "SCHEDULED",
        scheduledDate: date.toISOString(),
      });
      await Promise.all(Array.from({ length: 8 }, () => at(date)));
      await at(new Date(date.getTime() - 2 * HOUR_MS));
      await at(date);
      assert.equal((await w.app.database.run(listRuns, [data.id])).length, 1);
      assert.equal((await settled(company, data.id)).creditUsed, 1);
    },
  );

  await t.test("what a time cannot be is invalid-schedule", async () => {
    const company = await w.company({ credits: 10 });
    const create = async (body: object) =>
      (await company.call("/v1/campaign/create", { contacts: ["2250700010071"], text: "x", ...body })).error;
    const year = new Date().getUTCFullYear() + 1;
    for (const scheduledDate of [
      `${year}-02-30T10:00:00Z`,
      quarterIn(2)
        .toISOString()
        .replace(/:\d\d:00\.000Z/, ":07:00Z"),
      quarterIn(2).toISOString().slice(0, -1),
      new Date(Date.now() - 24 * HOUR_MS).toISOString(),
      undefined,
    ]) {
      assert.equal(await create({ type: "SCHEDULED", scheduledDate }), "invalid-schedule", scheduledDate);
    }
    for (const recurring of [undefined, {}, { someday: quarterIn(1).toISOString() }, { monday: "noon" }]) {
      assert.equal(await create({ type: "RECURRING", recurring }), "invalid-schedule");
    }
    assert.equal(await create({ type: "WEEKLY" }), "invalid-request");
  });

  await t.test("cancel: what is not yet at the operator is released, once", async () => {
    const company = await w.company({ credits: 3_000 });
    const contacts = phonesFrom(2_250_720_000_099, 2_000);
    const { data } = await company.call("/v1/campaign/create", { contacts, text: "x" });
    const canceled = await company.call(`/v1/campaign/${data.id}/cancel`);
    assert.equal(canceled.data.status, "CANCELED");
    assert.equal((await company.call(`/v1/campaign/${data.id}/cancel`)).error, "campaign-not-cancelable");
    const done = await settled(company, data.id);
    const accepted = done.stats.delivered;
    assert.equal(done.creditRefunded, 2_000 - accepted);
    assert.equal((await company.call("/v1/credit/balance")).data, 3_000 - accepted);
    const inbox = await w.admin("/v1/admin/simulator/inbox", { limit: 100_000 });
    assert.equal(
      inbox.data.filter((message: { to: string }) => message.to.startsWith("2250720")).length,
      accepted,
    );
    assert.equal((await w.admin("/v1/admin/credit/audit")).data.balanced, true);
    const finished = await company.call("/v1/campaign/create", { contacts: ["2250700010081"], text: "x" });
    await settled(company, finished.data.id);
    assert.equal(
      (await company.call(`/v1/campaign/${finished.data.id}/cancel`)).error,
      "campaign-not-cancelable",
    );
    assert.equal(
      (await company.call("/v1/campaign/000000000000000000000000/cancel")).error,
      "campaign-not-found",
    );
  });

  await t.test("a quote tells what creating would cost, and sends nothing", async () => {
    const company = await w.company({ credits: 5 });
    const { data } = await company.call("/v1/campaign/quote", {
      contacts: [
        "2250700010091",
        "+33612345678",
        { phone: "2250700010092", name: "Chloé ê" },
        "2250700010091",
      ],
      text: "Bonjour @name, à bientôt",
    });
    assert.equal(data.contactCount, 3);
    assert.equal(data.creditUsed, 7);
    assert.equal(data.balance, 5);
    assert.equal(data.balanceAfter, -2);
    assert.equal(data.sufficient, false);
    assert.equal(data.encodings["UCS-2"].messages, 3);
    assert.deepEqual(data.bySegments, [{ segments: 1, messages: 3 }]);
    assert.deepEqual(data.unicodeCharacters, [{ character: "ô", replacement: "o", count: 1 }]);
    assert.deepEqual(
      data.blockedContacts.map(({ code }: { code: string }) => code),
      ["duplicate"],
    );
    assert.equal((await company.call("/v1/campaign/list")).totalCount, 0);
    assert.equal((await company.call("/v1/credit/balance")).data, 5);
  });

  await t.test("who opted out is blocked, not charged, and told", async () => {
    const company = await w.company({ credits: 5 });
    await company.call("/v1/optout/create", { phone: "2250700010101" });
    const contacts = [{ phone: "+2250700010101", name: "Awa" }, "2250700010102"];
    const { data } = await company.call("/v1/campaign/create", { contacts, text: "x" });
    assert.equal(data.contactCount, 1);
    assert.equal(data.creditUsed, 1);
    const [out] = data.blockedContacts;
    assert.deepEqual([out.phone, out.name, out.code], ["+2250700010101", "Awa", "opted-out"]);
  });

  await t.test(
    "L11: a repeat is answered as the first call was, even when its date has passed",
    async (t) => {
      const here = await testService(t);
      const company = await here.company({ credits: 10 });
      const scheduledDate = quarterIn(24).toISOString();
      const body = { contacts: ["2250700010111"], text: "x", type: "SCHEDULED", scheduledDate };
      const keyed = { ...body, idempotencyKey: "rappel-1" };
      const first = await company.call("/v1/campaign/create", keyed);
      assert.equal(first.success, true);
      // As for a date that has passed, the date is refused from now on.
      Object.assign(here.app.config.limits, { scheduleDaysAhead: 0 });
      assert.equal((await company.call("/v1/campaign/create", body)).error, "invalid-schedule");
      assert.deepEqual(await company.call("/v1/campaign/create", keyed), first);
    },
  );

  await t.test(
    "L11, L12: the same key and body again is the first answer again, and nothing else",
    async () => {
      const company = await w.company({ credits: 100 });
      const body = { contacts: ["2250700010111"], text: "x", idempotencyKey: "commande-1" };
      const first = await company.call("/v1/campaign/create", body);
      const { idempotencyKey, ...bare } = body;
      const again = await company.call("/v1/campaign/create", bare, { "Idempotency-Key": idempotencyKey });
      assert.deepEqual(again, first);
      assert.equal(JSON.stringify(again.data), JSON.stringify(first.data));
      // The members of an object have no order, and one with its default says nothing new.
      const reordered = { type: "SMS", text: "x", idempotencyKey, contacts: bare.contacts };
      assert.deepEqual(await company.call("/v1/campaign/create", reordered), first);
      const other = await company.call("/v1/campaign/create", { ...body, text: "y" });
      assert.equal(other.error, "idempotency-key-reused");
      assert.equal(
        (await company.call("/v1/campaign/create", { ...body, idempotencyKey: "a b" })).error,
        "invalid-request",
      );
      const burst = await Promise.all(
        Array.from({ length: 20 }, () =>
          company.call("/v1/campaign/create", { ...body, idempotencyKey: "rafale" }),
        ),
      );
      const ids = new Set(burst.filter((answer) => answer.success).map((answer) => answer.data.id));
      assert.equal(ids.size, 1);
      assert.ok(burst.every((answer) => answer.success || answer.error === "idempotency-in-progress"));
      assert.equal((await company.call("/v1/credit/balance")).data, 98);
      const unauthenticated = await w.company({ credits: 10 });
      assert.notEqual((await unauthenticated.call("/v1/campaign/create", body)).data.id, first.data.id);
      const grant = { companyId: company.companyId, credit: 5, reason: "test", idempotencyKey: "don-1" };
      assert.deepEqual(
        await w.admin("/v1/admin/credit/grant", grant),
        await w.admin("/v1/admin/credit/grant", grant),
      );
      assert.equal((await company.call("/v1/credit/balance")).data, 103);
    },
  );
});
