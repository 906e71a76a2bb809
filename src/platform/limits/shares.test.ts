// Shares of accounts: how many turns run at once, who waits, and who is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../http/refusals.ts";
import { limits } from "./limits.ts";
import { type Leave, Shares } from "./shares.ts";

const HEAVY = 100_000;

const sharesOf = (more: Partial<typeof limits> = {}) => new Shares({ ...limits, ...more });

/** Asks for turns, and collects those that have begun. */
function turns(shares: Shares) {
  const begun: { account: string; leave: Leave }[] = [];
  return {
    begun,
    accounts: () => begun.map(({ account }) => account).join(" "),
    ask(account: string, bytes = 0): Promise<void> {
      const asked = (async () => {
        const leave = await shares.enter(account, bytes);
        begun.push({ account, leave });
      })();
      // What still waits when a test ends is refused later.
      asked.catch(() => {});
      return asked;
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("A2 an account has three unpaid requests under way at once, and others do not wait behind it", async () => {
  const t = turns(sharesOf());
  for (let n = 0; n < 8; n++) void t.ask("a");
  void t.ask("b");
  await settled();
  assert.equal(t.accounts(), "a a a b");
  t.begun[0]!.leave();
  t.begun[0]!.leave();
  await settled();
  assert.equal(t.accounts(), "a a a b a", "a turn that ends twice makes room once");
});

test("A2 an account that asks faster than it is answered has one under way while others are active", async () => {
  const t = turns(sharesOf());
  for (let n = 0; n < 20; n++) void t.ask("a");
  void t.ask("b");
  await settled();
  for (let n = 0; n < 3; n++) t.begun[n]!.leave();
  await settled();
  assert.equal(t.accounts(), "a a a b a");
  t.begun[4]!.leave();
  await settled();
  assert.equal(t.accounts(), "a a a b a a", "the next one begins when it ends");
});

test("A2 all accounts together have eight, and take turns", async () => {
  const t = turns(sharesOf());
  for (const account of ["a", "b", "c", "d"]) for (let n = 0; n < 4; n++) void t.ask(account);
  await settled();
  assert.equal(t.accounts(), "a a a b b b c c");
  for (const { leave } of t.begun.slice()) leave();
  await settled();
  const next = t.begun.slice(8).map(({ account }) => account);
  assert.deepEqual(next.slice(0, 4).sort(), ["a", "b", "c", "d"]);
  assert.deepEqual(next.slice(4).sort(), ["c", "d", "d"], "d has three under way");
});

test("A2 a request with a large body runs alone", async () => {
  const t = turns(sharesOf());
  void t.ask("a");
  void t.ask("a", HEAVY);
  void t.ask("a");
  await settled();
  assert.equal(t.begun.length, 1);
  t.begun[0]!.leave();
  await settled();
  assert.equal(t.begun.length, 2);
  t.begun[1]!.leave();
  await settled();
  assert.equal(t.begun.length, 3);
});

test("A2 what waits is bounded in number and bytes; beyond that requests are refused at once, with a time", async () => {
  let refusals = 0;
  const shares = new Shares({ ...limits, unpaidWaiting: 2, unpaidWaitingBytes: 3 * HEAVY }, () => refusals++);
  const t = turns(shares);
  void t.ask("a", HEAVY);
  void t.ask("a", 2 * HEAVY);
  const isRefused = (error: unknown) =>
    error instanceof Refusal && error.code === "too-many-requests" && error.retryAfterSeconds! >= 1;
  await assert.rejects(t.ask("a", 2 * HEAVY), isRefused);
  void t.ask("a");
  await assert.rejects(t.ask("a"), isRefused);
  await t.ask("b", HEAVY);
  assert.deepEqual([refusals, shares.waiting, shares.running], [2, 2, 2]);
});

test("A2 an account that has used its budget waits while others are active, and not while it is alone", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const clock = t.mock.method(performance, "now", () => nowMs);
  let nowMs = 1_000_000;
  const pass = async (ms: number) => {
    nowMs += ms;
    t.mock.timers.tick(ms);
    await settled();
  };
  const shares = sharesOf({ unpaidWaitMs: 60_000 });
  const asked = turns(shares);
  void asked.ask("a");
  await settled();
  nowMs += 3 * limits.unpaidMsAtOnce;
  asked.begun[0]!.leave();
  await asked.ask("a");
  assert.equal(asked.begun.length, 2, "nobody else is there");
  shares.note("b");
  asked.begun[1]!.leave();
  void asked.ask("a");
  await settled();
  assert.equal(asked.begun.length, 2, "another account is active");
  // The other one stays active, so the account waits until its debt is paid.
  const owedMs = (limits.unpaidMsOwed * 1_000) / limits.unpaidMsPerSecond;
  for (let waitedMs = 0; waitedMs < owedMs; waitedMs += 500) {
    assert.equal(asked.begun.length, 2, `${waitedMs} ms`);
    shares.note("b");
    shares.note("a");
    await pass(500);
  }
  await pass(1_000);
  assert.equal(asked.begun.length, 3);
  clock.mock.restore();
});

test("A2 what has waited for so long that its client would be given up is refused, and nothing of it is done", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 1_000_000;
  const clock = t.mock.method(performance, "now", () => nowMs);
  const shares = sharesOf();
  const asked = turns(shares);
  void asked.ask("a", HEAVY);
  const waiting = [asked.ask("a"), asked.ask("a", HEAVY)];
  void asked.ask("b", HEAVY);
  const refused = Promise.allSettled(waiting);
  nowMs += limits.unpaidWaitAtMostMs + 1;
  t.mock.timers.tick(limits.unpaidWaitAtMostMs + 1);
  for (const result of await refused) {
    assert.equal(result.status, "rejected");
    assert.equal((result.reason as Refusal).code, "too-many-requests");
    assert.ok((result.reason as Refusal).retryAfterSeconds! >= 1);
  }
  assert.deepEqual([asked.accounts(), shares.waiting, shares.running], ["a b", 0, 2]);
  clock.mock.restore();
});

test("A2 whether an account is full can be asked, which takes nothing and makes nobody active", async () => {
  const shares = sharesOf({ unpaidWaiting: 0 });
  const t = turns(shares);
  await t.ask("a", HEAVY);
  shares.refuseIfFull("b", HEAVY);
  assert.throws(() => shares.refuseIfFull("a", HEAVY), /too-many-requests/);
  assert.deepEqual([shares.running, shares.waiting, shares.isShared], [1, 0, false]);
});
