// `ops/ha/archive`, by which PostgreSQL archives its log: whole files, the same one twice, and two of one name.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, "..", "ops", "ha", "archive");

test("a file is archived once, and another one of its name is kept beside it and reported", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "atumpan-archive-"));
  t.after(() => rm(folder, { recursive: true }));
  const wal = join(folder, "wal");
  await mkdir(wal);
  const script = join(folder, "archive");
  const written = await readFile(SCRIPT, "utf8");
  assert.match(written, /^wal=\/srv\/backup\/wal$/m);
  await writeFile(script, written.replace("/srv/backup/wal", wal));
  const archive = async (content: string, name = "00000002.history") => {
    const path = join(folder, "source");
    await writeFile(path, content);
    return (await run("sh", [script, path, name])).stderr;
  };
  assert.equal(await archive("one"), "");
  assert.equal(await archive("one"), "", "PostgreSQL asks again after a crash");
  assert.match(await archive("two"), /has other content; this one goes to .*forked/);
  assert.match(await archive("two"), /has other content/);
  await writeFile(join(wal, "00000003.history.gz"), "no gzip");
  assert.match(await archive("good", "00000003.history"), /was damaged, and is written again/);
  assert.equal(await archive("good", "00000003.history"), "");
  assert.equal(await archive("three", "000000020000000000000003"), "");
  const names = ["00000002.history.gz", "00000003.history.gz", "000000020000000000000003.gz", "forked"];
  assert.deepEqual((await readdir(wal)).sort(), names.sort());
  const read = async (...names: string[]) => gunzipSync(await readFile(join(wal, ...names))).toString();
  assert.equal(await read("00000002.history.gz"), "one");
  const [other, ...more] = await readdir(join(wal, "forked"));
  assert.deepEqual([await read("forked", other!), more], ["two", []]);
  await assert.rejects(
    run("sh", [script, join(folder, "none"), "x"]),
    "what cannot be read is asked for again",
  );
});
