// What handsets wrote is personal data: it goes with its person, its company and its time, and is in the archive.
import assert from "node:assert/strict";
import { test } from "node:test";
import { strFromU8, unzipSync } from "fflate";
import { forgetReceived } from "../../src/messaging/inbound/inbound.ts";
import { newId } from "../../src/platform/ids.ts";
import { dataOf } from "../applications.ts";
import { newNumber } from "../belongings.ts";
import { newPhone } from "../codes.ts";
import { sentBy } from "../dialects.ts";
import { ERASE, ERASE_PERSON, erased, tablesWith } from "../erasures.ts";
import { deliver, keywordFor, numberFor, scriptedOperator, segment, textsOf } from "../incoming.ts";
import { resellerOf } from "../reselling.ts";
import { rows } from "../sending.ts";
import { testService, until } from "../testservice.ts";
import { traces } from "../twins.ts";

const DAY_MS = 24 * 3_600_000;

test("H27: what a person wrote goes with the person, of one company or of all", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const [company, other] = [await here.company(), await here.company()];
  const [number, theirs] = [await numberFor(here, company), await numberFor(here, other)];
  const [phone, neighbour] = [gsm.phone, newPhone()];
  for (const text of ["Je suis Awa", "et encore"]) await deliver(gsm, phone, number.number, text);
  await deliver(gsm, phone, theirs.number, "à vous");
  await deliver(gsm, neighbour, number.number, "voisin");
  await deliver(gsm, phone, "36111", "à personne");
  await deliver(gsm, phone, number.number, segment(1, 2, 1, Buffer.from("moitie")));
  const { erased: counts } = await erased(company.call, ERASE, phone);
  assert.equal(counts.received, 2);
  assert.deepEqual([await textsOf(company), await textsOf(other)], [["voisin"], ["à vous"]]);
  const ofAll = await erased(here.admin, ERASE_PERSON, phone);
  assert.equal(ofAll.erased.received, 2);
  assert.deepEqual(await tablesWith(here, phone), []);
  assert.deepEqual(await textsOf(company), ["voisin"]);
});

test("H27: who was erased and says STOP is heard and not kept", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const { company } = gsm;
  const { number } = await numberFor(here, company);
  await dataOf(company.call("/v1/optout/create", { phone: gsm.phone }));
  await erased(company.call, ERASE, gsm.phone);
  await deliver(gsm, gsm.phone, number, "STOP");
  assert.deepEqual(await textsOf(company), []);
  assert.deepEqual(await tablesWith(here, gsm.phone), []);
  const ended = await company.call("/v1/optout/delete", { phone: gsm.phone });
  assert.equal(ended.warnings?.[0]?.field, "phone", "it is the person's own now");
});

test("H28: the archive has what was received, and a closed company keeps nothing of it", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const company = await here.company();
  const [own, shared] = [await numberFor(here, company), await numberFor(here)];
  await keywordFor(here, company, shared.id, "PROMO");
  await deliver(gsm, gsm.phone, own.number, "=1+1");
  const { id } = await dataOf(company.call("/v1/company/export"));
  const { url } = await until(async () => {
    const now = await dataOf(company.call(`/v1/company/export/${id}`));
    return now.status === "DONE" && now;
  });
  const files = unzipSync(new Uint8Array(await (await fetch(url)).arrayBuffer()));
  const [row, ...more] = JSON.parse(strFromU8(files["inbound.json"]!));
  assert.deepEqual([row.from, row.to, row.text, more], [gsm.phone, own.number, "=1+1", []]);
  assert.ok(strFromU8(files["inbound.csv"]!).includes("'=1+1"), "no cell is a formula");

  await dataOf(company.call("/v1/company/close", { confirm: company.companyId }));
  await rows(here.app, "UPDATE closings SET empty_at = now()");
  const emptied = "SELECT FROM closings WHERE emptied_at IS NOT NULL";
  await until(async () => (await rows(here.app, emptied)).length > 0);
  assert.deepEqual(
    (await traces(here, [gsm.phone, "=1+1"])).filter((found) => !found.startsWith("audit_log")),
    [],
  );
  const numbers = await dataOf(here.admin("/v1/admin/inbound/number/list"));
  assert.deepEqual(
    numbers.map(({ companyId }: { companyId: string | null }) => companyId),
    [null, null],
  );
  assert.deepEqual(await dataOf(here.admin("/v1/admin/inbound/keyword/list", { numberId: shared.id })), []);
});

test("H28: what comes while a company is emptied is not left, nor what was written to its customers", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const { company } = gsm;
  await sentBy(gsm, "Bonjour");
  const customer = await (await resellerOf(here, company)).customer();
  await dataOf(company.call("/v1/company/close", { confirm: company.companyId }));
  await rows(here.app, "UPDATE closings SET step = 'customers', empty_at = now() + interval '1 hour'");
  await deliver(gsm, gsm.phone, "ATUMPAN", "Je suis Awa");
  const received = "SELECT company_id FROM inbound_messages";
  assert.deepEqual(await rows(here.app, received), [{ company_id: company.companyId }]);
  await rows(
    here.app,
    `INSERT INTO inbound_messages (company_id, id, phone, address, body, encoding, segments, is_sought)
     VALUES ($1, $2, $3, 'SALON', 'Je suis Awa', 'GSM-7', 1, true)`,
    [customer, newId(), gsm.phone],
  );
  await rows(here.app, "UPDATE closings SET empty_at = now()");
  const emptied = "SELECT FROM closings WHERE emptied_at IS NOT NULL";
  await until(async () => (await rows(here.app, emptied)).length > 0);
  assert.deepEqual(await rows(here.app, received), []);
});

test("H28: a closed company is given no number and no keyword", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"] as const) } });
  const company = await here.company();
  const shared = await numberFor(here);
  const given = { companyId: company.companyId };
  const give = async () => [
    (await here.admin("/v1/admin/inbound/number/create", { number: newNumber(), ...given })).error,
    (await here.admin(`/v1/admin/inbound/number/${shared.id}/update`, given)).error,
    (
      await here.admin("/v1/admin/inbound/keyword/create", {
        ...{ numberId: shared.id, keyword: "PROMO" },
        ...given,
      })
    ).error,
  ];
  await dataOf(company.call("/v1/company/close", { confirm: company.companyId }));
  assert.deepEqual(await give(), ["conflict", "conflict", "conflict"]);
  await dataOf(company.call("/v1/company/reopen"));
  assert.deepEqual(await give(), [null, null, null]);
});

test("H26: texts of received messages go after 90 days, and the messages after 13 months", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const company = await here.company();
  const { number } = await numberFor(here, company);
  for (const [text, days] of [
    ["young", 0],
    ["89 days", 89],
    ["91 days", 91],
    ["14 months", 430],
  ] as const) {
    await deliver(gsm, gsm.phone, number, text);
    const id = newId(Date.now() - days * DAY_MS);
    await rows(here.app, "UPDATE inbound_messages SET id = $2 WHERE body = $1", [text, id]);
  }
  const kept = {
    ...here.app,
    config: { ...here.app.config, retentionTextsDays: 0, retentionMessagesMonths: 0 },
  };
  await forgetReceived(kept);
  assert.equal((await textsOf(company)).length, 4);
  await forgetReceived(here.app);
  assert.deepEqual(await textsOf(company), [null, "89 days", "young"]);
});
