// Accounts: who calls is found out the same way everywhere, and unauthenticated callers learn nothing.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { testService, until } from "../../../test/testservice.ts";
import { openLog } from "../../platform/log.ts";
import { start } from "../../start.ts";

const HEX_24 = /^[0-9a-f]{24}$/;

test("accounts", async (t) => {
  const w = await testService(t);

  await t.test("an administrator makes a company; its key works at once", async () => {
    const made = await w.admin("/v1/admin/company/create", {
      name: "Pharmacie du Plateau",
      ownerName: "Awa Koné",
      ownerEmail: "awa@example.ci",
      ownerPhone: "+225 07 00 00 00 00",
      senderLimit: 5,
    });
    assert.equal(made.success, true);
    assert.match(made.data.companyId, HEX_24);
    assert.match(made.data.userId, HEX_24);
    assert.equal(made.data.apiKey.length, 32);
    const { apiKey, companyId } = made.data;
    const regenerated = await w.call("/v1/user/key/regenerate", { apiKey, companyId });
    assert.equal(regenerated.success, true);
  });

  await t.test("a company's owner needs a phone that is one", async () => {
    const refused = await w.admin("/v1/admin/company/create", { name: "X", ownerPhone: "abc" });
    assert.equal(refused.error, "invalid-phone-number");
  });

  await t.test("companies are listed newest first, with what they own", async () => {
    const poor = await w.company();
    const rich = await w.company({ credits: 250 });
    const list = await w.admin("/v1/admin/company/list", { limit: 2 });
    assert.deepEqual(
      list.data.map((company: { id: string; balance: number }) => [company.id, company.balance]),
      [
        [rich.companyId, 250],
        [poor.companyId, 0],
      ],
    );
    assert.equal(list.count, 2);
    assert.equal(list.page, 1);
    assert.equal(list.totalPage, Math.ceil(list.totalCount / 2));
    const oldest = await w.admin("/v1/admin/company/list", { limit: 1, sort: "asc" });
    assert.notEqual(oldest.data[0].id, rich.companyId);
  });

  await t.test("A01: every wrong credential gets the same bytes", async () => {
    const [a, b] = [await w.company(), await w.company()];
    const attempts: unknown[] = [
      { apiKey: a.apiKey, companyId: b.companyId },
      { apiKey: "unknown", companyId: a.companyId },
      { apiKey: a.apiKey, companyId: "unknown" },
      { apiKey: "", companyId: "" },
      { apiKey: a.apiKey },
      { companyId: a.companyId },
      {},
      { apiKey: [a.apiKey], companyId: a.companyId },
      { apiKey: { key: a.apiKey }, companyId: a.companyId },
      { apiKey: 1, companyId: true },
      { apiKey: null, companyId: null },
      { apiKey: "x".repeat(60_000), companyId: a.companyId },
      { apiKey: w.adminKey, companyId: a.companyId },
    ];
    const seen = new Set<string>();
    for (const body of attempts) seen.add(await rawAnswer(`${w.url}/v1/user/key/regenerate`, body));
    const huge = { apiKey: "x".repeat(1_000_000), companyId: a.companyId };
    seen.add(await rawAnswer(`${w.url}/v1/contact/create`, huge));
    const message = "cette URL exige apiKey et companyId dans le corps";
    const details = JSON.stringify([{ field: "apiKey", message }]);
    assert.deepEqual(
      [...seen],
      [`not-authenticated {"success":false,"data":null,"error":"not-authenticated","details":${details}}`],
    );
  });

  await t.test("A05: a company's key is no administrator's", async () => {
    const { apiKey } = await w.company();
    for (const adminKey of [apiKey, "", "adm_", 5, [w.adminKey], `${w.adminKey}x`, w.adminKey.slice(1)]) {
      const refused = await w.call("/v1/admin/company/list", { adminKey });
      assert.equal(refused.error, "not-authenticated");
    }
  });

  await t.test("a regenerated key works at once, and the old one is dead", async () => {
    const company = await w.company();
    const fresh = await company.call("/v1/user/key/regenerate");
    const old = await company.call("/v1/user/key/regenerate");
    assert.equal(old.error, "not-authenticated");
    const again = await company.call("/v1/user/key/regenerate", { apiKey: fresh.data.apiKey });
    assert.equal(again.success, true);
  });

  await t.test("callers that come together each get their own answer", async () => {
    const companies = await Promise.all(Array.from({ length: 20 }, () => w.company()));
    const answers = await Promise.all(
      companies.map((company, i) =>
        company.call("/v1/user/key/regenerate", i % 3 === 0 ? { apiKey: "wrong" } : {}),
      ),
    );
    for (const [i, answer] of answers.entries()) {
      assert.equal(answer.error, i % 3 === 0 ? "not-authenticated" : null);
    }
  });

  await t.test("the database holds no key, only digests", async () => {
    const { apiKey, userId } = await w.company();
    const [row] = await w.app.database.run<{ row: string }>(
      { name: "test.user", text: "SELECT users::text AS row FROM users WHERE id = $1" },
      [userId],
    );
    assert.equal(row!.row.includes(apiKey), false);
  });
});

test("an account that asks too often is told when to come back, and others are not", async (t) => {
  const w = await testService(t, { limits: { requestsPerSecond: 1, requestBurst: 3 } });
  const [busy, quiet] = [await w.company(), await w.company()];
  const body = { apiKey: busy.apiKey, companyId: busy.companyId };
  for (let i = 0; i < 3; i++) {
    body.apiKey = (await w.call("/v1/user/key/regenerate", body)).data.apiKey;
  }
  assert.equal((await w.call("/v1/user/key/regenerate", body)).error, "too-many-requests");
  assert.equal((await quiet.call("/v1/user/key/regenerate")).success, true);
});

test("an address that guesses keys is slowed down, one with a right key is not", async (t) => {
  // A failure is forgiven after 20 s, so that a slow machine changes no count.
  const w = await testService(t, {
    config: { trustProxy: ["127.0.0.1"] },
    limits: { authFailuresPerMinute: 3 },
  });
  const company = await w.company();
  const from = (ip: string) => ({ "X-Forwarded-For": ip });
  const guess = { apiKey: "guess", companyId: company.companyId };
  const errors = new Map<string | null, number>();
  for (let i = 0; i < 10; i++) {
    const { error } = await w.call("/v1/user/key/regenerate", guess, from("203.0.113.7"));
    errors.set(error, (errors.get(error) ?? 0) + 1);
  }
  assert.deepEqual(Object.fromEntries(errors), { "not-authenticated": 3, "too-many-requests": 7 });
  const other = await w.call("/v1/user/key/regenerate", guess, from("203.0.113.8"));
  assert.equal(other.error, "not-authenticated");
  const right = await company.call("/v1/user/key/regenerate", {}, from("203.0.113.7"));
  assert.equal(right.success, true);
});

test("quickstart.json holds a key that works, after a restart and after the key was regenerated", async (t) => {
  const w = await testService(t, { config: { demo: true } });
  const path = join(w.app.config.dataDir, "quickstart.json");
  const read = () => JSON.parse(readFileSync(path, "utf8"));
  const first = read();
  assert.equal(first.url, w.url);
  const { apiKey } = (await w.call("/v1/user/key/regenerate", first)).data;
  assert.equal(read().apiKey, apiKey);

  const again = await start(w.app.config, { log: openLog("error") });
  try {
    assert.equal(read().apiKey, apiKey, "the same database and file: the same key");
    assert.equal(read().url, again.url);
    const { data } = await w.admin("/v1/admin/company/list");
    const demo = data.filter((company: { id: string }) => company.id === first.companyId);
    assert.equal(demo.length, 1);
    assert.equal(demo[0].balance, 10_000);
    await until(async () => (await fetch(`${again.url}/readyz`)).ok);
  } finally {
    await again.stop();
  }

  const without = await start({ ...w.app.config, demo: false }, { log: openLog("error") });
  try {
    assert.equal(read().url, without.url, "the demo is there, whether it would be made now or not");
    assert.equal(read().apiKey, apiKey);
  } finally {
    await without.stop();
  }
});

/** Outcome header and body, byte for byte. */
async function rawAnswer(url: string, body: unknown): Promise<string> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return `${response.headers.get("atumpan-outcome")} ${await response.text()}`;
}
