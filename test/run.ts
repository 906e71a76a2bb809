// `npm test`: one PostgreSQL for the whole run, a migrated template in it, then node:test over every test file.
// Usage: npm test -- [path/of/file.test.ts …] [--test-name-pattern=…]; TEST_DATABASE_URL takes a server that exists.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "../src/kernel/embedded.ts";
import { migrate } from "../src/kernel/migrate.ts";
import { databaseUrl, runAsAdmin } from "./database.ts";

const EVERY_TEST = ["src/**/*.test.ts", "test/**/*.test.ts"];
const TEST_TIMEOUT_MS = 300_000;
const FOLDER_PREFIX = "atumpan-test-";
const LEFT_BEHIND_AFTER_MS = 10 * 60_000;
const log = { info() {}, warn: console.error, error: console.error };

// From here to the end a signal must not end this process before PostgreSQL is stopped; node:test hears it too.
let child: ReturnType<typeof spawn> | undefined;
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    interrupted = true;
    child?.kill(signal);
  });
}

process.exitCode = await (process.env.TEST_DATABASE_URL ? runOnServer() : runEmbedded());

/** Starts PostgreSQL in a temporary folder for the run, and removes both. */
async function runEmbedded(): Promise<number> {
  await removeLeftBehind();
  const dataDir = await mkdtemp(join(tmpdir(), FOLDER_PREFIX));
  try {
    // Test files run side by side, each with pools of its own. What a power cut would lose is of no value here.
    const server = await startEmbedded({ dataDir, log, fsync: false, settings: { max_connections: "300" } });
    try {
      process.env.TEST_DATABASE_URL = server.url;
      return await runOnServer();
    } finally {
      await server.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Makes the template, runs the tests, and removes the template: the server may be one that stays. */
async function runOnServer(): Promise<number> {
  const template = `test_template_${randomBytes(6).toString("hex")}`;
  await runAsAdmin(`CREATE DATABASE ${template} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  try {
    // A broken migration fails the tests that need a database, and the run, but not the pure tests.
    const failure = await migrate(databaseUrl(template)).catch((error: Error) => error);
    if (failure) console.error(`The test database could not be made: ${failure.message}`);
    process.env.TEST_TEMPLATE = failure ? "" : template;
    const code = interrupted ? 1 : await runTests(process.argv.slice(2));
    return code === 0 && failure ? 1 : code;
  } finally {
    await runAsAdmin(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
  }
}

/** Runs node:test, whose summary is the last thing printed; resolves to its exit code. */
function runTests(given: string[]): Promise<number> {
  const isOption = (word: string, at: number) =>
    word.startsWith("-") || given[at - 1] === "--test-name-pattern";
  const files = given.filter((word, at) => !isOption(word, at));
  const options = [
    "--test",
    "--test-reporter=spec",
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    ...given.filter(isOption),
  ];
  return new Promise((resolve, reject) => {
    child = spawn(process.execPath, [...options, ...(files.length > 0 ? files : EVERY_TEST)], {
      stdio: "inherit",
    });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** Removes what runs that were killed outright left: a folder, and maybe a PostgreSQL that still runs in it. */
async function removeLeftBehind(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(FOLDER_PREFIX)) continue;
    const dataDir = join(tmpdir(), name);
    try {
      if (Date.now() - (await stat(dataDir)).mtimeMs < LEFT_BEHIND_AFTER_MS) continue;
      // Starting takes over the PostgreSQL that was left, and is refused where another run is still under way.
      const server = await startEmbedded({ dataDir, log, fsync: false });
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    } catch {
      // Another run's, or another user's: not ours to remove.
    }
  }
}
