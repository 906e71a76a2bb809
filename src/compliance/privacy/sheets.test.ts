// Sheets: a CSV of a send that French spreadsheets open, for whoever may read, as long as nobody in it is erased.
import assert from "node:assert/strict";
import { get } from "node:http";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { ERASE, erased } from "../../../test/erasures.ts";
import { atLength, inShortRuns } from "../../../test/length.ts";
import { inBulk, rows, send, settled } from "../../../test/sending.ts";
import { callBy, companyOf, signIn } from "../../../test/signins.ts";
import { type Company, type TestService, testService, until } from "../../../test/testservice.ts";
import { newId } from "../../platform/ids.ts";
import { writeSheets } from "./exports.ts";

const { signal } = new AbortController();
const REJECTED = "2250700000001";

const begin = (company: Company, id: string, body: object = {}) =>
  company.call(`/v1/campaign/${id}/export`, body);
const read = (company: Company, exportId: string) => company.call(`/v1/campaign/export/${exportId}`);

async function written(here: TestService, company: Company, id: string, body: object = {}) {
  const { exportId } = await dataOf(begin(company, id, body));
  await writeSheets(here.app, signal);
  // Another process of this test service may have taken it first.
  return until(async () => {
    const sheet = await dataOf(read(company, exportId));
    return sheet.status === "DONE" && sheet;
  });
}

/** The bytes of a link for a client that takes none compressed. */
function plainly(url: string): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  get(url, (response) => resolve(buffer(response))).on("error", reject);
  return promise;
}

test("sheets", inShortRuns, async (t) => {
  const here = await testService(t);

  await t.test("a sheet has all messages, in words and at the time of the company", async () => {
    const company = await here.company({ credits: 10 });
    const [phone, evil] = [newPhone(), "=1+1;@cmd"];
    const contacts = [{ phone, name: evil }, REJECTED];
    const { id } = await dataOf(company.call("/v1/campaign/create", { contacts, text: "Bonjour" }));
    await settled(company, id);
    await until(async () =>
      (await dataOf(company.call(`/v1/campaign/${id}/messages`))).some(
        ({ status }: { status: string }) => status === "DELIVERED",
      ),
    );
    const sheet = await written(here, company, id);
    assert.deepEqual([sheet.rows, sheet.percent, sheet.campaignId, sheet.runId], [2, 100, id, id]);
    const response = await fetch(sheet.url);
    assert.equal(response.headers.get("content-type"), "text/csv; charset=utf-8");
    assert.equal(response.headers.get("content-encoding"), "gzip");
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.deepEqual(await plainly(sheet.url), bytes);
    const [head, ...lines] = bytes.toString().split("\r\n");
    assert.equal(
      head,
      "\ufeffNuméro;Nom;Statut;Raison;Segments;Crédits;Opérateur;Envoyé le;Remis le",
      "the mark and the separator of French spreadsheets",
    );
    const time = String.raw`\d\d/\d\d/20\d\d \d\d:\d\d:\d\d`;
    assert.match(lines[0]!, new RegExp(`^${phone};"'=1\\+1;'@cmd";Remis;;1;1;simulator;${time};${time}$`));
    assert.match(lines[1]!, new RegExp(`^${REJECTED};;Refusé;.+;1;1;simulator;;$`));
    assert.deepEqual(lines.slice(2), [""]);
  });

  await t.test("a sheet of one status has those messages alone", async () => {
    const company = await here.company({ credits: 10 });
    const { id } = await dataOf(
      company.call("/v1/campaign/create", { contacts: [newPhone(), REJECTED, newPhone()], text: "Bonjour" }),
    );
    await settled(company, id);
    const sheet = await written(here, company, id, { status: "REJECTED" });
    assert.deepEqual([sheet.messageStatus, sheet.rows, sheet.percent], ["REJECTED", 1, 100]);
    const [, line, ...rest] = (await (await fetch(sheet.url)).text()).split("\r\n");
    assert.match(line!, new RegExp(`^${REJECTED};;Refusé;`));
    assert.deepEqual(rest, [""]);
    assert.equal((await begin(company, id, { status: "GONE" })).error, "invalid-request");
    await rows(
      here.app,
      `INSERT INTO exports (id, company_id, campaign_id, send_id, message_count, status, leased_until)
       VALUES ($1, $2, $3, $3, 3, 'WAITING', 'infinity')`,
      [newId(), company.companyId, id],
    );
    const other = await begin(company, id, { status: "SENT" });
    assert.deepEqual([other.error, other.details?.[0]?.field], ["conflict", "status"]);
    assert.equal((await begin(company, id)).success, true);
  });

  await t.test("a link is for keys that may read, and dies with its own", async () => {
    const company = await here.company({ credits: 10 });
    const id = await send(company, newPhone());
    const { exportId } = await written(here, company, id);
    const keyWith = async (scopes: string[]) =>
      dataOf(company.call("/v1/company/key/create", { name: "Caisse", scopes }));
    const reader = await keyWith(["read"]);
    const readAs = (apiKey: string) =>
      here.call(`/v1/campaign/export/${exportId}`, { apiKey, companyId: company.companyId });
    const { url } = await dataOf(readAs(reader.apiKey));
    assert.equal((await fetch(url)).status, 200);
    assert.equal((await readAs((await keyWith(["send"])).apiKey)).error, "not-authorized");
    await dataOf(company.call(`/v1/company/key/${reader.id}/revoke`));
    assert.equal((await fetch(url)).status, 404);
    const other = await here.company();
    assert.equal((await read(other, exportId)).error, "not-found");
    assert.equal((await begin(other, id)).error, "campaign-not-found");
    assert.equal((await company.call(`/v1/company/export/${exportId}`)).error, "not-found");
    const { id: archive } = await dataOf(company.call("/v1/company/export"));
    assert.equal((await read(company, archive)).error, "not-found");
  });

  await t.test("a link that a session has read opens the sheet, and dies with the session", async () => {
    const phone = newPhone();
    const company = await companyOf(here, phone);
    const { companyId } = company;
    await dataOf(here.admin("/v1/admin/credit/grant", { companyId, credit: 10, reason: "test" }));
    const { exportId } = await written(here, company, await send(company, newPhone()));
    const { sessionKey } = await signIn(here, phone);
    const readBySession = callBy(here, sessionKey, companyId);
    const { url } = await dataOf(readBySession(`/v1/campaign/export/${exportId}`));
    assert.equal((await fetch(url)).status, 200);
    const [session] = await dataOf(readBySession("/v1/session/list"));
    await dataOf(readBySession(`/v1/session/${session.id}/end`));
    assert.equal((await fetch(url)).status, 404);
  });

  await t.test("an erasure ends the sheets of the company", async () => {
    const company = await here.company({ credits: 10 });
    const phone = newPhone();
    const id = await send(company, phone);
    await settled(company, id);
    const { exportId, url } = await written(here, company, id);
    await erased(company.call, ERASE, phone);
    assert.equal((await dataOf(read(company, exportId))).url, null);
    assert.equal((await fetch(url)).status, 404);
    const again = await written(here, company, id);
    assert.ok(!(await plainly(again.url)).includes(phone));
  });
});

test("a sheet of many pages survives the process that writes it, and is one at a time", async (t) => {
  const here = await testService(t, {
    config: { roles: new Set(["api"]), simulator: true },
    limits: { sheetsPerDay: 2 },
  });
  const company = await here.company({ credits: 10 });
  const MANY = atLength({ short: 2_500, long: 50_000, night: 1_000_000 });
  const weekly = {
    contacts: [newPhone()],
    text: "Bonjour",
    type: "RECURRING",
    recurring: { monday: "08:00" },
  };
  const { id: waiting } = await dataOf(company.call("/v1/campaign/create", weekly));
  assert.equal((await begin(company, waiting)).error, "conflict", "nothing was sent yet");
  assert.equal((await begin(company, waiting, { runId: "none" })).error, "campaign-not-found");
  const id = await send(company, newPhone());
  await rows(here.app, "DELETE FROM batches");
  const recorded = `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price)
    SELECT $1, $2, n, '22507' || lpad(n::text, 8, '0'), 'REJECTED', 1, 1 FROM generate_series(1, $3::int) n`;
  await inBulk(here.app, recorded, [company.companyId, id, MANY]);
  const { exportId, status } = await dataOf(begin(company, id));
  assert.equal(status, "RUNNING");
  assert.equal((await dataOf(begin(company, id))).exportId, exportId);
  // As if the campaign had been accepted for so many, and a first writer had died after a part.
  const died = `UPDATE exports SET message_count = $1, attempt = 1, leased_until = now() + interval '1 hour'`;
  await rows(here.app, died, [MANY]);
  await rows(here.app, "INSERT INTO export_parts VALUES ($1 || ' 1 0', $1, 1, 0, 'half')", [exportId]);
  await writeSheets(here.app, signal);
  assert.equal((await dataOf(read(company, exportId))).status, "RUNNING");
  await rows(here.app, "UPDATE exports SET leased_until = now()");
  await writeSheets(here.app, signal);
  const sheet = await dataOf(read(company, exportId));
  assert.deepEqual([sheet.status, sheet.rows], ["DONE", MANY]);
  const lines = (await plainly(sheet.url)).toString().split("\r\n");
  assert.deepEqual(
    [lines.length, lines.at(-2)!.split(";")[0]],
    [MANY + 2, `22507${String(MANY).padStart(8, "0")}`],
  );
  await dataOf(begin(company, id));
  await writeSheets(here.app, signal);
  assert.equal((await begin(company, id)).error, "too-many-requests");
});
