// The ledger is append-only, and the chain of days shows what was changed behind the service's back.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { askOwner } from "../../../test/database.ts";
import { assertBalanced, rows } from "../../../test/sending.ts";
import { tamperWith } from "../../../test/tamper.ts";
import { type TestService, testService } from "../../../test/testservice.ts";
import { proveCredits } from "../../delivery/sends/record/audit.ts";
import { keepLedger } from "../../delivery/sends/record/ledger.ts";
import { openLog } from "../../platform/log.ts";
import { checkChain, extendChain } from "./chain.ts";

const QUIET = { config: { roles: new Set(["api"] as const) }, log: openLog("silent") };
const { signal } = new AbortController();

const CHANGES = [
  "UPDATE entries SET amount = amount + 1",
  "DELETE FROM entries",
  "TRUNCATE entries",
  "INSERT INTO entries (key, kind, from_pool, to_pool, amount) SELECT key, kind, from_pool, to_pool, amount FROM entries LIMIT 1 ON CONFLICT (key) DO UPDATE SET amount = 1",
];

/** Adds whatever has been written so far to the chain. */
async function chain(here: TestService): Promise<void> {
  const [{ now }] = await rows(here.app, "SELECT now() + interval '1 second' AS now");
  await extendChain(here.app, now);
}

async function audit(
  here: TestService,
): Promise<{ balanced: boolean; difference: number; changedDays: string[] }> {
  const { balanced, difference, changedDays } = (await here.admin("/v1/admin/credit/audit")).data;
  return { balanced, difference, changedDays };
}

/** Writes entries that move nothing on balance, at noon of a day so many days ago; as the job would find them, with old ids. */
async function writeOld(here: TestService, daysAgo: number, count: number): Promise<string> {
  await tamperWith(
    here,
    `INSERT INTO entries (key, kind, from_pool, to_pool, amount, created_at)
     SELECT format('old %s %s', $1::int, n), 'grant', 'world', 'nobody', 2, date_trunc('day', now()) - $1 * interval '1 day' + interval '12 hours'
     FROM generate_series(1, $2::int) n`,
    [daysAgo, count],
  );
  // The balances are proven from now on, so only the chain knows these entries.
  await rows(
    here.app,
    "INSERT INTO audit_marks SELECT id, now() - interval '1 day', 0, 0, 0, 0, 0, 0 FROM pools ON CONFLICT DO NOTHING",
  );
  const [{ day }] = await rows(here.app, "SELECT ((now() AT TIME ZONE 'UTC')::date - $1::int)::text AS day", [
    daysAgo,
  ]);
  return day;
}

suite("the chain of the ledger", { concurrency: 4 }, () => {
  test("L19: neither the service, nor an account, nor the owner changes or deletes an entry; the retention deletes none that is young", async (t) => {
    const here = await testService(t, QUIET);
    const { companyId } = await here.company({ credits: 100 });
    for (const database of [here.app.database, here.app.database.of(companyId)])
      for (const text of CHANGES)
        await assert.rejects(
          database.run({ name: `test.${text}`.slice(0, 60), text }),
          /permission denied/,
          text,
        );
    for (const text of CHANGES) await assert.rejects(askOwner(here.ownerUrl, [text]), /append-only/, text);
    await chain(here);
    // Even if the service's login says that the day is over, and the owner that it forgets.
    await rows(here.app, "UPDATE ledger_days SET forgotten = true, last_id = 1000000");
    await rows(here.app, "UPDATE audit_marks SET until = now() + interval '1 day'");
    assert.deepEqual(await rows(here.app, "SELECT forget_entries(100) AS count"), [{ count: 0 }]);
    const asForgetting = ["SET atumpan.forgets = 'on'", "DELETE FROM entries"];
    await assert.rejects(askOwner(here.ownerUrl, asForgetting), /append-only/);
    const denied = here.app.database
      .of(companyId)
      .run({ name: "test.forget", text: "SELECT forget_entries(1)" });
    await assert.rejects(denied, /permission denied/);
  });

  test("X03: an entry that an administrator of PostgreSQL changes, deletes or inserts is a difference, with its day", async (t) => {
    const here = await testService(t, QUIET);
    const day = await writeOld(here, 3, 5);
    await writeOld(here, 2, 5);
    await here.company({ credits: 100 });
    await chain(here);
    await assertBalanced(here);
    const one = "key = 'old 3 4'";
    const copy = "INSERT INTO entries OVERRIDING SYSTEM VALUE SELECT * FROM removed_entries";
    for (const [tamper, undo, difference] of [
      [
        `UPDATE entries SET amount = amount + 5 WHERE ${one}`,
        `UPDATE entries SET amount = amount - 5 WHERE ${one}`,
        5,
      ],
      [`UPDATE entries SET reason = 'x' WHERE ${one}`, `UPDATE entries SET reason = NULL WHERE ${one}`, 1],
      [
        `UPDATE entries SET to_pool = 'x' WHERE ${one}`,
        `UPDATE entries SET to_pool = 'nobody' WHERE ${one}`,
        1,
      ],
      [`UPDATE entries SET key = 'x' WHERE ${one}`, "UPDATE entries SET key = 'old 3 4' WHERE key = 'x'", 1],
      [
        `UPDATE entries SET created_at = created_at + interval '1 us' WHERE ${one}`,
        `UPDATE entries SET created_at = created_at - interval '1 us' WHERE ${one}`,
        1,
      ],
      [
        `CREATE TABLE removed_entries AS SELECT * FROM entries WHERE ${one}; DELETE FROM entries WHERE ${one}`,
        copy,
        2,
      ],
      [
        `INSERT INTO entries (id, key, kind, from_pool, to_pool, amount, created_at) OVERRIDING SYSTEM VALUE
         SELECT -5, 'x', 'grant', 'world', 'nobody', 30, min(created_at) FROM entries`,
        "DELETE FROM entries WHERE key = 'x'",
        30,
      ],
      [
        `INSERT INTO entries (id, key, kind, from_pool, to_pool, amount) OVERRIDING SYSTEM VALUE
         VALUES (-9223372036854775808, 'x', 'grant', 'world', 'nobody', 30)`,
        "DELETE FROM entries WHERE key = 'x'",
        30,
      ],
    ] as const) {
      await tamperWith(here, tamper);
      const found = await audit(here);
      assert.equal(found.balanced, false, tamper);
      assert.ok(found.difference >= difference, `${found.difference}: ${tamper}`);
      assert.ok(found.changedDays.length > 0, tamper);
      if (!tamper.includes("OVERRIDING")) assert.deepEqual(found.changedDays, [day], tamper);
      await tamperWith(here, undo);
      await assertBalanced(here);
    }
    // A new id with an old time: it is a difference at once, and stays one when the job has seen it.
    await tamperWith(
      here,
      "INSERT INTO entries (key, kind, from_pool, to_pool, amount, created_at) VALUES ('late', 'grant', 'world', 'nobody', 9, now() - interval '3 days')",
    );
    assert.equal((await audit(here)).balanced, false);
    await chain(here);
    assert.equal((await audit(here)).balanced, false);
  });

  test("X03: a chain that is changed, cut or written anew over changed entries is a difference", async (t) => {
    const here = await testService(t, QUIET);
    const [first, second] = [await writeOld(here, 3, 3), await writeOld(here, 2, 3)];
    await here.company({ credits: 100 });
    await chain(here);
    await assertBalanced(here);
    for (const [change, undo] of [
      ["SET digest = reverse(digest)", "SET digest = reverse(digest)"],
      ["SET forgotten = true", "SET forgotten = false"],
      ["SET amount = amount + 1", "SET amount = amount - 1"],
      ["SET until = until - interval '1 day'", "SET until = until + interval '1 day'"],
    ]) {
      await rows(here.app, `UPDATE ledger_days ${change} WHERE day = $1::date`, [first]);
      assert.ok((await audit(here)).changedDays.includes(first), change);
      await rows(here.app, `UPDATE ledger_days ${undo} WHERE day = $1::date`, [first]);
      await assertBalanced(here);
    }
    await tamperWith(here, "DELETE FROM ledger_days WHERE day = (SELECT min(day) FROM ledger_days)");
    assert.ok((await audit(here)).changedDays.includes(second));
    await tamperWith(here, "DELETE FROM ledger_days");
    await tamperWith(here, "UPDATE entries SET amount = 500 WHERE key = 'old 3 1'");
    await chain(here);
    assert.equal((await audit(here)).balanced, false, "this process has seen the chain of before");
  });

  test("X03: entries are chained 10 minutes after they were written, in steps, and a repeat changes nothing", async (t) => {
    const here = await testService(t, QUIET);
    const days = [await writeOld(here, 3, 4_000), await writeOld(here, 2, 2_000)];
    await here.company({ credits: 100 });
    await extendChain(here.app, new Date(Date.now() - 600_000));
    const read = () => rows(here.app, "SELECT day::text, entries, digest FROM ledger_days ORDER BY day");
    const countsOf = (written: { day: string; entries: number }[]) =>
      written.map(({ day, entries }) => ({ day, entries }));
    const expected = [
      { day: days[0], entries: 4_000 },
      { day: days[1], entries: 2_000 },
    ];
    assert.deepEqual(countsOf(await read()), expected, "the grant is too young");
    await Promise.all([chain(here), chain(here)]);
    const written = await read();
    assert.deepEqual(countsOf(written).slice(0, 2), expected);
    assert.deepEqual([written.length, written[2].entries], [3, 1]);
    await chain(here);
    assert.deepEqual(await read(), written);
    await assertBalanced(here);
  });

  test("H26: entries that are past their retention are deleted by whole days, which keep their digests and are no longer compared", async (t) => {
    const here = await testService(t, QUIET);
    const old = await writeOld(here, 11 * 366, 3);
    const kept = await writeOld(here, 5 * 366, 3);
    await here.company({ credits: 100 });
    await chain(here);
    const count = async () => (await rows(here.app, "SELECT key FROM entries WHERE key LIKE 'old %'")).length;
    await keepLedger({ ...here.app, config: { ...here.app.config, retentionLedgerYears: 0 } }, signal);
    assert.equal(await count(), 6);
    await keepLedger(here.app, signal);
    assert.equal(await count(), 3);
    const days = await rows(here.app, "SELECT day::text FROM ledger_days WHERE forgotten");
    assert.deepEqual(days, [{ day: old }]);
    await assertBalanced(here);
    await tamperWith(here, "UPDATE entries SET amount = 3 WHERE key LIKE 'old %' AND amount = 2");
    assert.deepEqual((await audit(here)).changedDays, [kept]);
  });

  test("X03: what the job finds in days that an audit has no room for stays a difference", async (t) => {
    const here = await testService(t, QUIET);
    const day = await writeOld(here, 3, 3);
    await here.company({ credits: 100 });
    await chain(here);
    await tamperWith(here, "UPDATE entries SET amount = 4 WHERE key = 'old 3 1'");
    await checkChain(here.app);
    const found = await rows(here.app, "SELECT day::text, difference FROM ledger_days WHERE difference > 0");
    assert.deepEqual(found, [{ day, difference: 2 }]);
    await assert.rejects(proveCredits(here.app), /does not balance/);
    const [marks] = await rows(
      here.app,
      "SELECT max(until) > now() - interval '1 hour' AS moved FROM audit_marks",
    );
    assert.equal(marks.moved, true, "the balances are right, so the marks move on");
  });
});
