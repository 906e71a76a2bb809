// The house rules of STYLE.md that a machine can check, so that they exist.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import pg from "pg";
import type { Query } from "../src/kernel/database.ts";
import { outcomes } from "../src/kernel/refusals.ts";
import { ladder } from "../src/ladder.ts";
import { doors } from "../src/routes.ts";
import { cloneDatabase } from "./database.ts";

const ROOT = join(import.meta.dirname, "..");
const LINES_AT_MOST = 400;
const FORBIDDEN_NAME = /(^|[-_/.])(index|utils?|helpers?|common|manager|services?)([-_.]|$)/i;
// Started by a command of package.json rather than imported.
const ENTRIES = new Set(["src/main.ts", "src/simulator/command.ts"]);

type SourceFile = { path: string; text: string; code: string; folder: string; isTest: boolean };

const files: SourceFile[] = globSync(["src/**/*.ts", "test/**/*.ts", "bench/**/*.ts"], { cwd: ROOT })
  .sort()
  .map((path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    const [top, second, ...deeper] = path.split("/");
    const folder = top === "src" && deeper.length > 0 ? second! : "";
    return {
      path,
      text,
      code: withoutComments(text),
      folder,
      isTest: !path.startsWith("src") || path.endsWith(".test.ts"),
    };
  });
const sources = files.filter((file) => !file.isTest);
// `test/doors.ts` names every URL: it proves nothing of what one of them does.
const tests = files.filter((file) => file.isTest && !/^bench\/|^test\/(tidy|doors)/.test(file.path));
const steps = Object.keys(ladder);

/** Comments blanked: they may name what code must not. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}

/** What a file imports from this repository, as paths from the root. */
function importsOf(file: SourceFile): string[] {
  const found = file.code.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...found].map(([, target]) => normalize(join(dirname(file.path), target!)));
}

/** Fails with one line per fault. */
function none(faults: string[]): void {
  assert.equal(faults.length, 0, `\n  ${faults.join("\n  ")}`);
}

test("every folder is a step of the ladder and imports only from steps before it", () => {
  const faults: string[] = [];
  for (const file of sources.filter((file) => file.folder)) {
    const step = steps.indexOf(file.folder);
    if (step < 0) faults.push(`${file.path}: src/ladder.ts does not know ${file.folder}`);
    for (const target of importsOf(file)) {
      const [, folder = "", name] = target.split("/");
      if (name === undefined) faults.push(`${file.path} imports ${target}, above every folder`);
      else if (steps.indexOf(folder) > step)
        faults.push(`${file.path} imports ${target}, higher on the ladder`);
    }
  }
  none(faults);
});

test("other folders import only a folder's <name>.ts; src/*.ts its routes too; the kernel is open to all", () => {
  const faults: string[] = [];
  for (const file of sources) {
    for (const target of importsOf(file)) {
      const [, folder = "", name] = target.split("/");
      if (name === undefined || folder === file.folder || folder === "kernel") continue;
      const isRoutes = name === "routes.ts" && file.folder === "";
      if (name !== `${folder}.ts` && !isRoutes) faults.push(`${file.path} imports ${target}`);
    }
  }
  none(faults);
});

test("a table is made for one folder, and only that folder writes it", () => {
  const owners = new Map(
    Object.entries(ladder).flatMap(([folder, tables]) => tables.map((table) => [table, folder])),
  );
  const faults: string[] = [];
  for (const path of globSync("migrations/*.sql", { cwd: ROOT })) {
    const sql = readFileSync(join(ROOT, path), "utf8").replace(/--.*$/gm, "");
    for (const [, table] of sql.matchAll(/create\s+(?:unlogged\s+)?table\s+(?:if not exists\s+)?(\w+)/gi)) {
      if (!owners.has(table!)) faults.push(`${path}: src/ladder.ts does not say who owns ${table}`);
    }
  }
  const writes =
    /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE|COPY)\s+(?:ONLY\s+)?([a-z_]+)/g;
  for (const file of sources) {
    for (const [, table] of file.code.matchAll(writes)) {
      const owner = owners.get(table!);
      if (owner && owner !== file.folder)
        faults.push(`${file.path} writes ${table}, which belongs to ${owner}`);
    }
  }
  none(faults);
});

/** `sql.ts`, or `<sub-noun>.sql.ts` where a folder has many queries. */
function isQueryFile(path: string): boolean {
  return /[/.]sql\.ts$/.test(path);
}

test("SQL is in sql.ts, in migrations and in the kernel, nowhere else", () => {
  const sql = /\b(SELECT\s+[\w*("]|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s)/;
  const isHome = (file: SourceFile) => file.folder === "kernel" || isQueryFile(file.path);
  const elsewhere = sources.filter((file) => !isHome(file) && sql.test(file.code));
  none(elsewhere.map((file) => `${file.path} holds SQL`));
});

test("every query has a name of its own, begins with its folder, and is right for the migrated database", async (t) => {
  const database = await cloneDatabase();
  const client = new pg.Client({ connectionString: database.url });
  t.after(async () => {
    await client.end();
    await database.drop();
  });
  await client.connect();
  const faults: string[] = [];
  const seen = new Map<string, string>();
  for (const { path, folder, query } of await allQueries()) {
    if (seen.has(query.name)) faults.push(`${path}: ${query.name} is also in ${seen.get(query.name)}`);
    seen.set(query.name, path);
    if (folder && !query.name.startsWith(`${folder}.`))
      faults.push(`${path}: ${query.name} should be ${folder}.…`);
    const prepared = client.query(`PREPARE "${query.name}" AS ${query.text}`);
    await prepared.catch((error: Error) => faults.push(`${path}: ${query.name}: ${error.message}`));
  }
  assert.ok(seen.size > 0);
  none(faults);
});

/** Every query that a file exports, alone or in an object. */
async function allQueries(): Promise<{ path: string; folder: string; query: Query<unknown> }[]> {
  const found: { path: string; folder: string; query: Query<unknown> }[] = [];
  const collect = (file: SourceFile, value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { name, text } = value as Partial<Query<unknown>>;
    if (typeof name === "string" && typeof text === "string") {
      found.push({ path: file.path, folder: file.folder, query: value as Query<unknown> });
    } else if (Object.getPrototypeOf(value) === Object.prototype) {
      for (const member of Object.values(value)) collect(file, member);
    }
  };
  for (const file of sources.filter(
    (file) => isQueryFile(file.path) || file.path === "src/kernel/notify.ts",
  )) {
    const loaded = (await import(pathToFileURL(join(ROOT, file.path)).href)) as Record<string, unknown>;
    for (const value of Object.values(loaded)) collect(file, value);
  }
  return found;
}

test("every URL is called by some test, and none is there twice", () => {
  const paths = doors.map((door) => door.path);
  assert.deepEqual([...new Set(paths)], paths);
  const called = tests.map((file) => file.code).join("\n");
  const uncalled = paths.filter((path) => {
    const pattern = path
      .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
      .replace(/\{\w+\}/g, "(?:\\$\\{[^}]+\\}|[^/\"'`]+)");
    return !new RegExp(`["'\`/}]${pattern}["'\`]`).test(called);
  });
  none(uncalled.map((path) => `no test calls ${path}`));
});

test("every refusal that code can give is asserted by some test", () => {
  const table = "src/kernel/refusals.ts";
  const given = sources
    .filter((file) => file.path !== table && file.folder !== "docs")
    .map((file) => file.code)
    .join("\n");
  const asserted = tests.map((file) => file.code).join("\n");
  const unasserted = Object.keys(outcomes).filter(
    (code) => given.includes(`"${code}"`) && !asserted.includes(`"${code}"`),
  );
  none(unasserted.map((code) => `no test asserts ${code}`));
});

test("no file is dead and no export is unused", () => {
  const imported = new Set(files.flatMap(importsOf));
  const faults: string[] = [];
  for (const file of sources) {
    if (!imported.has(file.path) && !ENTRIES.has(file.path))
      faults.push(`${file.path} is imported by nobody`);
    // Route and query modules are used as a whole, as `contacts.create` and `sql.listContacts`.
    for (const name of exportsOf(file)) {
      const uses = files.filter((other) => other !== file && new RegExp(`\\b${name}\\b`).test(other.code));
      if (uses.length === 0) faults.push(`${file.path}: nobody uses ${name}`);
    }
  }
  none(faults);
});

function exportsOf(file: SourceFile): string[] {
  const declared = [...file.code.matchAll(/^export (?:async )?(?:const|function|class)\s+(\w+)/gm)];
  return declared.map(([, name]) => name!);
}

test("files are short, well named, and open with a sentence on what they are", () => {
  const faults: string[] = [];
  for (const file of files) {
    const lines = file.text.split("\n").length;
    if (lines > LINES_AT_MOST) faults.push(`${file.path} has ${lines} lines`);
    if (FORBIDDEN_NAME.test(file.path)) faults.push(`${file.path}: a name that hides what it is`);
    if (!/^\/\/ \S.*\S/.test(file.text)) faults.push(`${file.path}: the first line does not say what it is`);
    if (/^export default\b/m.test(file.code)) faults.push(`${file.path} has a default export`);
    // PATH is for the programs that we start.
    if (!file.isTest && file.path !== "src/main.ts" && /\bprocess\.env\b(?!\.PATH\b)/.test(file.code)) {
      faults.push(`${file.path} reads the environment`);
    }
  }
  none(faults);
});
