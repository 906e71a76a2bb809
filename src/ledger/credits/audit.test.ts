// The audit: it proves every balance at any moment of any load, and notices whatever was tampered with.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  assertBalanced,
  balanceOf,
  phones,
  rows,
  send,
  settled,
  waitingMessages,
} from "../../../test/sending.ts";
import { tamperWith } from "../../../test/tamper.ts";
import { testService } from "../../../test/testservice.ts";
import { moveMessages, settleOutcomes } from "../../delivery/sends/settlement/settle.ts";
import { openLog } from "../../platform/log.ts";
import { advanceAuditMarks } from "./audits.ts";

suite("audit", { concurrency: 4 }, () => {
  test("L01 L02 L18: under load every audit balances, and both balances are the ledger's at some instant", async (t) => {
    const here = await testService(t);
    const company = await here.company({ credits: 100_000 });
    let atLeast = 100_000; // what is left when all that was asked for is paid
    let atMost = 100_000; // what is left when only what was acknowledged is paid
    let sending = true;
    const subscription = async (path: string) => {
      for (let seen = 0; sending || seen === 0; seen++) {
        const before = atMost;
        const { data } = await company.call(path);
        assert.ok(data <= before && data >= atLeast, `${atLeast} ≤ ${data} ≤ ${before}`);
      }
    };
    const audit = async () => {
      while (sending) await assertBalanced(here);
    };
    const load = async (worker: number) => {
      for (let i = 0; i < 12; i++) {
        const to = phones(1 + ((i * 7) % 40), `2250${worker}`);
        atLeast -= to.length;
        await send(company, to);
        atMost -= to.length;
      }
    };
    const watching = [subscription("/v1/credit/balance"), subscription("/v1/user/credit"), audit()];
    await Promise.all([1, 2, 3, 4].map(load)).finally(() => {
      sending = false;
    });
    await Promise.all(watching);
    assert.equal(await balanceOf(company), atMost);
  });

  test("L01: the audit still proves everything after its marks moved on, however often they are moved", async (t) => {
    const here = await testService(t);
    const company = await here.company({ credits: 1_000 });
    const { database } = here.app;
    await settled(company, await send(company, [...phones(30), "2250700000001"]));
    await assertBalanced(here);
    const mark = async () => (await rows(here.app, "SELECT now() AS now"))[0].now as Date;
    const first = await mark();
    await Promise.all([1, 2, 3].map(() => database.transaction((tx) => advanceAuditMarks(tx, first))));
    await assertBalanced(here);
    await settled(company, await send(company, phones(20)));
    const later = await here.company({ credits: 7 });
    const second = await mark();
    await database.transaction((tx) => advanceAuditMarks(tx, second));
    await database.transaction((tx) => advanceAuditMarks(tx, first));
    await settled(later, await send(later, phones(3)));
    const audit = await assertBalanced(here);
    assert.equal(audit.held, 0);
  });

  test("X03: the audit notices every balance, entry, hold and message that was tampered with", async (t) => {
    const here = await testService(t, {
      config: { roles: new Set(["api"] as const) },
      log: openLog("silent"),
    });
    const company = await here.company({ credits: 100 });
    await send(company, phones(10));
    const [message, retried] = await waitingMessages(here.app);
    const outcome = { message: message!, operatorMessageId: null, error: null };
    await here.app.database.transaction((tx) => settleOutcomes(tx, [{ ...outcome, status: "SENT" }]));
    const move = { message: retried!, fate: "retry", waitMs: 0, expireMs: null } as const;
    await here.app.database.transaction((tx) => moveMessages(tx, [move]));
    for (const [tamper, undo] of [
      [
        "pools SET available = available + 1 WHERE kind = 'company'",
        "pools SET available = available - 1 WHERE kind = 'company'",
      ],
      [
        "pools SET held_ever = held_ever + 1 WHERE kind = 'company'",
        "pools SET held_ever = held_ever - 1 WHERE kind = 'company'",
      ],
      // Moved between two pools: the sum of all stays zero.
      [
        "pools SET available = available + CASE kind WHEN 'world' THEN -1 ELSE 1 END",
        "pools SET available = available - CASE kind WHEN 'world' THEN -1 ELSE 1 END",
      ],
      [
        "pool_outcomes SET captured = captured - 1 WHERE captured > 0",
        "pool_outcomes SET captured = captured + 1 WHERE pool_id <> 'world'",
      ],
      [
        "entries SET amount = amount + 1 WHERE kind = 'capture'",
        "entries SET amount = amount - 1 WHERE kind = 'capture'",
      ],
      [
        "entries SET to_pool = 'nobody' WHERE kind = 'grant'",
        `entries SET to_pool = '${company.companyId}' WHERE kind = 'grant'`,
      ],
      ["holds SET total = total + 1", "holds SET total = total - 1"],
      ["message_queue SET price = price + 1", "message_queue SET price = price - 1"],
      ["batches SET held = held + 1 WHERE held > 0", "batches SET held = held - 1 WHERE held > 0"],
    ]) {
      await assertBalanced(here);
      await tamperWith(here, `UPDATE ${tamper}`);
      const { balanced, difference } = (await here.admin("/v1/admin/credit/audit")).data;
      assert.deepEqual([balanced, difference > 0], [false, true], tamper);
      await tamperWith(here, `UPDATE ${undo}`);
    }
    await assertBalanced(here);
  });
});
