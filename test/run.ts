// `npm test` starts one PostgreSQL, makes a migrated template in it, and runs every test file by node:test.
// Usage: npm test -- [path/of/file.test.ts …] [--test-name-pattern=…]. TEST_DATABASE_URL names a server that exists.
// With `--long` or `--night` first, it runs only the files that have a longer form (`length.ts`), in that form. With
// `--apart` first, it runs the attacks and the wide files that have no long form: with `--long` beside it, all of them.
// With `--citus` before all of that, the server is a Citus cluster. `--failed` after them runs what failed in the last run once
// more, one file at a time.
import { randomBytes } from "node:crypto";
import { globSync, readFileSync, statfsSync, statSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { enableCompileCache, flushCompileCache } from "node:module";
import { availableParallelism, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { migrate } from "../src/platform/database/migrate.ts";
import { loginOf } from "../src/platform/database/rights.ts";
import { startEmbedded } from "../src/platform/embedded/embedded.ts";
import { makeClusterDatabase, startCluster, whyNoCitus } from "./citus/cluster.ts";
import { closeDatabase, databaseUrl, runAsAdmin, runOnNodes } from "./database.ts";

const EVERY_TEST = ["src/**/*.test.ts", "test/*.test.ts"];
// Attacks (`npm run test:attack`), and what goes through every page, client, fault and kill (`npm run test:wide`), have
// runs of their own, so that this one ends within three minutes on two cores.
const APART = ["test/attacks/*.test.ts", "src/**/*.wide.test.ts", "test/*.wide.test.ts"];
// A file with a volume or a test for `npm run test:long`; another one that asks for its length has those of a night.
const LONG_FORM = /\blong: |\binLongRuns\b/;
/** What runs on a cluster alone, and what does not run there. A cluster is for nothing else, so it runs all others. */
const OF_CITUS = ["test/citus/*.test.ts"];
const OFF_CITUS = [
  "src/delivery/sends/record/plans.test.ts",
  "src/messaging/messages/plans.test.ts",
  "test/attacks/plans.test.ts",
  "test/attacks/neighbours.test.ts",
  "test/budget.wide.test.ts",
];
// Most tests wait for a socket, a row or PostgreSQL, so there are more of them than cores. With two per core, new
// connections took over 3 s on a slow machine, and tests failed (2 cores, 2026-11-26).
const RUNNERS = Math.min(8, Math.ceil(1.5 * Math.max(2, availableParallelism())));
// They take minutes in the longer runs, and start first.
const SLOWEST = ["bodies.test.ts", "schedules.test.ts", "simulation.wide.test.ts"];
// More failures than this are not the machine's.
const AGAIN_AT_MOST = 5;
const FAILED = join(import.meta.dirname, "..", "node_modules", ".cache", "failed-tests");
const TEST_TIMEOUT_MS = { short: 300_000, long: 900_000, night: 4 * 3_600_000 };
const FOLDER_PREFIX = "atumpan-test-";
const LEFT_BEHIND_AFTER_MS = 10 * 60_000;
// The folder of a run is in memory if there is room for it. On ext4, thousands of clones cost much to make and remove.
const MEMORY = "/dev/shm";
const MEMORY_AT_LEAST = 4 * 1024 ** 3;
const PLACES = [MEMORY, tmpdir()];
const log = { info() {}, warn: console.error, error: console.error };
// Test files run side by side, each with its own pools. A clone of the template costs 26 ms of CPU with a WAL that is
// neither compressed nor complete, and 215 ms with ours (2 cores, 2026-11-22). These data need not survive a power cut.
const SETTINGS = {
  max_connections: "300",
  wal_compression: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
};

const WORKERS = 2;
/** The settings of a node, for data that need not survive. Each clone has the tables of all shards, so they are few. */
const OF_NODES = { ...SETTINGS, max_connections: "500", fsync: "off", "citus.shard_count": "4" };
const SERVICE = "atumpan_app";

const onCitus = process.argv[2] === "--citus";
const given = process.argv.slice(onCitus ? 3 : 2);
const [first, ...others] = given;
const length = first === "--long" ? "long" : first === "--night" ? "night" : "short";
const isAgain = given.includes("--failed");
const words = isAgain ? readFailed() : length !== "short" || first === "--apart" ? others : given;
process.env.TEST_LENGTH = length;

// From here on, a signal must not end this process before it has stopped PostgreSQL. node:test hears the signal too.
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopping.abort());

// The processes that follow use these compiled modules. Then they import the service at half the cost.
process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, "..", "node_modules", ".cache", "compiled");
enableCompileCache(process.env.NODE_COMPILE_CACHE);

await mkdir(dirname(FAILED), { recursive: true });
await writeFile(FAILED, ""); // a run that ends early has nothing to run again
await Promise.all(PLACES.map(removeLeftBehind));
const folder = await mkdtemp(join(choosePlace(), FOLDER_PREFIX));
try {
  process.exitCode = await (onCitus
    ? runOnCluster()
    : process.env.TEST_DATABASE_URL
      ? runOnServer()
      : runEmbedded());
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Starts PostgreSQL in the run's folder, runs the tests, and stops it. */
async function runEmbedded(): Promise<number> {
  // Thousands of connections are opened. Each would prove that it has the password, in 4 ms of CPU.
  const trusting = join(folder, "pg_hba.conf");
  await writeFile(trusting, "host all all 127.0.0.1/32 trust\n");
  const settings = { ...SETTINGS, hba_file: trusting };
  const starting = startEmbedded({ dataDir: folder, log, fsync: false, settings });
  // PostgreSQL takes a second in another process. Meanwhile this fills the cache if it is empty.
  await Promise.allSettled([import("../src/start.ts"), starting]);
  flushCompileCache();
  const server = await starting;
  try {
    process.env.TEST_DATABASE_URL = server.ownerUrl;
    process.env.TEST_SERVICE_URL = server.url;
    return await runOnServer();
  } finally {
    await server.stop();
  }
}

/** Starts a Citus cluster in the run's folder, runs the tests on it, and stops it. */
async function runOnCluster(): Promise<number> {
  const missing = whyNoCitus();
  if (missing !== undefined) {
    console.error(`SKIPPED, nothing was tested on Citus: ${missing}`);
    return 0;
  }
  const cluster = await startCluster(folder, WORKERS, OF_NODES);
  try {
    const [coordinator, ...workers] = cluster.urls;
    process.env.TEST_DATABASE_URL = coordinator;
    process.env.TEST_WORKERS = workers.join(" ");
    process.env.TEST_SERVICE_URL = coordinator!.replace("//postgres:", `//${SERVICE}:`);
    await runOnNodes(`CREATE ROLE ${SERVICE} LOGIN NOINHERIT`);
    return await runOnServer();
  } finally {
    await cluster.stop();
  }
}

/** Makes the template, runs the tests, and removes the template, because the server may stay. */
async function runOnServer(): Promise<number> {
  const template = `test_template_${randomBytes(6).toString("hex")}`;
  if (onCitus)
    await makeClusterDatabase(
      [process.env.TEST_DATABASE_URL!, ...process.env.TEST_WORKERS!.split(" ")],
      template,
    );
  else await runAsAdmin(`CREATE DATABASE ${template} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  try {
    // A broken migration fails the run and the tests that need a database. The other tests still run.
    const migrating = migrate(databaseUrl(template), loginOfService());
    const failure = await migrating.then(() => undefined).catch((error: Error) => error);
    if (failure) console.error(`The test database could not be made: ${failure.message}`);
    process.env.TEST_TEMPLATE = failure ? "" : template;
    // Citus has a process in each of its databases, and nobody may be in one that is cloned.
    if (onCitus) await closeDatabase(template);
    const code = stopping.signal.aborted ? 1 : await runTests(words);
    return code === 0 && failure ? 1 : code;
  } finally {
    await runOnNodes(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
  }
}

/** The login of the service on our own server; on another one it is the owner's. */
function loginOfService(): { login?: string } {
  const { TEST_SERVICE_URL } = process.env;
  return TEST_SERVICE_URL ? { login: loginOf(TEST_SERVICE_URL) } : {};
}

/** Runs the files in a few processes by node:test, whose summary is printed last. Resolves to the exit code. */
async function runTests(given: readonly string[]): Promise<number> {
  const isOption = (word: string, at: number) =>
    word.startsWith("-") || given[at - 1] === "--test-name-pattern";
  const wanted = given.filter((word, at) => !isOption(word, at));
  const files = wanted.length > 0 ? globSync(wanted) : listFiles();
  for (const pattern of wanted.filter((one) => globSync(one).length === 0)) {
    console.error(`There is no ${pattern}.`);
    return 1;
  }
  // Tests write into the run's folder, which the run removes however it ends.
  process.env.TMPDIR = folder;
  const [waiting, underWay] = await layOut(files.sort(longestFirst));
  const runners = isAgain ? 1 : Math.min(files.length, RUNNERS);
  const events = run({
    files: Array(runners).fill(join(import.meta.dirname, "runner.ts")),
    concurrency: runners,
    execArgv: [`--test-timeout=${TEST_TIMEOUT_MS[length]}`, ...given.filter(isOption)],
    signal: stopping.signal,
  });
  let success = true;
  const failed = new Set<string>();
  events.on("test:summary", (summary) => {
    if (!summary.success) success = false;
  });
  events.on("test:fail", ({ name, nesting }) => {
    if (nesting === 0 && files.includes(name)) failed.add(name);
  });
  await pipeline(events.compose(new spec()), process.stdout, { end: false });
  for (const name of (await readdir(underWay)).map(nameOf)) {
    console.error(`${name}: its process ended while it ran`);
    failed.add(name);
  }
  for (const name of (await readdir(waiting)).map(nameOf)) {
    console.error(`${name} was not run`);
    failed.add(name);
  }
  await writeFile(FAILED, [...failed].join("\n"));
  return success ? 0 : 1;
}

/** The files that failed in the last run. Ends the process if there are none, or too many for a busy machine. */
function readFailed(): string[] {
  const failed = readFileSync(FAILED, "utf8").split("\n").filter(Boolean);
  if (failed.length === 0 || failed.length > AGAIN_AT_MOST) {
    console.error(`${failed.length} files failed, and 1 to ${AGAIN_AT_MOST} run again.`);
    process.exit(1);
  }
  console.log(`These failed beside others. If they pass alone, they are tests to mend: ${failed.join(", ")}`);
  return failed;
}

function listFiles(): string[] {
  if (first === "--apart") return globSync(APART).filter((file) => !hasForm(file, LONG_FORM));
  if (length === "short") return listShort();
  const files = new Set(globSync([...EVERY_TEST, ...APART], { exclude: onCitus ? OFF_CITUS : [] }));
  return [...files].filter((file) => hasForm(file, length === "long" ? LONG_FORM : /./));
}

function listShort(): string[] {
  if (!onCitus) return globSync(EVERY_TEST, { exclude: APART });
  console.log(`Not run, since they read how one PostgreSQL works: ${OFF_CITUS.join(", ")}`);
  return globSync([...EVERY_TEST, ...APART, ...OF_CITUS], { exclude: OFF_CITUS });
}

/** Whether a file asks for its length, and has this form. */
function hasForm(file: string, form: RegExp): boolean {
  const text = readFileSync(file, "utf8");
  return text.includes("/length.ts") && form.test(text);
}

/** Makes a folder with a file for each waiting test file, in order, and a folder for the files that a runner took. */
async function layOut(files: readonly string[]): Promise<[waiting: string, underWay: string]> {
  process.env.TEST_FILES = join(folder, "files");
  const [waiting, underWay] = ["waiting", "under-way"].map((name) => join(folder, "files", name));
  for (const path of [waiting!, underWay!]) await mkdir(path, { recursive: true });
  for (const [at, file] of files.entries()) {
    await writeFile(join(waiting!, `${String(at).padStart(4, "0")} ${encodeURIComponent(file)}`), "");
  }
  return [waiting!, underWay!];
}

function nameOf(waiting: string): string {
  return decodeURIComponent(waiting.slice(waiting.indexOf(" ") + 1));
}

function longestFirst(a: string, b: string): number {
  const isSlowest = (file: string) => Number(SLOWEST.includes(basename(file)));
  return isSlowest(b) - isSlowest(a) || statSync(b).size - statSync(a).size;
}

function choosePlace(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_AT_LEAST ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Removes what killed runs left: a folder, and maybe a PostgreSQL that still runs in it. */
async function removeLeftBehind(place: string): Promise<void> {
  for (const name of await readdir(place).catch(() => [])) {
    if (!name.startsWith(FOLDER_PREFIX)) continue;
    const dataDir = join(place, name);
    try {
      if (Date.now() - (await stat(dataDir)).mtimeMs < LEFT_BEHIND_AFTER_MS) continue;
      // A start takes over the PostgreSQL that was left. It fails if another run is still under way.
      const server = await startEmbedded({ dataDir, log, fsync: false });
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    } catch {
      // The folder belongs to another run or another user, so we leave it.
    }
  }
}
