// What a process has submitted outlives it, for the next process of its folder, which knows what the files are worth.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { suite, test } from "node:test";
import { digests, message, type ReadFolder, readFolder, submittedFolder } from "../../../test/submitted.ts";
import { startOf } from "../embedded/processes.ts";

const OTHER = { node: "atumpan other", host: "app2" };

const wholeSince = ({ reporters }: ReadFolder, node: string) =>
  reporters.find((reporter) => reporter.node === node)?.wholeSinceMs;

/** Rewrites the first line of a file. */
function rebegin(path: string, change: object): void {
  const [begin, ...rest] = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, [JSON.stringify({ ...JSON.parse(begin!), ...change }), ...rest].join("\n"));
}

suite("what was submitted", { concurrency: true }, () => {
  test("is read by the next process of the folder, with no phone in a file, and without a line that is torn", async (t) => {
    const { files, open } = submittedFolder(t);
    const first = open("atumpan 1");
    first.knows([OTHER, { node: "atumpan 1", host: "app1" }]);
    first.add([message(1), message(2), message(3)]);
    first.add([message(4)]);
    const [path] = files();
    assert.equal(statSync(path!).mode & 0o777, 0o600);
    assert.doesNotMatch(readFileSync(path!, "utf8"), /2250700/);
    appendFileSync(path!, '{"atMs":1,"sendId":"se');
    const found = await readFolder(open("atumpan 2"));
    assert.deepEqual(found.phones.toSorted(), digests(1, 2, 3, 4).toSorted());
    assert.deepEqual(new Set(found.known), new Set([OTHER.node]));
    assert.deepEqual(found.reporters, [
      { node: "atumpan 1", host: "app1", isGateway: true, wholeSinceMs: 0 },
    ]);
    first.stop();
  });

  test("before a moment is left out, and so are gateways that were gone by then", async (t) => {
    const { open } = submittedFolder(t);
    const log = open("atumpan 1");
    log.knows([OTHER]);
    log.add([message(1)]);
    log.knows([]);
    log.knows([{ node: "atumpan late", host: "app3" }]);
    const later = await readFolder(log, Date.now() + 60_000);
    assert.deepEqual([later.phones, later.known], [[], ["atumpan late"]]);
    log.stop();
  });

  test("counts as reported of a process that has ended or was killed, and not of one that lives or of a machine that fell", async (t) => {
    const { files, open } = submittedFolder(t);
    const ended = open("atumpan ended");
    ended.add([message(1)]);
    ended.stop();
    const killed = open("atumpan killed");
    killed.add([message(2)]);
    const living = open("atumpan living");
    living.add([message(3)]);
    const fallen = open("atumpan fallen");
    fallen.add([message(4)]);
    const pathOf = (node: string) => files().find((path) => path.includes(node))!;
    // No process has this number, the first one has the other, and no machine has this boot.
    rebegin(pathOf("killed"), { pid: 2 ** 22 + 1 });
    rebegin(pathOf("living"), { pid: process.ppid, start: startOf(process.ppid) });
    rebegin(pathOf("fallen"), { boot: "another" });
    rebegin(pathOf("ended"), { boot: "another" });
    const found = await readFolder(open("atumpan next"));
    assert.equal(found.phones.length, 4);
    assert.deepEqual(
      ["ended", "killed", "living", "fallen"].map((name) => wholeSince(found, `atumpan ${name}`)),
      [0, 0, undefined, Number.POSITIVE_INFINITY],
    );
    for (const log of [killed, living, fallen]) log.stop();
  });

  test("says what it lacks once the disk was full, also if its process is killed then", async (t) => {
    const { dataDir, files, lines, open } = submittedFolder(t);
    const disk = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", dataDir], {
      encoding: "utf8",
    });
    if (disk.status !== 0) return t.skip(`no small disk can be mounted here: ${disk.stderr || disk.error}`);
    try {
      const log = open("atumpan 1");
      log.add([message(1)]);
      const whole = await readFolder(open("atumpan 2"));
      assert.deepEqual([whole.phones, wholeSince(whole, "atumpan 1")], [digests(1), 0]);
      for (let n = 0; lines.length === 0 && n < 10_000; n++) log.add([message(n)]);
      assert.match(lines.join(""), /is not kept in DATA_DIR/);
      log.add([message(1)]);
      const lacking = await readFolder(open("atumpan 2"));
      assert.deepEqual([lacking.phones, wholeSince(lacking, "atumpan 1")], [[], Number.POSITIVE_INFINITY]);
      assert.deepEqual([lacking.reporters.length, files().length], [1, 1]);
    } finally {
      spawnSync("umount", ["--lazy", dataDir]);
    }
  });
});
