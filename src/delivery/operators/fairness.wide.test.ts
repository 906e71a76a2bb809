// Fairness between accounts: one company's campaign does not make another's wait, however large and however slow the operator.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { accepted, phones, rows, send, settled, startScripted } from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";

type Scope = { after: (close: () => Promise<void>) => void };
type Came = { to: string };

/** A test service with one operator of a given speed, and what came to it in order. */
async function testServiceAt(t: Scope, tps: number): Promise<{ here: TestService; came: Came[] }> {
  const came: Came[] = [];
  const operator = await startScripted(t, (pdu, _session, n) => {
    came.push({ to: pdu.destinationAddr });
    return accepted(`${n}`);
  });
  const here = await testService(t, { config: { simulator: false } });
  const answer = await here.admin("/v1/admin/operator/create", {
    name: "slow",
    host: "127.0.0.1",
    port: operator.port,
    systemId: "atumpan",
    password: "drum",
    prefixes: ["225", "226"],
    tps,
  });
  assert.equal(answer.success, true);
  await until(() => operator.sessions.length === 1);
  return { here, came };
}

/** How many messages of others came before the first to a prefix. */
const countBefore = (came: readonly Came[], prefix: string) =>
  until(() => came.some(({ to }) => to.startsWith(prefix))).then(() =>
    came.findIndex(({ to }) => to.startsWith(prefix)),
  );

suite("fairness", { concurrency: 2 }, () => {
  test("M16: at a fast operator another company's 100 start within 1 s, and end long before the 20,000 ahead of them", async (t) => {
    const { here, came } = await testServiceAt(t, 1_000);
    const [large, small] = [await here.company({ credits: 100_000 }), await here.company({ credits: 1_000 })];
    for (const prefix of ["22507", "22505"]) await send(large, phones(10_000, prefix));
    await until(() => came.length >= 500);
    const id = await send(small, phones(100, "22501"));
    const asked = came.length;
    assert.equal((await settled(small, id)).stats.sent, 100);
    // In messages, which a slow machine does not count faster: 1,000 of them are a second, and 20,000 are ahead.
    const isTheirs = ({ to }: Came) => to.startsWith("22501");
    const [first, last] = [came.findIndex(isTheirs) - asked, came.findLastIndex(isTheirs) - asked];
    assert.ok(first < 3_000, `${first} came before the first of theirs`);
    assert.ok(last < 6_000, `${last} came before the last of theirs`);
  });

  test("M16: at 10 messages a second another company's 100 start within 1 s and have every other place; a single send goes first", async (t) => {
    const { here, came } = await testServiceAt(t, 10);
    const [large, small, third] = await Promise.all([1, 2, 3].map(() => here.company({ credits: 10_000 })));
    await send(large!, phones(3_000));
    await until(() => came.length >= 5);
    await send(small!, phones(100, "22501"));
    // In messages again: 10 of them are a second, and 3,000 are ahead of it.
    const asked = came.length;
    assert.ok((await countBefore(came, "22501")) - asked < 50);
    const [from] = [came.length];
    await until(() => came.length >= from + 20);
    const theirs = came.slice(from, from + 20).filter(({ to }) => to.startsWith("22501")).length;
    assert.ok(theirs >= 9 && theirs <= 11, `${theirs} of 20`);
    await send(third!, "2250500001000");
    const singleAsked = came.length;
    assert.ok((await countBefore(came, "22505")) - singleAsked < 50);
    const [held] = await rows(here.app, "SELECT count(*) FROM batches WHERE session_id IS NOT NULL");
    assert.ok(held.count <= 4, "a slow link holds little");
  });

  test("of a hundred companies with campaigns each has its turn before any has its second batch", async (t) => {
    const { here, came } = await testServiceAt(t, 1_000);
    const large = await here.company({ credits: 100_000 });
    await send(large, phones(10_000));
    await until(() => came.length > 0);
    const many = await Promise.all(Array.from({ length: 100 }, () => here.company({ credits: 100 })));
    const ids = await Promise.all(many.map((company, i) => send(company, phones(20, `226${100 + i}`))));
    const cameBefore = came.length;
    for (const [i, company] of many.entries()) await settled(company, ids[i]!);
    // 2,000 messages of theirs, and what the large one had in between.
    const theirs = came.findLastIndex(({ to }) => to.startsWith("226")) - cameBefore;
    assert.ok(theirs < 6_000, `${theirs} came before the last of theirs`);
  });
});
