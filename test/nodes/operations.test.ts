// docs/operations.md is followed from its first command to its last, with the cluster of ops/ha on loopback: two processes
// of each role, a standby, and the loss of the primary's machine under load. `npm run try:ha` runs this and freezes.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../testservice.ts";
import { needsCluster } from "./cluster.ts";
import { blocksToFollow, Followed } from "./followed.ts";
import { judge } from "./judge.ts";

// No quarantine ends by itself: what is of unknown fate becomes known by its receipt.
const SETTINGS = { quarantineMs: 3_600_000 };
const TIMEOUT_MS = 1_800_000;

/** The loss of the primary's machine under load, until the other server is the primary and messages go out. */
async function losePrimary(here: Followed): Promise<void> {
  let seconds = "";
  const acknowledged = await here.underLoad(async () => {
    const { primary, standby } = await here.places.settled();
    await here.places.loseDatabase(primary);
    seconds = await here.untilSending();
    await here.places.startDatabase(primary);
    assert.equal((await here.places.settled()).primary, standby, "the lost machine is the standby");
  });
  const { accepted, doubled } = await judge(here, acknowledged);
  here.say(
    `1 kill of the primary's machine, ${seconds} s to recovery, ${accepted} messages, 0 lost, ${doubled} doubled, 0 charged twice`,
  );
}

const PLAYED = [
  { command: /reboot -f/, play: losePrimary },
  {
    command: /restart atumpan@/,
    async play(here: Followed) {
      await judge(here, await here.underLoad(() => here.restartProcesses()));
    },
  },
];

/** Both servers lost the data: what was archived is restored on one and handed back to Patroni, as the document says. */
async function restoreAll(here: Followed, block: string): Promise<void> {
  await here.endProcesses();
  await here.places.stopPatroni();
  await here.places.restore("db1", block);
  for (const machine of ["db1", "db2"] as const) await here.places.startDatabase(machine);
  assert.equal((await here.places.settled()).primary, "db1");
  await here.startProcesses();
  await here.untilReady(here.url);
  const { data: held } = await here.admin("/v1/admin/recovery/read");
  assert.deepEqual([held.state, held.reason], ["HELD", "PROMOTED"], JSON.stringify(held));
  await here.admin("/v1/admin/recovery/unknown");
  await until(async () => (await here.admin("/v1/admin/recovery/read")).data.state === "NORMAL");
  await judge(here, await here.underLoad(async () => {}));
}

test("docs/operations.md brings up two of each role with a standby, which survive the loss of the primary", {
  ...needsCluster,
  timeout: TIMEOUT_MS,
}, async (t) => {
  const here = await Followed.begin(t, { played: PLAYED, settings: SETTINGS });
  const blocks = blocksToFollow();
  for (const block of blocks) await here.follow(block);
  await restoreAll(
    here,
    blocks.find((block) => /pgbackrest .* restore$/m.test(block) && block.includes("mv "))!,
  );
});
