// Export: an archive has everything of its company and nothing of others, and only its link opens it.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { strFromU8, unzipSync } from "fflate";
import { forgetExports, writeExports } from "../../src/compliance/privacy/exports.ts";
import { dataOf } from "../applications.ts";
import { newPhone, sendCode } from "../codes.ts";
import { inBulk, rows, send, settled } from "../sending.ts";
import { type Company, type TestService, testService, until } from "../testservice.ts";

const { signal } = new AbortController();

async function exported(company: Company) {
  const { id } = await dataOf(company.call("/v1/company/export"));
  return until(async () => {
    const now = await dataOf(company.call(`/v1/company/export/${id}`));
    return now.status === "DONE" && now;
  });
}

async function filesAt(url: string): Promise<Record<string, string>> {
  const response = await fetch(url);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/zip");
  const bytes = new Uint8Array(await response.arrayBuffer());
  assert.equal(Number(response.headers.get("content-length")), bytes.length);
  return Object.fromEntries(Object.entries(unzipSync(bytes)).map(([name, file]) => [name, strFromU8(file)]));
}

/** What a link answers, once it is not busy: two downloads of an archive may be open, and a server notes their ends late. */
function status(link: string): Promise<number> {
  return until(async () => {
    const response = await fetch(link);
    await response.body!.cancel();
    return response.status !== 503 && response.status;
  });
}

/** As many contacts as several pages and several parts have, with names that do not compress. */
function manyContacts(here: TestService, company: Company, count: number) {
  return inBulk(
    here.app,
    `INSERT INTO contacts (company_id, id, phone, name)
     SELECT $1, lpad(to_hex(n), 24, '0'), '2250900' || lpad(n::text, 6, '0'), md5(n::text) || md5((n + 1)::text) || md5((n + 2)::text) || md5((n + 3)::text)
     FROM generate_series(1, $2::int) n`,
    [company.companyId, count],
  );
}

test("H28: an archive has all of a company as CSV and JSON, and no cell is a formula", async (t) => {
  const here = await testService(t);
  const [company, other] = [await here.company({ credits: 100 }), await here.company({ credits: 100 })];
  const [phone, foreign] = [newPhone(), newPhone()];
  const evil = `=cmd|' /C calc'!A0`;
  // A French spreadsheet begins a cell behind the semicolon.
  await dataOf(company.call("/v1/group/create", { name: "Amis;=1+1", description: "Awa - Yao\n@SUM(1)" }));
  await dataOf(
    company.call("/v1/group/create", {
      name: 'Clients "fidèles", Abidjan',
      contacts: [{ phone, name: evil, fields: { city: "Man" } }],
    }),
  );
  await dataOf(company.call("/v1/optout/create", { phone: foreign }));
  await settled(company, await send(company, phone, "+Bonjour\nAwa"));
  await settled(other, await send(other, foreign, "Secret des autres"));
  await sendCode(here, company);
  const { url, percent, rows: rowCount, expiresAt } = await exported(company);
  assert.equal(percent, 100);
  assert.ok(rowCount >= 8);
  assert.ok(expiresAt);
  const files = await filesAt(url);
  const names = [
    "contacts",
    "groups",
    "group-contacts",
    "senders",
    "optouts",
    "campaigns",
    "messages",
    "statement",
    "drafts",
    "draft-contacts",
    "templates",
  ];
  names.push(
    "applications",
    "connections",
    "one-time-passwords",
    "imports",
    "imports-rejected",
    "top-ups",
    "inbound",
    "webhooks",
  );
  assert.deepEqual(
    Object.keys(files).sort(),
    names.flatMap((name) => [`${name}.csv`, `${name}.json`]).sort(),
  );
  const json = (name: string) => JSON.parse(files[`${name}.json`]!);
  const [contact] = (await dataOf(company.call("/v1/contact/list"))) as Record<string, unknown>[];
  assert.deepEqual(json("contacts"), [contact]);
  assert.deepEqual(Object.keys(json("contacts")[0]), [
    "id",
    "name",
    "firstName",
    "lastName",
    "phone",
    "sex",
    "fields",
    "createdAt",
  ]);
  assert.match(files["contacts.csv"]!, /^\ufeff?id,name,firstName,lastName,phone,sex,fields,createdAt\r\n/);
  assert.deepEqual(json("contacts")[0].fields, { city: "Man" });
  assert.ok(files["contacts.csv"]!.includes(',"{""city"":""Man""}",'));
  assert.ok(files["contacts.csv"]!.includes(`'${evil}`));
  assert.ok(files["campaigns.csv"]!.includes(`"'+Bonjour\nAwa"`));
  assert.ok(files["groups.csv"]!.includes(`"Amis;'=1+1","Awa - Yao\n'@SUM(1)"`));
  assert.ok(files["groups.csv"]!.includes('"Clients ""fidèles"", Abidjan"'));
  assert.equal(json("campaigns")[0].text, "+Bonjour\nAwa");
  const sent = json("messages").find((message: { phone: string }) => message.phone === phone);
  assert.deepEqual([sent.status, sent.segments], ["DELIVERED", 1]);
  assert.deepEqual(
    json("one-time-passwords").map((hour: { sent: number }) => hour.sent),
    [1],
  );
  const statement = json("statement").reduce(
    (sum: number, { amount }: { amount: number }) => sum + amount,
    0,
  );
  assert.equal(statement, await dataOf(company.call("/v1/credit/balance")));
  assert.ok(!JSON.stringify(files).includes("Secret des autres"));
});

test("H28: who is killed while writing leaves nothing of its attempt, and pages and parts come whole", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"] as const) } });
  const company = await here.company();
  const COUNT = 5_500;
  await manyContacts(here, company, COUNT);
  const { id } = await dataOf(company.call("/v1/company/export"));
  assert.equal((await dataOf(company.call("/v1/company/export"))).id, id, "one at a time");
  // The first writer dies after some parts: its lease ends, and another one begins anew.
  await rows(
    here.app,
    "UPDATE exports SET attempt = 3, leased_until = now() + interval '1 hour', percent = 50",
  );
  await rows(here.app, "INSERT INTO export_parts VALUES ($1 || ' 3 0', $1, 3, 0, 'half')", [id]);
  await writeExports(here.app, signal);
  assert.equal((await dataOf(company.call(`/v1/company/export/${id}`))).status, "RUNNING");
  await rows(here.app, "UPDATE exports SET leased_until = now()");
  await writeExports(here.app, signal);
  const { status, url, bytes } = await dataOf(company.call(`/v1/company/export/${id}`));
  assert.equal(status, "DONE");
  assert.ok(bytes > 256 * 1024, "it has several parts");
  const files = await filesAt(url);
  assert.equal(JSON.parse(files["contacts.json"]!).length, COUNT);
  assert.equal(files["contacts.csv"]!.trim().split("\r\n").length, COUNT + 1);
  await forgetExports(here.app, signal);
  assert.deepEqual(await rows(here.app, "SELECT FROM export_parts WHERE attempt = 3"), []);
  await filesAt(url);

  const [row] = await rows(here.app, "SELECT token_digest, sealed_token FROM exports");
  const token = url.split("/").at(-1);
  assert.ok(!JSON.stringify(row).includes(token), "the database does not open it");
  const parts = await rows(here.app, "SELECT sealed FROM export_parts");
  assert.ok(parts.every(({ sealed }: { sealed: string }) => sealed.startsWith("1.")));

  await rows(here.app, "UPDATE exports SET expires_at = now()");
  assert.equal((await fetch(url)).status, 404);
  await forgetExports(here.app, signal);
  assert.deepEqual(await rows(here.app, "SELECT FROM export_parts"), []);
});

test("H28: an archive is its company's own, some a day, and too large a one fails whole", async (t) => {
  const here = await testService(t, { limits: { exportsPerDay: 2, exportBytes: 1_000, downloadsAtOnce: 0 } });
  const [company, unauthenticated] = [await here.company(), await here.company()];
  const ended = async () => {
    const { id } = await dataOf(company.call("/v1/company/export"));
    return until(async () => {
      const now = await dataOf(company.call(`/v1/company/export/${id}`));
      return now.status !== "RUNNING" && now;
    });
  };
  const { id, status, url } = await ended();
  assert.deepEqual([status, url], ["FAILED", null]);
  assert.equal((await unauthenticated.call(`/v1/company/export/${id}`)).error, "not-found");
  await ended();
  assert.equal((await company.call("/v1/company/export")).error, "too-many-requests");
  await rows(
    here.app,
    "UPDATE exports SET status = 'RUNNING', attempt = 9, expires_at = NULL, leased_until = now() WHERE id = $1",
    [id],
  );
  await until(async () => (await dataOf(company.call(`/v1/company/export/${id}`))).status === "FAILED");
  await forgetExports(here.app, signal);
  assert.deepEqual(await rows(here.app, "SELECT FROM export_parts"), []);
  const busy = await fetch(`${here.url}/exports/${"x".repeat(32)}`);
  assert.deepEqual([busy.status, busy.headers.get("retry-after")], [503, "30"]);
});

test("H28: a link dies with the key by which it was read, and other keys of owners get their own", async (t) => {
  const here = await testService(t);
  const company = await here.company();
  const { id, url } = await exported(company);
  const made = await dataOf(company.call("/v1/company/key/create", { name: "Sauvegarde" }));
  const member = await dataOf(
    company.call("/v1/company/member/create", { name: "Awa", phone: newPhone(), role: "owner" }),
  );
  const linkOf = async (apiKey: string) =>
    (await dataOf(here.call(`/v1/company/export/${id}`, { apiKey, companyId: company.companyId }))).url;
  const [ofKey, ofMember] = [await linkOf(made.apiKey), await linkOf(member.apiKey)];
  assert.deepEqual(await Promise.all([url, ofKey, ofMember].map(status)), [200, 200, 200]);
  assert.equal(await status(`${ofKey.slice(0, -32)}${"x".repeat(32)}`), 404);
  await dataOf(company.call(`/v1/company/key/${made.id}/revoke`));
  await dataOf(company.call(`/v1/company/member/${member.id}/update`, { role: "approver" }));
  assert.deepEqual(await Promise.all([url, ofKey, ofMember].map(status)), [200, 404, 404]);
  const { apiKey } = await dataOf(company.call("/v1/user/key/regenerate"));
  assert.equal(await status(url), 404);
  assert.equal(await status(await linkOf(apiKey)), 200);
});

test("H28: whatever takes a key back, or its right to archives, ends its links", async (t) => {
  const here = await testService(t);
  const company = await here.company();
  const { companyId } = company;
  const { id } = await exported(company);
  const linkOf = async (apiKey: string): Promise<string> =>
    (await dataOf(here.call(`/v1/company/export/${id}`, { apiKey, companyId }))).url;
  const keyOf = (wish = {}) =>
    dataOf(company.call("/v1/company/key/create", { name: "Sauvegarde", ...wish }));
  const owner = () =>
    dataOf(company.call("/v1/company/member/create", { name: "Awa", phone: newPhone(), role: "owner" }));
  const change = (key: string, change: object) =>
    dataOf(company.call(`/v1/company/key/${key}/update`, change));
  const ends: [
    how: string,
    make: () => Promise<{ id: string; apiKey: string }>,
    end: (id: string) => unknown,
  ][] = [
    ["scopes", keyOf, (key) => change(key, { scopes: ["read"] })],
    [
      "its time",
      keyOf,
      (key) => rows(here.app, "UPDATE api_keys SET expires_at = now() WHERE id = $1", [key]),
    ],
    [
      "a member who is removed",
      owner,
      (member) => dataOf(company.call(`/v1/company/member/${member}/remove`)),
    ],
    [
      "a key of a member whose role is lowered",
      async () => keyOf({ memberId: (await owner()).id }),
      async (key) => {
        const keys = (await dataOf(company.call("/v1/company/key/list"))) as {
          id: string;
          memberId: string;
        }[];
        const { memberId } = keys.find((one) => one.id === key)!;
        await dataOf(company.call(`/v1/company/member/${memberId}/update`, { role: "editor" }));
      },
    ],
  ];
  for (const [how, make, end] of ends) {
    const made = await make();
    const link = await linkOf(made.apiKey);
    assert.equal(await status(link), 200, how);
    await end(made.id);
    assert.equal(await status(link), 404, how);
  }
  const [ofOwner, ofKey] = [await linkOf(company.apiKey), await linkOf((await keyOf()).apiKey)];
  const reset = (body = {}) => dataOf(here.admin(`/v1/admin/company/${companyId}/key/reset`, body));
  await reset();
  assert.deepEqual([await status(ofOwner), await status(ofKey)], [404, 200]);
  const { apiKey } = await reset({ all: true });
  assert.equal(await status(ofKey), 404);
  const own = await linkOf(apiKey);
  await dataOf(here.call("/v1/company/close", { apiKey, companyId, confirm: companyId }));
  assert.equal(await status(own), 200, "whoever closes may fetch what was theirs");
  await rows(here.app, "UPDATE closings SET empty_at = now()");
  await until(async () => (await status(own)) === 404);
});

test("H28: a suspended company's archive is shut, and one archive does not take all downloads", async (t) => {
  const here = await testService(t, { limits: { downloadsOfAccount: 3 } });
  const [company, neighbour] = [await here.company(), await here.company()];
  await manyContacts(here, company, 120_000);
  const { url } = await exported(company);
  const second = (await exported(company)).url;
  const other = (await exported(neighbour)).url;
  // Those that read nothing: what the sockets cannot hold waits.
  const slow: Response[] = await Promise.all([fetch(url), fetch(url)]);
  assert.equal((await fetch(url)).status, 503);
  slow.push(await fetch(second));
  assert.deepEqual([slow[2]!.status, (await fetch(second)).status], [200, 503], "A4 its share is used");
  assert.equal(await status(other), 200, "A4 others download");
  await until(() => here.app.database.pool.inUse === 0);
  await Promise.all(slow.map((response) => response.body!.cancel()));
  await until(async () => (await status(url)) === 200);
  await dataOf(here.admin(`/v1/admin/company/${company.companyId}/suspend`, { reason: "Hameçonnage" }));
  assert.equal((await fetch(url)).status, 404);
  await dataOf(here.admin(`/v1/admin/company/${company.companyId}/resume`));
  await dataOf(company.call("/v1/company/close", { confirm: company.companyId }));
  assert.equal(await status(url), 200);
});

test("H28: answers that a stranger does not read take no download from others", async (t) => {
  const limits = { downloadsAtOnce: 2 };
  const here = await testService(t, { limits });
  const company = await here.company();
  const { url } = await exported(company);
  const { hostname, port } = new URL(here.url);
  const socket = connect(Number(port), hostname).on("error", () => {});
  t.after(() => socket.destroy());
  // Answers come in the order of their requests: those behind one that is not read wait for it.
  socket.pause();
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`;
  const wrong = get(`/exports/${"a".repeat(32)}.${"b".repeat(32)}`);
  const { apiKey, companyId } = company;
  const body = JSON.stringify({ apiKey, companyId, name: "Amis" });
  const last = `POST /v1/group/create HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  socket.write(get("/docs").repeat(60) + wrong.repeat(limits.downloadsAtOnce) + last);
  await until(async () => (await dataOf(company.call("/v1/group/list"))).length > 0);
  await filesAt(url);
});
