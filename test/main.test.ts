// The program as people start it: bad configuration is one line, SIGTERM ends it cleanly and in time.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { killIfThere } from "../src/kernel/embedded-cluster.ts";
import { cloneDatabase } from "./database.ts";
import { until } from "./world.ts";

const ROOT = join(import.meta.dirname, "..");
const MAIN = join(ROOT, "src", "main.ts");

type Program = { child: ChildProcess; output: () => string; errors: () => string };

function run(environment: Record<string, string>, command = [process.execPath, MAIN]): Program {
  const [program = "", ...words] = command;
  const child = spawn(program, words, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  let errors = "";
  child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  return { child, output: () => output, errors: () => errors };
}

test("bad configuration is one clear line and exit 1", async () => {
  for (const environment of [
    { PORT: "http" },
    { HOST: "0.0.0.0" },
    { DATABASE_URL: "postgres://x/y" },
    { DATA_DIR: "/proc/none" },
  ]) {
    const { child, output, errors } = run(environment);
    const [code] = await once(child, "close");
    assert.equal(code, 1);
    assert.equal(output(), "");
    assert.match(errors(), /^atumpan: [^\n]+\n$/);
  }
});

// As the signal comes: to the program; to npm alone, as from a supervisor that started `npm start`, where a shell between
// them would die of it and leave the service running; to all of them, so that the service gets it twice.
for (const [name, command, everybody] of [
  ["SIGTERM", undefined, false],
  ["SIGTERM to npm start", ["npm", "start"], false],
  ["SIGTERM to npm start and all that it started", ["npm", "start"], true],
] as const) {
  test(`${name} ends it with 0, within 10 s`, { timeout: 60_000 }, (t) =>
    endsWithin10s(t, everybody, command && [...command]),
  );
}

test("SIGTERM while it starts ends it with 0 too, and leaves no database server behind", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-main-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const { child, errors } = run({ PORT: "0", DATA_DIR: dataDir });
  t.after(() => killIfThere(-child.pid!, "SIGKILL"));
  await until(() => existsSync(join(dataDir, "secrets.json")));
  child.kill("SIGTERM");
  const [code] = await once(child, "close");
  assert.equal(code, 0, errors());
  assert.equal(existsSync(join(dataDir, "postgres", "cluster", "postmaster.pid")), false);
});

async function endsWithin10s(t: TestContext, everybody: boolean, command?: string[]): Promise<void> {
  const database = await cloneDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-main-"));
  t.after(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const environment = {
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    MASTER_KEY: "m".repeat(32),
    ADMIN_KEY: "adm_0123456789abcdef",
    DEMO: "on",
  };
  const { child, output, errors } = run(environment, command);
  const group = -child.pid!;
  t.after(() => killIfThere(group, "SIGKILL"));
  const curl = await until(() => /curl -s (\S+)\/v1\/campaign\/create .*'(\{.*\})'/.exec(output()));
  assert.equal((await fetch(`${curl[1]}/healthz`)).status, 200);
  JSON.parse(curl[2]!);
  const startMs = performance.now();
  process.kill(everybody ? group : child.pid!, "SIGTERM");
  const [code] = await once(child, "close");
  assert.equal(code, 0, errors());
  assert.ok(performance.now() - startMs < 10_000);
  await assert.rejects(fetch(`${curl[1]}/healthz`));
}
