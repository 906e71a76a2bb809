// A gateway dies while it takes batches. Before an intent is committed, nothing of them can have been written.
import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { inLongRuns } from "./length.ts";
import { allAre, assertBalanced, phones, rows, send, settled, waitingMessages } from "./sending.ts";
import { kill, openStage, reached, untilBound } from "./stage.ts";
import type { TestService } from "./testservice.ts";
import type { Passing } from "./wire.ts";

const CREDITS = 1_000;
/** More than two windows, so that its intent is not committed together with its taking. */
const TAKEN = 250;

suite("takings", { concurrency: 2 }, () => {
  for (const [name, count] of [
    ["a single", 1],
    ["bulk", TAKEN],
  ] as const) {
    const guarantee = `M03: after SIGKILL before the taking of ${name} is committed it is QUEUED, and another process sends it once`;
    test(guarantee, inLongRuns, async (t) => {
      const dead = await dieAmid(t, count, "statement", isTaking);
      await allAre("QUEUED", dead.company, dead.id);
      assert.equal(await heldBySessions(dead.stage.here), 0);
      await assertSentByAnother(dead);
    });
  }

  const INSTANTS: [name: string, what: "statement" | "answer", isHere: (passing: Passing) => boolean][] = [
    ["the answer of the taking is on its way", "answer", isTaking],
    [
      "the next turn has not begun",
      "statement",
      afterTaking(({ name, opener }) => name === "BEGIN" && isCycle(opener)),
    ],
    [
      "the intent is not committed",
      "statement",
      afterTaking(({ name, opener }) => name === "COMMIT" && isCycle(opener)),
    ],
  ];
  for (const [name, what, isHere] of INSTANTS) {
    // A batch that fits into two windows gets its intent with its taking, and so has no such instant.
    const guarantee = `M04: after SIGKILL while a batch is taken and ${name}, 0 messages are lost and 0 sent twice`;
    test(guarantee, what === "answer" ? {} : inLongRuns, async (t) => {
      const dead = await dieAmid(t, TAKEN, what, isHere);
      assert.equal(await heldBySessions(dead.stage.here), 1);
      await assertSentByAnother(dead);
    });
  }
});

const isCycle = (opener: string) => opener === "sends.settlePacked";

/** Whether this commits a cycle that has taken something. */
function isTaking({ name, before }: Passing): boolean {
  return name === "COMMIT" && before.some((one) => one.name === "sends.takeBatches" && one.rows! > 0);
}

/** As `isHere`, from the first taking on. */
function afterTaking(isHere: (passing: Passing) => boolean): (passing: Passing) => boolean {
  let isTaken = false;
  return (passing) => {
    if (isTaken) return isHere(passing);
    isTaken = isTaking(passing);
    return false;
  };
}

/** Kills a gateway at a point of the sending of a campaign, before it has written anything. */
async function dieAmid(
  t: TestContext,
  count: number,
  what: "statement" | "answer",
  isHere: (passing: Passing) => boolean,
) {
  const stage = await openStage(t);
  const { here, wire, begin, simulator } = stage;
  const company = await here.company({ credits: CREDITS });
  const victim = await begin("gateway");
  await untilBound(stage);
  wire.hold(what, isHere);
  const numbers = phones(count);
  const id = await send(company, numbers);
  await wire.held(1);
  await kill(stage, victim);
  assert.equal(simulator.stats().accepted, 0);
  const waiting = await waitingMessages(here.app);
  assert.deepEqual([waiting.length, waiting.filter(({ isWritten }) => isWritten).length], [count, 0]);
  await assertBalanced(here);
  return { stage, company, id, numbers };
}

/** Asserts that another process sends everything once, and holds nothing for written: its quarantine would not end. */
async function assertSentByAnother({ stage, company, id, numbers }: Awaited<ReturnType<typeof dieAmid>>) {
  const { here, begin } = stage;
  await begin("gateway");
  const { status, creditRefunded } = await settled(company, id);
  assert.deepEqual([status, creditRefunded], ["SENT", 0]);
  assert.deepEqual(reached(stage).sort(), numbers.toSorted());
  assert.equal((await assertBalanced(here)).held, 0);
}

/** The number of batches that sessions have, also those of dead processes. */
async function heldBySessions({ app }: TestService): Promise<number> {
  return (await rows(app, "SELECT FROM batches WHERE session_id IS NOT NULL")).length;
}
