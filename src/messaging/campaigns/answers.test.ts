// What campaigns refuse, are called and give back: through their URLs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../../test/sending.ts";
import { type Company, testService } from "../../../test/testservice.ts";
import { runDueCampaigns } from "./due.ts";

const CONTACTS = ["2250700030011"];
const QUARTER_MS = 15 * 60_000;
const NEXT_WEEK = new Date(Math.ceil(Date.now() / QUARTER_MS) * QUARTER_MS + 7 * 86_400_000).toISOString();

test("what campaigns refuse, are called and give back", async (t) => {
  const w = await testService(t);
  const company = await w.company({ credits: 1_000 });
  const create = (body: object, of: Company = company) =>
    of.call("/v1/campaign/create", { contacts: CONTACTS, text: "Bonjour", ...body });

  await t.test("a time that contradicts the type is invalid-schedule, and nothing is sent", async () => {
    const weekly = { monday: "08:30" };
    const contradictions = [
      { body: { scheduledDate: NEXT_WEEK }, field: "scheduledDate" },
      { body: { scheduledDate: NEXT_WEEK, type: "SMS" }, field: "scheduledDate" },
      { body: { scheduledDate: NEXT_WEEK, type: "RECURRING", recurring: weekly }, field: "scheduledDate" },
      { body: { recurring: weekly }, field: "recurring" },
      { body: { recurring: weekly, type: "SCHEDULED", scheduledDate: NEXT_WEEK }, field: "recurring" },
    ];
    const before = (await company.call("/v1/campaign/list")).totalCount;
    for (const path of ["/v1/campaign/create", "/v1/campaign/quote"])
      for (const { body, field } of contradictions) {
        const answer = await company.call(path, { contacts: CONTACTS, text: "Bonjour", ...body });
        assert.equal(answer.error, "invalid-schedule", JSON.stringify([path, body]));
        assert.equal(answer.details?.[0]?.field, field, JSON.stringify(body));
        assert.match(answer.details?.[0]?.message ?? "", /^exige le type [A-Z]+, mais le type est [A-Z]+$/);
      }
    assert.equal((await company.call("/v1/campaign/list")).totalCount, before);
    assert.equal((await create({ scheduledDate: null, recurring: null })).success, true);
  });

  await t.test("recurring takes HH:MM, and ignores what other clients send back with it", async () => {
    const recurring = {
      ...{ id: "66f0c0ffee00000000000001", campaignId: null, enabled: true },
      ...{ monday: "08:30", tuesday: null, friday: "2027-01-01T17:00:00+01:00" },
    };
    const made = await create({ type: "RECURRING", recurring });
    assert.equal(made.success, true, JSON.stringify(made));
    assert.equal(made.warnings, undefined);
    const { data } = await company.call(`/v1/campaign/${made.data.id}`);
    assert.deepEqual(data.recurring, { monday: "08:30", friday: "16:00" });
    assert.equal((await create({ type: "RECURRING", recurring: data.recurring })).success, true);
    for (const bad of ["24:00", "8:30", "08:31", "08:30:00", " 08:30", "08:60"])
      assert.equal(
        (await create({ type: "RECURRING", recurring: { monday: bad } })).error,
        "invalid-schedule",
      );
    for (const none of [{}, { id: "x", enabled: true }, { monday: null }])
      assert.equal((await create({ type: "RECURRING", recurring: none })).error, "invalid-schedule");
    const partly = await create({ type: "RECURRING", recurring: { monday: "08:30", tuesday: "" } });
    assert.equal(partly.success, true, JSON.stringify(partly));
    const unknown = await create({ type: "RECURRING", recurring: { Monday: "08:30" } });
    assert.deepEqual([unknown.error, unknown.warnings], ["invalid-schedule", undefined]);
  });

  await t.test("a campaign tells its sender, when it last changed, and in lists what it cost", async () => {
    const own = await w.company({ credits: 1_000 });
    const made = (await create({}, own)).data;
    const report = (await own.call(`/v1/campaign/${made.id}`)).data;
    assert.deepEqual(report.sender, { id: null, name: "ATUMPAN" });
    assert.equal(report.recurring, null);
    assert.equal(report.updatedAt, report.createdAt);
    const sender = (await own.call("/v1/sender/create", { name: "BOUTIQUE", description: "x" })).data.id;
    await w.admin(`/v1/admin/sender/${sender}/accept`, { reason: "Test" });
    const named = { senderId: "BOUTIQUE", type: "SCHEDULED", scheduledDate: NEXT_WEEK };
    const { id } = (await create(named, own)).data;
    await runDueCampaigns(w.app, new Date(NEXT_WEEK));
    const ran = (await own.call(`/v1/campaign/${id}`)).data;
    assert.deepEqual(ran.sender, { id: sender, name: "BOUTIQUE" });
    assert.ok(ran.updatedAt > ran.createdAt, JSON.stringify(ran));
    const rows = (await own.call("/v1/campaign/list")).data;
    assert.deepEqual(
      rows.map((row: { creditUsed: number }) => row.creditUsed),
      [1, 1],
    );
    assert.equal((await own.call(`/v1/sender/${sender}/campaign`)).data[0].creditUsed, 1);
    const series = (await create({ type: "RECURRING", recurring: { sunday: "00:15" } }, own)).data;
    const canceled = (await own.call(`/v1/campaign/${series.id}/cancel`)).data;
    assert.ok(canceled.updatedAt > canceled.createdAt, JSON.stringify(canceled));
    assert.deepEqual(canceled.recurring, { sunday: "00:15" });
  });

  await t.test(
    "a campaign always has a name: its own, or one made of the moment; a run has its campaign's",
    async () => {
      assert.equal((await create({ name: "Rentrée" })).data.name, "Rentrée");
      const own = await w.company({ credits: 10 });
      const made = (await create({}, own)).data;
      assert.match(made.name, /^SMS du \d\d\/\d\d\/\d{4} à \d\d:\d\d$/);
      assert.equal((await own.call(`/v1/campaign/${made.id}`)).data.name, made.name);
      assert.equal((await own.call("/v1/campaign/list")).data[0].name, made.name);
      const english = await w.company({ credits: 10, language: "en" });
      assert.match((await create({}, english)).data.name, /^SMS of .* at \d\d:\d\d$/);
      const monthly = { name: "Lundis", type: "RECURRING", recurring: { monday: "08:30" } };
      const { id } = (await create(monthly, own)).data;
      await runDueCampaigns(w.app, new Date(Date.now() + 8 * 86_400_000));
      assert.equal((await own.call(`/v1/campaign/${id}`)).data.runs[0].name, "Lundis");
    },
  );

  await t.test("a campaign that was stored without a name has one when it is read", async () => {
    const { id } = (await create({})).data;
    const older = "UPDATE campaigns SET name = NULL, created_at = '2026-11-20T08:17:30Z' WHERE id = $1";
    await rows(w.app, older, [id]);
    assert.equal((await company.call(`/v1/campaign/${id}`)).data.name, "SMS du 20/11/2026 à 08:17");
    assert.equal((await company.call("/v1/campaign/list")).data[0].name, "SMS du 20/11/2026 à 08:17");
  });

  await t.test(
    "words that are no variables and numbers that no phone has any more are warned of, and sent",
    async () => {
      const contacts = ["22507070707", { phone: "+229 97 00 00 00" }, "0102030405", { phone: "07 07 07 08" }];
      const asked = { contacts, text: "Bonjour @prenom, vous devez @montant F. contact@boutique.ci" };
      const made = await create(asked);
      assert.deepEqual(made.warnings, [
        {
          field: "text",
          message: "`@prenom` n’est pas une variable et reste tel quel ; vouliez-vous dire `@firstName` ?",
        },
        {
          field: "text",
          message:
            "`@montant` n’est pas une variable et reste tel quel ; les variables sont `@name`, `@firstName`, `@lastName`, `@phone`",
        },
        {
          field: "contacts[0].phone",
          message:
            "les numéros de Côte d’Ivoire ont 10 chiffres depuis le 31/01/2021 : celui-ci est devenu 2250707070707, mais le SMS est envoyé à l’ancien numéro",
        },
        {
          field: "contacts[1].phone",
          message:
            "les numéros du Bénin ont 10 chiffres depuis le 30/11/2024 : celui-ci est devenu 2290197000000, mais le SMS est envoyé à l’ancien numéro",
        },
        {
          field: "contacts[3].phone",
          message:
            "les numéros de Côte d’Ivoire ont 10 chiffres depuis le 31/01/2021 : celui-ci est devenu 2250707070708, mais le SMS est envoyé à l’ancien numéro",
        },
      ]);
      assert.equal(made.data.contactCount, 4);
      const sent = (await company.call(`/v1/campaign/${made.data.id}/messages`)).data;
      assert.deepEqual(
        sent.map((message: { phone: string }) => message.phone),
        ["22507070707", "22997000000", "2250102030405", "22507070708"],
      );
      assert.deepEqual((await company.call("/v1/campaign/quote", asked)).warnings, made.warnings);
      const english = await w.company({ credits: 10, language: "en" });
      const [word, phone] = (await create({ text: "Hi @Name", contacts: ["22510000000"] }, english))
        .warnings!;
      assert.equal(word?.message, "`@Name` is not a variable and stays as it is; did you mean `@name`?");
      assert.match(
        phone?.message ?? "",
        /^numbers of Côte d’Ivoire have 10 digits since .*: this one is too short$/,
      );
    },
  );

  await t.test("thousands of old numbers are told of as twenty warnings", async () => {
    const contacts = Array.from({ length: 5_000 }, (_, i) => `22507${100_000 + i}`);
    const { warnings } = await company.call("/v1/campaign/quote", { contacts, text: "Bonjour @name" });
    assert.equal(warnings?.length, 20);
    assert.deepEqual(warnings?.at(-1), {
      field: "body",
      message: "4982 autres avertissements ne sont pas affichés",
    });
  });
});
