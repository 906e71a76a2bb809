// The files of what was submitted as time goes by: others are begun, old ones are deleted, and what is missing is noticed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { resetClockAfterwards } from "../../../test/clock.ts";
import { ofThisRun } from "../../../test/process.ts";
import { message, readFolder, submittedFolder } from "../../../test/submitted.ts";
import { nowMs, setClock } from "../clock.ts";
import type { Reporter } from "./submitted.ts";

const MINUTE = 60_000;

resetClockAfterwards();

/** Sets the clock of this process forward. */
function pass(ms: number): void {
  const at = performance.now();
  setClock(nowMs() + ms, at, at);
}

const isWhole = ({ reporters }: { reporters: Reporter[] }, sinceMs: number) =>
  reporters.every(({ wholeSinceMs }) => wholeSinceMs <= sinceMs);

test("a process of which all files are deleted is missed: no other one of the folder counts as whole for that time", async (t) => {
  const { open } = submittedFolder(t);
  const beganMs = nowMs() - 1_000;
  const before = open("atumpan before");
  before.add([message(1)]);
  before.stop();
  pass(10 * MINUTE);
  const nextMs = nowMs() - 1_000;
  const next = open("atumpan next");
  next.add([message(2)]);
  pass(60 * MINUTE);
  next.add([message(3)]);
  pass(6 * MINUTE);
  next.add([message(4)]);
  const all = await readFolder(next, beganMs);
  assert.deepEqual([all.phones.length, isWhole(all, beganMs)], [3, false]);
  const own = await readFolder(next, nextMs);
  assert.deepEqual([own.phones.length, isWhole(own, nextMs)], [3, true]);
  next.stop();
});

test("a file that is missing in the midst of those of a process is noticed, and what came after it counts", async (t) => {
  const { files, open } = submittedFolder(t);
  const beganMs = nowMs() - 1_000;
  const one = open("atumpan 1");
  for (const n of [1, 2, 3]) {
    one.add([message(n)]);
    pass(6 * MINUTE);
  }
  const laterMs = nowMs();
  one.add([message(4)]);
  one.stop();
  const whole = await readFolder(open("atumpan 2"), beganMs);
  assert.deepEqual([whole.phones.length, isWhole(whole, beganMs)], [4, true]);
  rmSync(files().sort()[1]!);
  const lacking = await readFolder(open("atumpan 2"), beganMs);
  assert.deepEqual([lacking.phones.length, isWhole(lacking, beganMs)], [3, false]);
  assert.ok(isWhole(await readFolder(open("atumpan 2"), laterMs), laterMs));
});

test("where no other file can be begun, the one before takes what is submitted, and a kill then loses nothing", async (t) => {
  const { dataDir, open } = submittedFolder(t);
  const script = join(dataDir, "child.ts");
  const here = import.meta.dirname;
  writeFileSync(
    script,
    `import { openSync } from "node:fs";
import { nowMs, setClock } from "${here}/../clock.ts";
import { openLog } from "${here}/../log.ts";
import { Secrets } from "${here}/../secrets/secrets.ts";
import { SubmittedLog } from "${here}/submitted.ts";
const secrets = new Secrets({ masterKey: "m".repeat(32), adminKey: "adm_" + "a".repeat(32) });
const log = openLog("warn", { write: (line) => process.stderr.write(line) });
const kept = new SubmittedLog({ dataDir: "${dataDir}", node: "atumpan 1", host: "app1", isGateway: true, secrets, log });
kept.add([{ sendId: "send1", phone: "1" }]);
const at = performance.now();
setClock(nowMs() + 301_000, at, at);
try { for (;;) openSync("/dev/null", "r"); } catch {}
kept.add([{ sendId: "send1", phone: "2" }]);
process.kill(process.pid, "SIGKILL");
`,
  );
  const command = `ulimit -n 128; exec ${process.execPath} ${script}`;
  const child = spawnSync("bash", ["-c", command], { encoding: "utf8", env: ofThisRun() });
  assert.equal(child.signal, "SIGKILL", child.stderr);
  assert.match(child.stderr, /no further file of what is submitted can be made/);
  const found = await readFolder(open("atumpan 2"), 0);
  assert.deepEqual([found.phones.length, isWhole(found, 0)], [2, true]);
});
