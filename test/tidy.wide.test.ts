// Checks the rules of STYLE.md that a machine can check.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { parse } from "libpg-query";
import pg from "pg";
import { routes } from "../src/api/api.ts";
import { ladder } from "../src/ladder.ts";
import { outcomes } from "../src/platform/http/refusals.ts";
import { cloneDatabase } from "./database.ts";
import { allQueries, folderOf, isQueryFile } from "./queries.ts";

const ROOT = join(import.meta.dirname, "..");
const LINES_AT_MOST = 400;
const FORBIDDEN_NAME = /(^|[-_/.])(index|utils?|helpers?|common|manager|services?)([-_.]|$)/i;

// The programs of package.json that read the environment.
const PROGRAMS = new Set([
  ...["src/main.ts", "src/keys.ts", "src/backups.ts", "src/platform/prompt.ts"],
  "src/compliance/doctor/command.ts",
  "src/compliance/trace/command.ts",
]);

type SourceFile = { path: string; text: string; code: string; folder: string; isTest: boolean };

const files: SourceFile[] = globSync(["src/**/*.ts", "test/**/*.ts", "bench/**/*.ts"], { cwd: ROOT })
  .sort()
  .map((path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    return {
      path,
      text,
      code: withoutComments(text),
      folder: folderOf(path),
      isTest: !path.startsWith("src") || path.endsWith(".test.ts"),
    };
  });
const sources = files.filter((file) => !file.isTest);
// `test/overrides.ts` names URLs without testing it, so it does not count.
const tests = files.filter((file) => file.isTest && !/^bench\/|^test\/(tidy|overrides)/.test(file.path));

const steps = Object.keys(ladder);

/** The text without its comments, since comments may name what code must not. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}

/** Fails with one line per fault. */
function none(faults: string[]): void {
  assert.equal(faults.length, 0, `\n  ${faults.join("\n  ")}`);
}

/** What a checker of node_modules prints when it fails; empty if it succeeds. */
async function complaintsOf(program: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [join(ROOT, "node_modules", program), ...args], { cwd: ROOT });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return code === 0 ? "" : `${output}${errors}`;
}

test("imports go down the ladder, and a folder runs only its own statements (.dependency-cruiser.ts)", async () => {
  const program = "dependency-cruiser/bin/dependency-cruiser.mjs";
  assert.equal(await complaintsOf(program, "src", "--config", ".dependency-cruiser.ts"), "");
});

test("an import names the file that defines a thing, and no file is used for more than 15 things", () => {
  const NAMES_AT_MOST = 15;
  const faults = sources
    .filter(({ code }) => /^export (type )?(\*|\{[^}]*\}) from /m.test(code))
    .map(({ path }) => `${path} exports what another file defines`);
  const used = new Map<string, Set<string>>();
  // `src/api/` declares every URL, and the files above all folders put the program together: both need something of all.
  for (const file of sources.filter(({ folder }) => folder !== "api" && folder !== "")) {
    for (const [, names, from] of file.code.matchAll(/^import (?:type )?\{([^}]*)\} from "(\.[^"]+)";/gm)) {
      const path = join(file.path, "..", from!);
      if (folderOf(path) === file.folder) continue;
      const known = used.get(path) ?? new Set();
      for (const name of names!.split(",")) known.add(name.replace(/^\s*(type )?| as .*|\s*$/g, ""));
      used.set(path, known);
    }
  }
  for (const [path, names] of used) {
    names.delete("");
    if (names.size > NAMES_AT_MOST) faults.push(`${path}: other folders use ${names.size} of its names`);
  }
  none(faults);
});

test("no file, export or package is unused (knip.config.ts)", async () => {
  assert.equal(await complaintsOf("knip/bin/knip.js"), "");
});

test("no file, export or package of production is used by tests alone (knip.config.ts)", async () => {
  assert.equal(await complaintsOf("knip/bin/knip.js", "--production"), "");
});

test("only its own folder writes a table, and only that folder and later ones read it", async () => {
  const owners = new Map(
    Object.entries(ladder).flatMap(([folder, tables]) => tables.map((table) => [table, folder])),
  );
  const faults: string[] = [];
  for (const table of await tablesNow())
    if (!owners.has(table)) faults.push(`src/ladder.ts does not say who owns ${table}`);
  for (const { path, folder, query } of await allQueries()) {
    const { read, written } = tablesOf(await parse(query.text));
    for (const table of written) {
      const owner = owners.get(table);
      if (owner && owner !== folder) faults.push(`${path}: ${query.name} writes ${table} of ${owner}`);
    }
    for (const table of read) {
      const owner = owners.get(table);
      if (owner && steps.indexOf(owner) > steps.indexOf(folder))
        faults.push(`${path}: ${query.name} reads ${table} of ${owner}, higher on the ladder`);
    }
  }
  none(faults);
});

/** The tables that the migrations make, by their names of today. */
async function tablesNow(): Promise<Set<string>> {
  const tables = new Set<string>();
  for (const path of globSync("migrations/*.sql", { cwd: ROOT }).sort()) {
    for (const { stmt } of (await parse(readFileSync(join(ROOT, path), "utf8"))).stmts ?? []) {
      if ("CreateStmt" in stmt!) tables.add(stmt.CreateStmt.relation!.relname!);
      if (!("RenameStmt" in stmt!) || stmt.RenameStmt.renameType !== "OBJECT_TABLE") continue;
      tables.delete(stmt.RenameStmt.relation!.relname!);
      tables.add(stmt.RenameStmt.newname!);
    }
  }
  return tables;
}

/** The tables of a parsed statement, without the names that it defines itself. */
function tablesOf(statement: unknown): { read: string[]; written: string[] } {
  const named = new Set<string>();
  const written = new Set<string>();
  const own = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === "ctename") own.add(value);
      if (key === "RangeVar") named.add(value.relname);
      // A statement writes the table in its `relation`, which has no `RangeVar` key around it.
      if (/^(Insert|Update|Delete|Merge)Stmt$/.test(key)) written.add(value.relation.relname);
      visit(value);
    }
  };
  visit(statement);
  return { read: [...named].filter((name) => !own.has(name)), written: [...written] };
}

test("sources take the time from the platform's clock, which follows the database and not this machine", () => {
  const asks = /\bDate\.now\(|\bnew Date\(\)/;
  // The simulator plays a foreign machine, with its own clock.
  const isElsewhere = (file: SourceFile) =>
    file.folder === "delivery/simulator" || file.path === "src/platform/clock.ts";
  none(
    sources
      .filter((file) => !isElsewhere(file) && asks.test(file.code))
      .map((file) => `${file.path} asks Date`),
  );
});

test("the state machine of a link has no clock, no timer and no chance of its own", () => {
  const asks =
    /\b(performance\.|Date\b|set(Timeout|Interval|Immediate)\b|Math\.random|process\.|await |Promise)/;
  const isHeart = ({ path, isTest }: SourceFile) =>
    path.startsWith("src/delivery/gateway/machine/") && !isTest;
  none(
    sources.filter((file) => isHeart(file) && asks.test(file.code)).map((file) => `${file.path} is not pure`),
  );
});

test("SQL is only in sql.ts, in migrations and in the platform", () => {
  const sql = /\b(SELECT\s+[\w*("]|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s)/;
  const isHome = (file: SourceFile) => file.folder === "platform" || isQueryFile(file.path);
  const elsewhere = sources.filter((file) => !isHome(file) && sql.test(file.code));
  none(elsewhere.map((file) => `${file.path} holds SQL`));
});

test("every query has a unique name that begins with its folder, and fits the migrated database", async (t) => {
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
    const capability = folder.split("/").at(-1);
    if (!query.name.startsWith(`${capability}.`))
      faults.push(`${path}: ${query.name} should be ${capability}.…`);
    const prepared = client.query(`PREPARE "${query.name}" AS ${query.text}`);
    await prepared.catch((error: Error) => faults.push(`${path}: ${query.name}: ${error.message}`));
  }
  assert.ok(seen.size > 0);
  none(faults);
});

test("CI runs every test: a file that `npm test` leaves out has none for short runs alone (test/run.ts)", () => {
  const isApart = /^test\/attacks\/|\.wide\.test\.ts$/;
  const left = tests.filter((file) => isApart.test(file.path) && /\binShortRuns\b/.test(file.code));
  none(left.map((file) => `${file.path}: no run of CI has its tests with inShortRuns`));
});

test("some test calls every URL, and no URL exists twice", () => {
  const paths = routes.map((route) => route.path);
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

test("some test asserts every refusal that code can give", () => {
  const table = "src/platform/http/refusals.ts";
  const given = sources
    .filter((file) => file.path !== table && file.folder !== "web/docs")
    .map((file) => file.code.replace(/\brefuses: \[[^\]]*\]/g, ""))
    .join("\n");
  const asserted = tests.map((file) => file.code).join("\n");
  const unasserted = Object.keys(outcomes).filter(
    (code) => given.includes(`"${code}"`) && !asserted.includes(`"${code}"`),
  );
  none(unasserted.map((code) => `no test asserts ${code}`));
});

test("no two files export different things under one name", () => {
  // Queries and routes are always read with their folder's name before them.
  const named = sources.filter(({ path }) => !isQueryFile(path) && !path.startsWith("src/api/"));
  // The console is a client: of the folders behind the interface it sees no names.
  const isSeen = ({ folder }: SourceFile) =>
    folder === "web/console" || folder === "platform" || folder === "protocol/sms";
  none([
    ...namesakes(named.filter(({ folder }) => folder !== "web/console")),
    ...namesakes(named.filter(isSeen)),
  ]);
});

/** The names that two of these files export. */
function namesakes(some: readonly SourceFile[]): string[] {
  const declared = new Map<string, string>();
  const faults: string[] = [];
  for (const { path, code } of some) {
    const found = code.matchAll(/^export (?:async )?(?:type|interface|class|function|const) (\w+)/gm);
    for (const name of new Set([...found].map(([, name]) => name!))) {
      if (declared.has(name)) faults.push(`${path}: ${name} is another thing in ${declared.get(name)}`);
      declared.set(name, path);
    }
  }
  return faults;
}

test("files are short and well named, and open with a sentence on what they are", () => {
  const faults: string[] = [];
  for (const file of files) {
    const lines = file.text.split("\n").length;
    if (lines > LINES_AT_MOST) faults.push(`${file.path} has ${lines} lines`);
    if (FORBIDDEN_NAME.test(file.path)) faults.push(`${file.path}: a name that hides what it is`);
    if (!/^\/\/ \S.*\S/.test(file.text)) faults.push(`${file.path}: the first line does not say what it is`);
    if (/^export default\b/m.test(file.code)) faults.push(`${file.path} has a default export`);
    // PATH is for the programs that we start.
    if (!file.isTest && !PROGRAMS.has(file.path) && /\bprocess\.env\b(?!\.PATH\b)/.test(file.code)) {
      faults.push(`${file.path} reads the environment`);
    }
  }
  none(faults);
});
