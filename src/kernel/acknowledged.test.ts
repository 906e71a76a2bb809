// What a process has acknowledged outlives it, for the next process of its folder.
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { type Acknowledged, AcknowledgedLog } from "./acknowledged.ts";
import { nowMs } from "./clock.ts";
import { openLog } from "./log.ts";

const campaign = (id: string): Acknowledged => ({
  kind: "campaign",
  id,
  accountId: "awa",
  count: 2,
  name: "Rentrée",
});

function folder(t: TestContext): {
  dataDir: string;
  lines: string[];
  open: (node: string) => AcknowledgedLog;
} {
  const dataDir = mkdtempSync(join(tmpdir(), "atumpan-acknowledged-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const lines: string[] = [];
  const log = openLog("warn", { write: (line) => void lines.push(line) });
  return { dataDir, lines, open: (node) => new AcknowledgedLog({ dataDir, node, log }) };
}

async function idsOf(log: AcknowledgedLog, sinceMs = 0): Promise<string[]> {
  const ids: string[] = [];
  for await (const some of log.read(sinceMs)) ids.push(...some.map(({ id }) => id));
  return ids;
}

suite("what was acknowledged", { concurrency: true }, () => {
  test("is read by the next process of the folder, but for a torn line and what is older than is asked for", async (t) => {
    const { dataDir, open } = folder(t);
    const first = open("atumpan 1");
    first.add([campaign("a"), campaign("b")]);
    assert.deepEqual(await idsOf(first), ["a", "b"]);
    await first.stop();
    const [name] = readdirSync(join(dataDir, "acknowledged"));
    appendFileSync(join(dataDir, "acknowledged", name!), '{"atMs":1,"kind":"camp');
    const second = open("atumpan 2");
    const since = second.since();
    second.add([campaign("c")]);
    assert.deepEqual(await idsOf(second), ["a", "b", "c"]);
    assert.deepEqual(await idsOf(second, nowMs() + 1_000), []);
    assert.ok(since.getTime() <= Number(name!.split("-")[0]), "it remembers what the first one does");
    await second.stop();
  });

  test("is deleted after an hour", async (t) => {
    const { dataDir, open } = folder(t);
    const old = open("atumpan 1");
    old.add([campaign("a")]);
    await old.stop();
    const files = join(dataDir, "acknowledged");
    const [name] = readdirSync(files);
    rmSync(join(files, name!));
    writeFileSync(join(files, `${Date.now() - 2 * 3_600_000}-atumpan-1.jsonl`), "");
    const next = open("atumpan 2");
    next.add([campaign("b")]);
    await next.stop();
    assert.equal(readdirSync(files).length, 1);
    assert.ok(next.since().getTime() > Date.now() - 3_700_000);
  });

  test("is recent until a beat that came after it is committed", async (t) => {
    const log = folder(t).open("atumpan 1");
    for (let i = 0; i < 150; i++) log.add([campaign(`a${i}`)]);
    assert.equal(log.recent.length, 100);
    const forget = log.takeDown();
    log.add([campaign("b")]);
    forget();
    assert.deepEqual(
      log.recent.map(({ id }) => id),
      ["b"],
    );
    await log.stop();
  });

  test("costs no request where the folder cannot be written: the log says so once, and nothing is claimed", async (t) => {
    const { dataDir, lines, open } = folder(t);
    writeFileSync(join(dataDir, "acknowledged"), "a file in its place");
    const log = open("atumpan 1");
    const before = nowMs();
    log.add([campaign("a")]);
    log.add([campaign("b")]);
    await log.stop();
    assert.deepEqual(await idsOf(log), []);
    assert.equal(lines.length, 1);
    assert.match(lines[0]!, /what is acknowledged is not kept in DATA_DIR/);
    assert.ok(log.since().getTime() >= Math.floor(before));
  });
});
