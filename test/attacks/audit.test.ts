// The audit log tells who did what, belongs to its change, and cannot be changed without being found out.
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { keepAuditMonths, logHeads } from "../../src/identity/audit/chains.ts";
import { newId } from "../../src/platform/ids.ts";
import { openLog } from "../../src/platform/log.ts";
import { application, dataOf, newSlug, testServiceWithWebhooks } from "../applications.ts";
import { claimable } from "../claims.ts";
import { newPhone } from "../codes.ts";
import { startReceiver } from "../receiver.ts";
import { asOwner, rows } from "../sending.ts";
import { type Company, type TestService, testService, until } from "../testservice.ts";
import { Visitor, waitingPairing } from "../visitor.ts";

const API_ONLY = { config: { roles: new Set(["api"] as const) } };

const entriesOf = async (company: Company, body = {}) =>
  (await company.call("/v1/company/audit/list", body)).data;

/** Writes to the log as its owner can, with the triggers off. */
async function forge(w: TestService, text: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client(w.ownerUrl);
  await client.connect();
  try {
    await client.query("SET session_replication_role = replica");
    await client.query(text, values);
  } finally {
    await client.end();
  }
}

const faultsOf = async (w: TestService, chain?: string) =>
  (await w.admin("/v1/admin/audit/verify", chain === undefined ? {} : { chain })).data.faults;

test("H23: an entry says who, from where, on what, before and after", async (t) => {
  const w = await testService(t, { config: { ...API_ONLY.config, trustProxy: ["127.0.0.1"] } });
  const company = await w.company();
  await rows(w.app, "UPDATE users SET name = 'Awa Koné' WHERE id = $1", [company.userId]);
  const made = await company.call("/v1/contact/create", { phone: "0700000001", name: "Yao" });
  const { id } = made.data[0];
  const from = { "X-Forwarded-For": "203.0.113.9" };
  const refused = await company.call(`/v1/contact/${id}/update`, { phone: "rien" });
  assert.equal(refused.error, "invalid-phone-number");
  await company.call(`/v1/contact/${id}/update`, { name: "Yao Kouassi", sex: "M" }, from);
  await company.call("/v1/contact/delete", { contactIds: Array.from({ length: 12 }, () => newId()) });
  const [deleted, updated, created, byAdmin, ...others] = await entriesOf(company);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [deleted, updated, created, byAdmin].map(({ action, number }) => [action, number]),
    [
      ["contact/delete", 3],
      ["contact/{id}/update", 2],
      ["contact/create", 1],
      ["admin/company/create", 1],
    ],
  );
  const user = { kind: "user", id: company.userId, keyId: null, sessionId: null, name: "Awa Koné" };
  assert.deepEqual(updated.actor, { ...user, address: "203.0.113.9" });
  assert.deepEqual(updated.on, { kind: "contact", id });
  // Names and phones of people do not stand in a log that only grows.
  assert.deepEqual([updated.before, updated.after], [{ sex: null }, { sex: "M" }]);
  assert.equal(created.before, null);
  assert.deepEqual(created.after.contacts, [{ id, phone: "225******01", sex: null }]);
  assert.equal(deleted.after.ids.count, 12);
  assert.equal(deleted.after.ids.first.length, 3);
  assert.equal(byAdmin.after.name, "Boutique Awa");
});

test("H23: no whole phone and no message comes into the log, however it is written", async (t) => {
  const w = await testService(t);
  const company = await w.company();
  const [deleted, paired, ported, handset] = [newPhone(), newPhone(), newPhone(), newPhone()];
  const spaced = `+${deleted.slice(0, 3)} ${deleted.slice(3)}`;
  await dataOf(company.call("/v1/contact/delete", { contactIds: [spaced] }));
  const app = await application(w);
  await dataOf(app.call("/v1/third-party-app/pairing/initiate", { externalAccountId: paired }));
  const lines = { numbers: `${ported},Inconnu` };
  await dataOf(w.admin("/v1/admin/ported/import", lines));
  const reply = { from: handset, to: "ATUMPAN", text: "Mon secret" };
  await w.admin("/v1/admin/simulator/reply", reply);
  const log = (await rows(w.app, "SELECT log::text AS row FROM audit_log log")).map(({ row }) => row).join();
  for (const endpoint of ["contact/delete", "pairing/initiate", "ported/import"])
    assert.ok(log.includes(endpoint));
  for (const text of [deleted, spaced, paired, ported, handset, "Mon secret"])
    assert.equal(log.includes(text), false, text);
});

test("H23: each address that somebody gives is in the log, without what its query may hold", async (t) => {
  const w = await testServiceWithWebhooks(t);
  const { url } = await startReceiver(t);
  const { id, owner } = await application(w);
  const path = `/v1/third-party-app/my/${id}/webhook/update`;
  await dataOf(owner.call(path, { webhookUrl: `${url}?token=drum` }));
  const [updated] = await entriesOf(owner, { action: "third-party-app/my/{appId}/webhook/update" });
  const masked = `${url}?token=••••`;
  assert.deepEqual([updated.before, updated.after], [{ webhookUrl: null }, { webhookUrl: masked }]);
  // Those of an application that is submitted, and those of the company itself.
  const submission = {
    name: "Caisse",
    slug: newSlug(),
    description: "Caisse",
    webhookUrl: `${url}?token=drum`,
  };
  await dataOf(owner.call("/v1/third-party-app/submit", submission));
  const hook = await dataOf(
    owner.call("/v1/company/webhook/create", { url: `${url}?token=drum`, events: ["credit.low"] }),
  );
  await dataOf(owner.call(`/v1/company/webhook/${hook.id}/update`, { url: `${url}/v2?token=drum` }));
  await dataOf(owner.call(`/v1/company/webhook/${hook.id}/delete`));
  const of = async (action: string) => (await entriesOf(owner, { action }))[0];
  assert.equal((await of("third-party-app/submit")).after.webhookUrl, masked);
  assert.equal((await of("company/webhook/create")).after.url, masked);
  const moved = await of("company/webhook/{id}/update");
  assert.deepEqual([moved.before, moved.after], [{ url: masked }, { url: `${url}/v2?token=••••` }]);
  assert.equal((await of("company/webhook/{id}/delete")).before.url, `${url}/v2?token=••••`);
  const log = (await rows(w.app, "SELECT log::text AS row FROM audit_log log")).map(({ row }) => row).join();
  assert.equal(log.includes("drum"), false);
});

test("H23: a company sees its own entries, and of an administrator only that it was one", async (t) => {
  const w = await testService(t, API_ONLY);
  const [mine, other] = [await w.company(), await w.company()];
  await other.call("/v1/group/create", { name: "Autres" });
  await mine.call("/v1/group/create", { name: "Clients" });
  await w.admin(`/v1/admin/company/${mine.companyId}/update`, { name: "Chez Awa", senderLimit: 7 });
  const entries = await entriesOf(mine);
  assert.deepEqual(
    new Set(entries.map((entry: { companyId: string }) => entry.companyId)),
    new Set([mine.companyId]),
  );
  const [updated] = entries;
  assert.deepEqual(updated.actor, {
    ...{ kind: "administrator", id: null, keyId: null, sessionId: null, name: null, address: null },
  });
  assert.deepEqual(
    [updated.before, updated.after],
    [
      { name: "Boutique Awa", senderLimit: 3 },
      { name: "Chez Awa", senderLimit: 7 },
    ],
  );
  await w.admin(`/v1/admin/company/${mine.companyId}/suspend`, { reason: "Signalée par une banque" });
  await w.admin(`/v1/admin/company/${mine.companyId}/resume`);
  const [, suspended] = await entriesOf(mine);
  assert.match(suspended.after.suspendedAt, /^\d{4}-/);
  assert.equal(
    JSON.stringify(await entriesOf(mine)).includes("banque"),
    false,
    "the reason is the operator's own",
  );
  const only = await entriesOf(mine, { action: "group/create" });
  assert.deepEqual(
    only.map((entry: { after: { name: string } }) => entry.after.name),
    ["Clients"],
  );
  const early = await entriesOf(mine, { until: "2001-01-01T00:00:00Z" });
  assert.deepEqual(early, []);
  assert.equal((await mine.call("/v1/company/audit/list", { until: "hier" })).error, "invalid-request");

  const listed = async (body: object) => (await w.admin("/v1/admin/audit/list", body)).data;
  assert.equal((await listed({ companyId: mine.companyId }))[0].actor.address, "127.0.0.1");
  assert.deepEqual(
    (await listed({ actorId: other.userId })).map(({ on }: { on: { kind: string } }) => on.kind),
    ["group"],
  );
  assert.equal((await listed({ action: "group/create" })).length, 2);
  assert.equal((await listed({ action: "group/create", companyId: other.companyId })).length, 1);
  const page = await w.admin("/v1/admin/audit/list", { limit: 2, page: 2, sort: "asc" });
  assert.equal(page.totalCount, 7);
  assert.deepEqual(
    page.data.map(({ action }: { action: string }) => action),
    ["group/create", "group/create"],
  );
});

test("H23: a change and its entry are committed together, or not at all", async (t) => {
  const w = await testService(t, { ...API_ONLY, log: openLog("silent") });
  const company = await w.company({ credits: 10 });
  await rows(
    w.app,
    "ALTER TABLE audit_log ADD CONSTRAINT refused CHECK (action <> 'group/create') NOT VALID",
  );
  assert.equal((await company.call("/v1/group/create", { name: "Clients" })).error, "server-error");
  assert.equal((await company.call("/v1/group/list")).totalCount, 0);
  assert.equal((await entriesOf(company)).length, 1);
  assert.deepEqual(await faultsOf(w), []);
});

test("H23: a repeat with the same key writes no second entry", async (t) => {
  const w = await testService(t, API_ONLY);
  const company = await w.company({ credits: 10 });
  const grant = { companyId: company.companyId, credit: 5, reason: "Cadeau", idempotencyKey: newId() };
  const campaign = { contacts: ["0700000001"], text: "Bonjour", idempotencyKey: newId() };
  for (let i = 0; i < 3; i++) {
    assert.equal((await w.admin("/v1/admin/credit/grant", grant)).success, true);
    assert.equal((await company.call("/v1/campaign/create", campaign)).success, true);
  }
  const actions = (await entriesOf(company)).map(({ action }: { action: string }) => action).sort();
  assert.deepEqual(actions, ["admin/company/create", "admin/credit/grant", "campaign/create"]);
});

test("H23: changes that come together stand in one chain, one after the other", async (t) => {
  const w = await testService(t, API_ONLY);
  const company = await w.company();
  const { data } = await company.call("/v1/group/create", { name: "0" });
  const names = Array.from({ length: 30 }, (_, i) => `${i + 1}`);
  await Promise.all(names.map((name) => company.call(`/v1/group/${data.id}/update`, { name })));
  const entries = await entriesOf(company, { limit: 100, sort: "asc" });
  const updates = entries.filter(({ action }: { action: string }) => action === "group/{id}/update");
  assert.equal(updates.length, 30);
  let name = "0";
  for (const { before, after } of updates) {
    assert.equal(before.name, name, "each tells how the one before left it");
    name = after.name;
  }
  assert.deepEqual(await faultsOf(w), []);
});

test("H23: the people on the pages are in the log", async (t) => {
  const w = await testService(t);
  const { company, phone, link } = await waitingPairing(w);
  const visitor = new Visitor(w);
  const page = await visitor.signIn(w, await visitor.open(link), phone);
  await visitor.send(page, "/pair/answer", { answer: "approve" });
  const [entry] = await entriesOf(company, { action: "pair/answer" });
  assert.equal(entry.actor.id, company.userId);
  assert.equal(entry.after.approved, true);
  const { id, path } = await claimable(w);
  await visitor.send(await visitor.open(path), path);
  const [claimed] = (await w.admin("/v1/admin/audit/list", { action: "claim/{token}" })).data;
  assert.deepEqual([claimed.actor.kind, claimed.on], ["visitor", { kind: "application", id }]);
});

test("H23: the log refuses to be changed, and what its owner changes is found", async (t) => {
  const w = await testService(t, API_ONLY);
  const fill = async () => {
    const company = await w.company();
    for (let i = 0; i < 6; i++) await company.call("/v1/group/create", { name: `Groupe ${i}` });
    return company.companyId;
  };
  const grows = /the audit log only grows/;
  await fill();
  const [{ part }] = await rows(w.app, "SELECT tableoid::regclass::text AS part FROM audit_log LIMIT 1");
  for (const table of ["audit_log", part])
    for (const text of [`UPDATE ${table} SET address = ''`, `DELETE FROM ${table}`, `TRUNCATE ${table}`]) {
      await assert.rejects(asOwner(w.app, text), grows);
      const asService = w.app.database.run({ name: `test.${text}`, text });
      await assert.rejects(asService, /permission denied/);
    }
  assert.deepEqual(await faultsOf(w), []);

  const attacks: [text: string, fault: string, number: number][] = [
    ['UPDATE audit_log SET after = \'{"name":"Rien"}\' WHERE chain = $1 AND number = 3', "changed", 3],
    ["UPDATE audit_log SET actor_id = NULL WHERE chain = $1 AND number = 6", "changed", 6],
    ["DELETE FROM audit_log WHERE chain = $1 AND number = 1", "missing", 2],
    ["DELETE FROM audit_log WHERE chain = $1 AND number = 4", "missing", 5],
    ["DELETE FROM audit_log WHERE chain = $1 AND number > 4", "cut", 5],
    ["DELETE FROM audit_log WHERE chain = $1", "cut", 1],
    ["DELETE FROM audit_heads WHERE chain = $1", "cut", 1],
    ["UPDATE audit_log SET number = 5 - number WHERE chain = $1 AND number IN (2, 3)", "changed", 2],
    ["UPDATE audit_heads SET hash = 'x' WHERE chain = $1", "cut", 7],
    [
      `INSERT INTO audit_log SELECT '0' || substr(id, 2, 22) || 'z', chain, number, company_id, actor_kind, actor_id,
         key_id, actor_name, address, action, thing, thing_id, before, after, is_cut, previous, hash
       FROM audit_log WHERE chain = $1 AND number = 2`,
      "changed",
      2,
    ],
  ];
  for (const [text, fault, number] of attacks) {
    const chain = await fill();
    await forge(w, text, [chain]);
    assert.deepEqual(await faultsOf(w, chain), [{ chain, number, fault }], text);
  }
  assert.equal((await faultsOf(w)).length, attacks.length, "the whole log shows all of them");
});

test("H23: a long chain is proven in parts", async (t) => {
  const w = await testService(t, { ...API_ONLY, limits: { auditEntriesAtOnce: 10 } });
  const company = await w.company();
  for (let i = 0; i < 12; i++) await company.call("/v1/group/create", { name: `Groupe ${i}` });
  const { companyId: chain } = company;
  const first = (await w.admin("/v1/admin/audit/verify", { chain })).data;
  assert.deepEqual([first.entries, first.chains, first.faults], [10, 0, []]);
  const second = (await w.admin("/v1/admin/audit/verify", { chain, next: first.next })).data;
  assert.deepEqual([second.entries, second.chains, second.faults, second.next], [2, 1, [], null]);
  const [number, signature] = first.next.split(" ").slice(1);
  const madeUp = ["x", `${chain} ${number}`, `${chain} 9999 ${signature}`, `platform ${number} ${signature}`];
  for (const next of madeUp) {
    const { error, details } = await w.admin("/v1/admin/audit/verify", { next });
    assert.deepEqual([error, details?.[0]?.field], ["invalid-request", "next"], next);
  }
  assert.equal(
    (await w.admin("/v1/admin/audit/verify", { chain: "platform", next: first.next })).error,
    "invalid-request",
  );
  await forge(w, "DELETE FROM audit_log WHERE chain = $1 AND number = 11", [chain]);
  const [fault] = (await w.admin("/v1/admin/audit/verify", { chain, next: first.next })).data.faults;
  assert.deepEqual(fault, { chain, number: 12, fault: "missing" });
});

test("H23: a tail that is cut off with its head shows in the log of heads", async (t) => {
  const lines: string[] = [];
  const w = await testService(t, {
    ...API_ONLY,
    log: openLog("info", { write: (line) => lines.push(line) }),
  });
  const company = await w.company();
  for (const name of ["A", "B", "C"]) await company.call("/v1/group/create", { name });
  const heads = async () => {
    lines.length = 0;
    await logHeads(w.app);
    return JSON.parse(await until(() => lines.find((line) => line.includes("heads of the audit log"))));
  };
  const honest = await heads();
  assert.deepEqual([honest.entries, honest.chains], [4, 2]);
  const [{ hash }] = (await w.admin("/v1/admin/audit/list", { action: "admin/company/create" })).data;
  assert.deepEqual(honest.platform, { number: 1, hash });
  await forge(w, "DELETE FROM audit_log WHERE chain = $1 AND number = 3", [company.companyId]);
  const last = "SELECT hash, id FROM audit_log WHERE audit_log.chain = $1 AND audit_log.number = 2";
  await forge(
    w,
    `UPDATE audit_heads SET number = 2, hash = last.hash, last_id = last.id FROM (${last}) last WHERE chain = $1`,
    [company.companyId],
  );
  assert.deepEqual(await faultsOf(w), [], "the chain alone does not show it");
  const forged = await heads();
  assert.ok(forged.entries < honest.entries);
  assert.notEqual(forged.digest, honest.digest);
});

test("H23: months whose time is over are dropped, and what is left is proven", async (t) => {
  const w = await testService(t, { ...API_ONLY, settings: { auditMonths: 0 } });
  const company = await w.company();
  for (const name of ["A", "B", "C"]) await company.call("/v1/group/create", { name });
  const { companyId: chain } = company;
  const parts = async () =>
    (
      await rows(
        w.app,
        "SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'audit_log'::regclass",
      )
    ).map(({ relname }) => relname);
  assert.equal((await parts()).length, 4, "this month, two more, and what nobody foresaw");
  // The first entries stand in a month that is long over.
  await forge(w, "CREATE TABLE audit_log_2020_05 (LIKE audit_log)");
  await forge(
    w,
    "ALTER TABLE audit_log ATTACH PARTITION audit_log_2020_05 FOR VALUES FROM ('0171c') TO ('01726')",
  );
  await forge(w, "UPDATE audit_log SET id = '0171d' || substr(id, 6) WHERE chain = $1 AND number < 3", [
    chain,
  ]);
  await keepAuditMonths(w.app);
  assert.equal((await parts()).length, 4);
  assert.deepEqual(await faultsOf(w), []);
  assert.deepEqual(
    (await entriesOf(company)).map(({ number }: { number: number }) => number),
    [3, 1],
  );
  await keepAuditMonths(w.app);
  await forge(w, "DELETE FROM audit_log WHERE chain = $1 AND number = 3", [chain]);
  assert.deepEqual(await faultsOf(w), [{ chain, number: 3, fault: "cut" }]);
});

test("H23: an open page of a handset writes one entry, and each other handset, key and quarter of an hour its own", async (t) => {
  const w = await testService(t, { config: { trustProxy: ["127.0.0.1"] } });
  const { data: machine } = await w.admin("/v1/admin/key/create", { name: "Suivi", role: "owner" });
  const ask = (body: object, address: string, adminKey = w.adminKey) =>
    w.call("/v1/admin/simulator/inbox", { adminKey, ...body }, { "X-Forwarded-For": address });
  const read = async () => {
    const { data } = await w.admin("/v1/admin/audit/list", {});
    const all: { action: string; on: { id: string | null } }[] = data;
    return all.filter(({ action }) => action === "admin/simulator/inbox").map(({ on }) => on.id);
  };
  const [phone, other] = ["2250700000011", "2250700000022"];
  for (let i = 0; i < 4; i++) assert.equal((await ask({ phone }, "203.0.113.9")).success, true);
  assert.deepEqual(await read(), ["225******11"]);
  await ask({ phone: other }, "203.0.113.9");
  await ask({}, "203.0.113.9");
  await ask({ phone }, "203.0.113.10");
  await ask({ phone }, "203.0.113.9", machine.adminKey);
  const all = [null, "225******22", "225******11"];
  const newestFirst = ["225******11", "225******11", ...all];
  assert.deepEqual(await read(), newestFirst);
  Object.assign(w.app.config.settings, { readingAgainMs: 0 });
  await ask({ phone }, "203.0.113.9");
  assert.deepEqual(await read(), ["225******11", ...newestFirst]);
});
