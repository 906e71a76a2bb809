// What a process has acknowledged outlives it, for the next process of its folder.
import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { nowMs } from "../clock.ts";
import { openLog } from "../log.ts";
import { AcknowledgedLog } from "./acknowledged.ts";
import type { Acknowledged } from "./acknowledgedlines.ts";

const campaign = (id: string): Acknowledged => ({
  kind: "campaign",
  id,
  accountId: "awa",
  count: 2,
  name: "Rentrée",
});

const lineOf = (id: string, hours: number) =>
  `${JSON.stringify({ ...campaign(id), atMs: Date.now() - Math.round(hours * 3_600_000) })}\n`;

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
  for await (const some of log.read(sinceMs, nowMs() + 1_000)) ids.push(...some.map(({ id }) => id));
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

  test("is deleted an hour after, but for the last hour before an outage, however long that was", async (t) => {
    const { dataDir, open } = folder(t);
    const files = join(dataDir, "acknowledged");
    mkdirSync(files);
    const at = (hours: number) => `${Date.now() - hours * 3_600_000}-atumpan-1.jsonl`;
    for (const hours of [8, 6.5, 6]) writeFileSync(join(files, at(hours)), lineOf("a", hours));
    const log = open("atumpan 2");
    log.add([campaign("b")]);
    assert.deepEqual(await idsOf(log), ["a", "a", "b"]);
    await log.stop();
    assert.equal(readdirSync(files).length, 3);
    assert.ok(log.since().getTime() < Date.now() - 6.4 * 3_600_000, "it remembers more than six hours");
  });

  test("is read where lines and files beside it are none, or hold what no database takes", async (t) => {
    const { dataDir, open } = folder(t);
    const files = join(dataDir, "acknowledged");
    mkdirSync(join(files, `${Date.now()}-folder.jsonl`), { recursive: true });
    symlinkSync("nowhere", join(files, `${Date.now()}-link.jsonl`));
    const line = { atMs: 1, kind: "campaign", id: "a", accountId: "awa", count: 2 };
    const odd = [
      { id: "a\u0000" },
      { count: "many" },
      { atMs: 1e300 },
      { kind: "x" },
      { accountId: {} },
      { app: 1 },
    ];
    const lines = odd.map((change) => JSON.stringify({ ...line, ...change }));
    writeFileSync(
      join(files, `${Date.now()}-odd.jsonl`),
      [...lines, "null", JSON.stringify(line)].join("\n"),
    );
    const log = open("atumpan 1");
    log.add([campaign("b")]);
    assert.deepEqual((await idsOf(log)).sort(), ["a", "b"]);
    await log.stop();
  });

  test("is read whole while files are closed and others begun", async (t) => {
    const log = folder(t).open("atumpan 1");
    // 1 MB each: the seventeenth begins another file.
    const many = Array.from({ length: 1_000 }, (_, i) => ({ ...campaign(`${i}`), name: "x".repeat(900) }));
    for (let adds = 1; adds <= 20; adds++) {
      log.add(many);
      if (adds % 4 > 0) continue;
      let read = 0;
      for await (const some of log.read(0, Number.MAX_SAFE_INTEGER)) read += some.length;
      assert.equal(read, adds * many.length);
    }
    await log.stop();
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
