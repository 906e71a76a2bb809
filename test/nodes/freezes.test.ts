// Freezes that thaw: what a pause of a virtual machine, a live migration or a hanging disk does. Programs, machines, and two
// machines in turn are stopped under load and go on later, knowing nothing of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atLength } from "../length.ts";
import { needsCluster } from "./cluster.ts";
import { blocksToFollow, Followed } from "./followed.ts";
import { judge } from "./judge.ts";

const TIMEOUT_MS = 5_400_000;
/** Shorter and longer than Patroni's `ttl` of 20 s, after which the other server takes over. */
const SECONDS = [20, 45, 120];
const ONE_OR_ALL = atLength({ short: [45], long: SECONDS });

/** What is frozen together, one such set after the other. `primary` and `standby` are the machines that were so before. */
type Turns = readonly (readonly string[])[];

const FAULTS: readonly { turns: Turns; seconds: readonly number[] }[] = [
  { turns: [["primary"]], seconds: SECONDS },
  { turns: [["standby"]], seconds: ONE_OR_ALL },
  { turns: [["primary"], ["standby"]], seconds: ONE_OR_ALL },
  { turns: [["primary", "etcd1"]], seconds: ONE_OR_ALL },
  // One of three that is left cannot decide anything.
  { turns: [["etcd1", "etcd2"]], seconds: ONE_OR_ALL },
  { turns: [["primary patroni"]], seconds: ONE_OR_ALL },
  { turns: [["primary postgresql"]], seconds: ONE_OR_ALL },
  { turns: [["app1 gateway"]], seconds: ONE_OR_ALL },
  { turns: [["app1 gateway", "app1 worker", "app1 api"]], seconds: ONE_OR_ALL },
  ...["app1 worker", "app1 api", "haproxy"].map((name) => ({
    turns: [[name]],
    seconds: atLength({ short: [], long: SECONDS }),
  })),
];

/** Freezes under load, thaws, and asserts that nothing was lost or charged twice. */
async function freezeInTurn(here: Followed, turns: Turns, seconds: number): Promise<void> {
  const recoveries: string[] = [];
  const acknowledged = await here.underLoad(async () => {
    const machines: Record<string, string> = await here.places.settled();
    for (const names of turns) {
      const thaw = here.freeze(names.map((name) => name.replace(/^\w+/, (word) => machines[word] ?? word)));
      recoveries.push(await here.sitOut(seconds * 1_000, thaw));
    }
    await here.places.settled();
  });
  const { accepted, doubled } = await judge(here, acknowledged);
  const what = turns.map((names) => names.join(" and ")).join(", then ");
  here.say(
    `${what} frozen for ${seconds} s: ${recoveries.join(" and ")} s to recovery, ${accepted} messages so far, 0 lost, ${doubled} doubled so far, 0 charged twice`,
  );
}

test("what freezes under load and thaws loses nothing, charges nothing twice, and goes on", {
  ...needsCluster,
  timeout: TIMEOUT_MS,
}, async (t) => {
  const here = await Followed.begin(t, {});
  for (const block of blocksToFollow()) {
    if (block.includes("reboot -f")) break;
    await here.follow(block);
  }
  for (const { turns, seconds } of FAULTS)
    for (const of of seconds)
      await freezeInTurn(here, turns, of).catch((error: Error) =>
        assert.fail(`${turns.join(", then ")} for ${of} s: ${error.message}\n${here.tails()}`),
      );
});
