// `npm run sql` as people use it. It reads, and changes nothing without `--write`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { cloneDatabase } from "./database.ts";
import { ofThisRun } from "./process.ts";

const PROMPT = join(import.meta.dirname, "../src/platform/prompt.ts");

/** What the prompt prints for these lines, and its exit code. */
async function prompt(environment: Record<string, string>, lines: string[], ...words: string[]) {
  const child = spawn(process.execPath, [PROMPT, ...words], { env: { ...ofThisRun(), ...environment } });
  child.stdin.on("error", () => {}); // it may end without reading
  child.stdin.end(lines.join("\n"));
  const ended = once(child, "close");
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { output, errors, code };
}

test("the prompt reads statements and tables, and changes data only with --write", async (t) => {
  const database = await cloneDatabase();
  t.after(() => database.drop());
  const at = { DATABASE_URL: database.url };
  const asked = [
    "SELECT id, kind,",
    "  available FROM pools;",
    "\\d pool_outcomes",
    "DELETE FROM audit_marks;",
  ];
  const read = await prompt(at, asked);
  assert.match(read.output, /^id +\| kind +\| available\n-+\+-+\+-+\nworld \| world \| 0 +\nSELECT 1$/m);
  assert.match(read.output, /^captured +\| bigint +\| t/m);
  assert.match(read.output, /^ERROR: cannot execute DELETE in a read-only transaction$/m);
  assert.equal(read.code, 1);
  assert.doesNotMatch(read.output, new RegExp(new URL(database.url).password));
  const written = await prompt(at, asked, "--write");
  assert.match(written.output, /^DELETE 0$/m);
  assert.equal(written.code, 0);
  const many = await prompt(at, ["SELECT * FROM generate_series(1, 1000);"]);
  assert.match(many.output, /^SELECT 1000, the first 200 shown$/m);
});

test("without a service the prompt says what is missing", async () => {
  const { errors, code } = await prompt({ DATA_DIR: "/nowhere" }, []);
  assert.match(errors, /^atumpan: no service is running on the folder \/nowhere: [^\n]+\n$/);
  assert.equal(code, 1);
});
