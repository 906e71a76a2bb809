// Full disks: that of the primary, of its standby, and of the archive is full under load for a while, and then has room again.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { getuid } from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";
import { until } from "../testservice.ts";
import { needsCluster, SWITCH_LIMIT_MS } from "./cluster.ts";
import { blocksToFollow, Followed } from "./followed.ts";
import { judge } from "./judge.ts";

const run = promisify(execFile);
const FULL_MS = 45_000;
const TIMEOUT_MS = 1_800_000;
const needsRoot = {
  skip: needsCluster.skip || (getuid?.() === 0 ? false : "only root can mount a disk of its own"),
};

/** Takes all room of a disk. The returned function gives it back. */
async function fillUp(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, "filled");
  // It ends where there is no room left, whatever the server writes meanwhile.
  const full = await run("dd", ["if=/dev/zero", `of=${path}`, "bs=1M", "status=none"]).catch(
    (error: Error) => error.message,
  );
  assert.match(String(full), /No space left/);
  return () => rm(path);
}

/** Fills a disk under load for a while, and asserts that nothing was lost or charged twice. */
async function fillUnderLoad(here: Followed, what: "primary" | "standby" | "archive"): Promise<void> {
  let seconds = "";
  const acknowledged = await here.underLoad(async () => {
    const { primary, standby } = await here.places.settled();
    const name = { primary, standby, archive: "archive" as const }[what];
    const empty = await fillUp(here.places.diskOf(name));
    seconds = await here.sitOut(FULL_MS, empty);
    await here.places.settled();
  });
  const { accepted, doubled } = await judge(here, acknowledged);
  here.say(
    `the disk of the ${what} full for 45 s: ${seconds} s to recovery, ${accepted} messages so far, 0 lost, ${doubled} doubled so far, 0 charged twice`,
  );
}

/** Waits until the archive has a file that was archived after now. */
async function untilArchived(here: Followed): Promise<void> {
  const [{ now }] = await here.rows("SELECT now()::text AS now");
  const archived = `SELECT FROM pg_stat_archiver WHERE last_archived_time > '${now}'`;
  await until(async () => (await here.rows(archived)).length > 0, SWITCH_LIMIT_MS);
}

test("full disks under load lose nothing, charge nothing twice, and all goes on once they have room", {
  ...needsRoot,
  timeout: TIMEOUT_MS,
}, async (t) => {
  const here = await Followed.begin(t, { ownDisks: true });
  for (const block of blocksToFollow()) {
    if (block.includes("reboot -f")) break;
    await here.follow(block);
  }
  for (const what of ["archive", "standby", "primary"] as const) {
    await fillUnderLoad(here, what).catch((error: Error) =>
      assert.fail(`${what}: ${error.message}\n${here.tails()}`),
    );
    await untilArchived(here);
  }
});
