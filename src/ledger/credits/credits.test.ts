// The ledger: credits are never made, lost, spent twice or given back twice, whatever happens at the same time.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { endConnections } from "../../../test/database.ts";
import { assertBalanced, balanceOf, phones, rows, send, waitingMessages } from "../../../test/sending.ts";
import { readAnswer, type TestService, testService } from "../../../test/testservice.ts";
import { isMistaken, settleOutcomes } from "../../delivery/sends/settlement/settle.ts";
import { newId } from "../../platform/ids.ts";
import { openLog } from "../../platform/log.ts";
import { grantCredits, holdCredits, settleCredits } from "./credits.ts";

// The simulated operator is there and serves every number, but nobody sends: what is queued stays queued.
const API_ONLY = { config: { roles: new Set(["api"] as const) } };

async function entryCount(here: TestService): Promise<number> {
  return (await rows(here.app, "SELECT count(*) AS count FROM entries"))[0].count;
}

/** A pool of its own with credits and one hold. */
async function heldPool(here: TestService, credit: number, held: number) {
  const poolId = newId();
  const holdId = newId();
  await here.app.database.transaction(async (tx) => {
    await grantCredits(tx, { poolId, kind: "user", credit, reason: null, key: newId() });
    assert.equal((await holdCredits(tx, [{ holdId, poolId, amount: held }])).size, 1);
  });
  return { poolId, holdId };
}

function settle(here: TestService, parts: Parameters<typeof settleCredits>[1]) {
  return here.app.database.transaction((tx) => settleCredits(tx, parts));
}

suite("credits", { concurrency: 4 }, () => {
  test("L03: 64 concurrent holds of 1 to 1,000 on a pool of 10,000 take what is there, never more", async (t) => {
    const here = await testService(t, API_ONLY);
    const poolId = newId();
    const grant = { poolId, kind: "user" as const, credit: 10_000, reason: null, key: newId() };
    await here.app.database.transaction((tx) => grantCredits(tx, grant));
    const amounts = Array.from({ length: 64 }, (_, i) => 1 + ((i * 379) % 1_000));
    const paid = await Promise.all(
      amounts.map((amount) =>
        here.app.database.transaction(async (tx) => {
          const held = await holdCredits(tx, [{ holdId: newId(), poolId, amount }]);
          return held.size === 1 ? amount : 0;
        }),
      ),
    );
    const sum = paid.reduce((total, amount) => total + amount, 0);
    assert.ok(sum <= 10_000 && sum > 9_000, `${sum}`);
    const [pool] = await rows(here.app, "SELECT available, held_ever FROM pools WHERE id = $1", [poolId]);
    assert.deepEqual(pool, { available: 10_000 - sum, held_ever: sum });
    const [holds] = await rows(here.app, "SELECT count(*), sum(total) FROM holds WHERE pool_id = $1", [
      poolId,
    ]);
    assert.deepEqual(holds, { count: paid.filter((amount) => amount > 0).length, sum });
  });

  test("L03: of 64 concurrent campaigns the losers get insufficient-credits and leave nothing behind", async (t) => {
    const here = await testService(t, API_ONLY);
    const company = await here.company({ credits: 300 });
    const answers = await Promise.all(
      phones(64, "337").map((phone, i) => {
        const text = "x".repeat(153 * (2 + (i % 3)));
        return company.call("/v1/campaign/create", { contacts: [phone], text });
      }),
    );
    const won = answers.filter((answer) => answer.success);
    const lost = answers.filter((answer) => !answer.success);
    assert.ok(won.length >= 15 && lost.length >= 30, `${won.length} won, ${lost.length} lost`);
    assert.ok(lost.every((answer) => answer.error === "insufficient-credits"));
    const used = won.reduce((sum, answer) => sum + answer.data.creditUsed, 0);
    assert.equal(await balanceOf(company), 300 - used);
    for (const table of ["campaigns", "contacts"]) {
      const [found] = await rows(here.app, `SELECT count(*) FROM ${table}`);
      assert.equal(found.count, won.length, table);
    }
    assert.equal((await waitingMessages(here.app)).length, won.length);
    // Sends to one phone that come together share a hold.
    assert.deepEqual(await rows(here.app, "SELECT sum(total) FROM holds"), [{ sum: used }]);
    assert.equal((await assertBalanced(here)).held, used);
  });

  test("L05: a bad number of credits is an invalid-request and writes nothing", async (t) => {
    const here = await testService(t, API_ONLY);
    const { companyId } = await here.company({ credits: 5 });
    const before = await entryCount(here);
    const bad = [
      "0",
      "1.5",
      "null",
      '"5"',
      "1e400",
      "9007199254740992",
      "-0",
      "true",
      "[5]",
      "{}",
      "1000000001",
      '"NaN"',
      '""',
    ];
    for (const credit of bad) {
      const response = await fetch(`${here.url}/v1/admin/credit/grant`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: `{"adminKey":"${here.adminKey}","companyId":"${companyId}","credit":${credit},"reason":"x"}`,
      });
      assert.equal((await readAnswer(response)).error, "invalid-request", credit);
    }
    assert.equal((await here.admin("/v1/admin/credit/grant", { companyId })).error, "invalid-request");
    assert.equal((await here.admin("/v1/admin/credit/grant", { credit: 5 })).error, "invalid-request");
    const both = { companyId, userId: companyId, credit: 5 };
    assert.equal((await here.admin("/v1/admin/credit/grant", both)).error, "invalid-request");
    assert.equal(await entryCount(here), before);
  });

  test("L05: credits for nobody are not-found and write nothing", async (t) => {
    const here = await testService(t, API_ONLY);
    const nobody = newId();
    for (const [owner, error] of [
      ["companyId", "not-found"],
      ["userId", "not-found"],
      ["customerId", "customer-not-found"],
    ]) {
      const answer = await here.admin("/v1/admin/credit/grant", { [owner!]: nobody, credit: 5, reason: "x" });
      assert.equal(answer.error, error);
    }
    assert.equal(await entryCount(here), 0);
  });

  test("a correction takes credits back, but never below zero: insufficient-credits", async (t) => {
    const here = await testService(t, API_ONLY);
    const company = await here.company();
    const { companyId } = company;
    const grant = (credit: number) =>
      here.admin("/v1/admin/credit/grant", { companyId, credit, reason: "test" });
    assert.equal((await grant(100)).data.balance, 100);
    assert.equal((await grant(-101)).error, "insufficient-credits");
    assert.equal((await grant(-40)).data.balance, 60);
    await send(company, phones(50));
    assert.equal((await grant(-11)).error, "insufficient-credits", "what is held cannot be taken back");
    const racing = await Promise.all(Array.from({ length: 8 }, () => grant(-3)));
    assert.equal(racing.filter((answer) => answer.success).length, 3);
    assert.equal(await balanceOf(company), 1);
    assert.equal((await assertBalanced(here)).held, 50);
  });

  test("L08: each outcome told 1 to 5 times, in any order and at once, moves the money of a message once", async (t) => {
    const here = await testService(t, API_ONLY);
    const company = await here.company({ credits: 1_000 });
    const id = await send(company, phones(60), "x".repeat(161));
    const told = (await waitingMessages(here.app)).flatMap((message, i) =>
      Array.from({ length: 1 + (i % 5) }, (_, again) => ({
        message,
        status: (i + again) % 3 === 0 ? ("REJECTED" as const) : ("SENT" as const),
        operatorMessageId: `${i}`,
        error: null,
      })),
    );
    const turns = Map.groupBy(told, (_, at) => (at * 17) % 12);
    // One turn never has two outcomes of one message: the gateway gets one answer for each. A turn with a message that
    // is final already fails as a whole.
    const tell = (turn: typeof told) => {
      const distinct = [...new Map(turn.map((outcome) => [outcome.message.position, outcome])).values()];
      return here.app.database
        .transaction((tx) => settleOutcomes(tx, distinct))
        .catch((error: Error) => assert.ok(isMistaken(error), error.message));
    };
    await Promise.all([...turns.values()].flatMap((turn) => [tell(turn), tell(turn)]));
    for (const outcome of told) await tell([outcome]);
    const [hold] = await rows(here.app, "SELECT total, captured, released FROM holds WHERE id = $1", [id]);
    const [sent] = await rows(
      here.app,
      "SELECT coalesce(sum(price), 0) AS sum FROM messages WHERE status = 'SENT'",
    );
    assert.deepEqual(hold, { total: 120, captured: sent.sum, released: 120 - sent.sum });
    assert.equal((await rows(here.app, "SELECT count(*) FROM messages"))[0].count, 60);
    assert.equal(await balanceOf(company), 1_000 - sent.sum);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("L09: rejection, expiry and cancellation at once release once", async (t) => {
    const here = await testService(t, API_ONLY);
    const company = await here.company({ credits: 10 });
    const id = await send(company, phones(1)[0]!);
    const [message] = await waitingMessages(here.app);
    const ends = ["REJECTED", "EXPIRED", "CANCELED", "REJECTED"] as const;
    const settling = ends.map((status) => {
      const outcome = { message: message!, status, operatorMessageId: null, error: null };
      return here.app.database.transaction((tx) => settleOutcomes(tx, [outcome]));
    });
    const settled = await Promise.allSettled(settling);
    assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 1);
    const { data } = await company.call(`/v1/campaign/${id}`);
    assert.deepEqual([data.creditRefunded, await balanceOf(company)], [1, 10]);
    const [{ count }] = await rows(here.app, "SELECT count(*) FROM entries WHERE kind = 'release'");
    assert.equal(count, 1);
  });

  test("L09: the database itself refuses to give back or take more than was held, and nothing else moves", async (t) => {
    const here = await testService(t, API_ONLY);
    const { poolId, holdId } = await heldPool(here, 100, 10);
    const CHECK = { code: "23514" };
    const update = (text: string) => rows(here.app, `UPDATE holds SET ${text} WHERE id = $1`, [holdId]);
    await assert.rejects(update("released = 11"), CHECK);
    await assert.rejects(update("captured = 6, released = 5"), CHECK);
    await assert.rejects(update("captured = -1"), CHECK);
    await assert.rejects(rows(here.app, "UPDATE pools SET available = -1 WHERE id = $1", [poolId]), CHECK);
    await settle(here, [{ holdId, poolId, captured: 4, released: 6 }]);
    const before = await entryCount(here);
    await assert.rejects(settle(here, [{ holdId, poolId, captured: 0, released: 6 }]), CHECK);
    await assert.rejects(settle(here, [{ holdId, poolId, captured: 4, released: 0 }]), CHECK);
    assert.equal(await entryCount(here), before);
    const [pool] = await rows(here.app, "SELECT available FROM pools WHERE id = $1", [poolId]);
    assert.equal(pool.available, 96);
  });

  test("L15: 10,000 foreign contacts of ten segments cost exactly 500,000; 2^53 is out of reach", async (t) => {
    const here = await testService(t, { ...API_ONLY, log: openLog("silent") });
    const company = await here.company({ credits: 499_999 });
    const body = { contacts: phones(10_000, "336"), text: "x".repeat(1_530) };
    assert.equal((await company.call("/v1/campaign/create", body)).error, "insufficient-credits");
    await here.admin("/v1/admin/credit/grant", { companyId: company.companyId, credit: 2, reason: "x" });
    const { data } = await company.call("/v1/campaign/create", body);
    assert.equal(data.creditUsed, 500_000);
    assert.equal(await balanceOf(company), 1);
    assert.equal((await assertBalanced(here)).held, 500_000);
    // As large as a balance can be: one more is refused by constraint, and nothing wraps or rounds.
    await rows(here.app, "UPDATE pools SET available = 9007199254740991 WHERE id = $1", [company.companyId]);
    const beyond = await here.admin("/v1/admin/credit/grant", { companyId: company.companyId, credit: 1 });
    assert.equal(beyond.success, false);
    assert.equal(await balanceOf(company), 9_007_199_254_740_991);
  });

  test("L16: grants, holds and settlements over pairs of pools in every order never deadlock", async (t) => {
    const here = await testService(t, API_ONLY);
    const { database } = here.app;
    const pools = await Promise.all(Array.from({ length: 6 }, () => heldPool(here, 100_000, 1)));
    let asked = 0;
    let tries = 0;
    const transact = (work: Parameters<typeof database.transaction>[0]) => {
      asked++;
      return database.transaction((tx) => {
        tries++;
        return work(tx);
      });
    };
    const worker = async (n: number) => {
      for (let i = 0; i < 6; i++) {
        const pair = [pools[(n + i) % 6]!, pools[(n + i * 5 + 1 + (i % 4)) % 6]!];
        if (n % 2) pair.reverse();
        const wanted = pair.map(({ poolId }) => ({ holdId: newId(), poolId, amount: 3 }));
        await transact((tx) => holdCredits(tx, wanted));
        const parts = wanted.map(({ holdId, poolId }, at) => ({
          holdId,
          poolId,
          captured: at + 1,
          released: 2 - at,
        }));
        await transact((tx) => settleCredits(tx, parts));
        await transact((tx) =>
          grantCredits(tx, {
            poolId: pair[0]!.poolId,
            kind: "user",
            credit: i % 2 ? -1 : 1,
            reason: null,
            key: newId(),
          }),
        );
      }
    };
    await Promise.all(Array.from({ length: 32 }, (_, n) => worker(n)));
    assert.equal(tries, asked, "no transaction had to be tried again");
    const wrong = (await database.snapshot((tx) => import("./audits.ts").then((it) => it.auditLedger(tx))))
      .wrong;
    assert.deepEqual(wrong, []);
  });

  test("L17: a batch of 100 outcomes settles whole or not at all, and what is settled is never settled again", async (t) => {
    const here = await testService(t, API_ONLY);
    const company = await here.company({ credits: 100 });
    await send(company, phones(100));
    const outcomes = (await waitingMessages(here.app)).map((message, i) => ({
      message,
      status: i % 2 ? ("REJECTED" as const) : ("SENT" as const),
      operatorMessageId: null,
      error: null,
    }));
    // The server kills the connection in the middle of the transaction, as a crash would.
    const cut = here.app.database.transaction(async (tx) => {
      await settleOutcomes(tx, outcomes);
      await tx.run({ name: "test.die", text: "SELECT pg_terminate_backend(pg_backend_pid())" });
    });
    await assert.rejects(cut);
    assert.equal((await assertBalanced(here)).held, 100);
    const first = outcomes.slice(0, 30);
    await here.app.database.transaction((tx) => settleOutcomes(tx, first));
    assert.equal((await assertBalanced(here)).held, 70);
    await assert.rejects(
      here.app.database.transaction((tx) => settleOutcomes(tx, outcomes)),
      isMistaken,
    );
    assert.equal((await assertBalanced(here)).held, 70);
    await here.app.database.transaction((tx) => settleOutcomes(tx, outcomes.slice(30)));
    assert.equal((await assertBalanced(here)).held, 0);
    assert.equal(await balanceOf(company), 50);
  });

  test("L10 M12: connections cut at any moment, even in COMMIT: what was acknowledged is there, whole, and once", async (t) => {
    const here = await testService(t, { ...API_ONLY, log: openLog("silent") });
    const company = await here.company({ credits: 100_000 });
    const acknowledged: string[] = [];
    const mine =
      "application_name LIKE 'atumpan %' AND datname = current_database() AND pid <> pg_backend_pid()";
    // Begun together with a request, so that it strikes somewhere in it.
    const cut = () =>
      rows(here.app, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${mine}`).catch(() => {});
    const load = async (worker: number) => {
      for (let i = 0; i < 20; i++) {
        const body = { contacts: phones(1 + (i % 70), `2250${worker}`), text: "Bonjour" };
        const [answer] = await Promise.all([company.call("/v1/campaign/create", body), cut()]);
        if (answer.success) acknowledged.push(answer.data.id);
        else assert.ok(["server-error", "service-unavailable"].includes(answer.error!), answer.error!);
      }
    };
    await Promise.all([1, 2, 3, 4].map(load));
    await endConnections(here.databaseUrl);
    const found = await rows(here.app, "SELECT id, contact_count FROM campaigns");
    const messages = await waitingMessages(here.app);
    const waiting = Map.groupBy(messages, (message) => message.sendId);
    assert.ok(found.every(({ id, contact_count: count }) => waiting.get(id)?.length === count));
    const there = new Set(found.map((campaign) => campaign.id));
    assert.deepEqual(
      acknowledged.filter((id) => !there.has(id)),
      [],
    );
    // Each hold is the price of its messages. Sends to one phone that come together share one.
    const held = Map.groupBy(messages, (message) => message.holdId);
    for (const { id, total } of await rows(here.app, "SELECT id, total FROM holds"))
      assert.equal(held.get(id)?.length, total);
    await assertBalanced(here);
  });
});
