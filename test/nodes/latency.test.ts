// A database that is far away: how much of its window a link uses, beside one whose database is near.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { inLongRuns } from "../length.ts";
import { startProxy } from "../proxy.ts";
import {
  accepted,
  addOperator,
  assertBalanced,
  deliverReceipt,
  phones,
  rows,
  type Scope,
  type ScriptedOperator,
  send,
  settled,
  stacked,
  startBeside,
  startScripted,
} from "../sending.ts";
import { type Company, type TestService, testService, until } from "../testservice.ts";

// With so small a window and so slow an operator, the window is the limit and the machine is not: 250 messages/s take a
// tenth of a core.
const WINDOW = 5;
const ANSWER_MS = 20;
const RECEIPT_MS = 20;
const FIRST = 100;
const COUNTED = 500;
/** The far link may be sent as much as this many times what is counted, before it has no more. */
const ENOUGH = 2 * (FIRST + COUNTED);
const CUTS = 12;

type Sending = {
  operator: ScriptedOperator;
  here: TestService;
  company: Company;
  campaign: string;
  /** The name of the gateway among the database's connections. */
  node: string;
};

/** A gateway so far from its database, whose operator sends receipts, with a campaign to send. */
async function sendOver(t: Scope, roundTripMs: number): Promise<Sending> {
  const scope = stacked(t);
  const operator = await startScripted(scope, async (pdu, session, n) => {
    await wait(ANSWER_MS);
    // The session may end before.
    setTimeout(() => void deliverReceipt(session, pdu, `${n}`).catch(() => {}), RECEIPT_MS);
    return accepted(`${n}`);
  });
  const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false } });
  await addOperator(here, operator.port, { window: WINDOW });
  const company = await here.company({ credits: ENOUGH });
  const campaign = await send(company, phones(ENOUGH));
  const { url } = await startProxy(scope, here.databaseUrl, { roundTripMs });
  const gateway = await startBeside(scope, here, ["gateway"], url);
  return { operator, here, company, campaign, node: gateway.app.database.node };
}

function countOf({ operator }: Sending): number {
  return operator.received.length;
}

/** Everything is sent, once, and paid. */
async function assertSent({ operator, here, company, campaign }: Sending): Promise<void> {
  const { stats } = await settled(company, campaign);
  assert.equal(stats.failed, 0);
  assert.equal(new Set(operator.received.map(({ destinationAddr }) => destinationAddr)).size, ENOUGH);
  assert.equal(operator.received.length, ENOUGH);
  assert.equal((await assertBalanced(here)).held, 0);
}

/**
 * How much a far link sends in the time in which a near one sends so much. Both send at once, so that they have the same
 * of the machine, however busy it is.
 */
async function shareOver(t: Scope, roundTripMs: number): Promise<number> {
  const [near, far] = await Promise.all([sendOver(t, 0), sendOver(t, roundTripMs)]);
  await until(() => countOf(near) >= FIRST && countOf(far) >= FIRST);
  const before = [countOf(near), countOf(far)] as const;
  await until(() => countOf(near) - before[0] >= COUNTED);
  const share = (countOf(far) - before[1]) / (countOf(near) - before[0]);
  await assertSent(near);
  await assertSent(far);
  return share;
}

test("a link 10 ms from its database sends at least 80 % of what its window carries beside it, with receipts", async (t) => {
  const share = await shareOver(t, 10);
  t.diagnostic(`${Math.round(share * 100)} %`);
  assert.ok(share >= 0.8, `${share}`);
});

test("M12: a far link whose connections to the database are cut under several turns sends each message once", async (t) => {
  const far = await sendOver(t, 30);
  const mine = "application_name = $1 AND xact_start IS NOT NULL";
  const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${mine}`;
  let cuts = 0;
  for (let count = FIRST; count < ENOUGH; count += ENOUGH / CUTS) {
    await until(() => countOf(far) >= count);
    // Its cycles are on the server only for moments.
    await until(async () => (await rows(far.here.app, cut, [far.node])).length > 0);
    cuts++;
  }
  assert.ok(cuts > CUTS / 2);
  await assertSent(far);
});

/**
 * A slot is in use from the commit of an intent to that of the answer, as the database has them. That is the way of the
 * first commit's answer, the operator's time, and the way of the second commit: a round trip beside the operator's time.
 * There are two windows of slots, and one is on the wire at most.
 */
function boundOf(roundTripMs: number): number {
  return Math.min(1, (2 * ANSWER_MS) / (ANSWER_MS + roundTripMs));
}

test(
  "the farther away its database is, the nearer a link comes to what its slots allow",
  inLongRuns,
  async (t) => {
    for (const roundTripMs of [5, 10, 20, 50]) {
      const share = await shareOver(t, roundTripMs);
      const bound = boundOf(roundTripMs);
      t.diagnostic(`${roundTripMs} ms: ${Math.round(share * 100)} % of at most ${Math.round(bound * 100)} %`);
      assert.ok(share >= 0.65 * bound, `${roundTripMs} ms: ${share} of ${bound}`);
    }
  },
);
