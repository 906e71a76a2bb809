// Migrations that were frozen stay as they are, because databases have them already.
import assert from "node:assert/strict";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { additionsOf, changesOf, freeze } from "./frozen.ts";

test("no migration was changed or removed after it was frozen, and each new one is frozen", () => {
  assert.deepEqual([...changesOf(), ...additionsOf()], []);
});

test("a frozen migration that is changed or removed is named, and freezing again does not hide it", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "atumpan-frozen-"));
  t.after(() => rm(folder, { recursive: true }));
  await cp(join(import.meta.dirname, "..", "migrations"), folder, { recursive: true });
  await writeFile(join(folder, "9999_new.sql"), "SELECT 1;\n");
  assert.deepEqual(changesOf(folder), []);
  assert.deepEqual(additionsOf(folder), [
    "migrations/9999_new.sql is not frozen: run npm run migrations:freeze",
  ]);
  freeze(folder);
  await writeFile(join(folder, "9999_new.sql"), "SELECT 1;\r\n");
  assert.deepEqual([...changesOf(folder), ...additionsOf(folder)], []);
  await writeFile(join(folder, "9999_new.sql"), "SELECT 2;\n");
  await rm(join(folder, "0001_accounts.sql"));
  const named = [
    "migrations/0001_accounts.sql was removed after it was frozen: restore it, and put the change into a new file",
    "migrations/9999_new.sql was changed after it was frozen: restore it, and put the change into a new file",
  ];
  assert.deepEqual(changesOf(folder), named);
  assert.throws(() => freeze(folder), { message: named.join("\n") });
  assert.deepEqual(changesOf(folder), named);
});
