// The program as people start it. Bad configuration is one line, and SIGTERM ends the program cleanly and in time.
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { killIfThere } from "../src/platform/embedded/cluster.ts";
import type { Quickstart } from "../src/quickstart.ts";
import { cloneDatabase } from "./database.ts";
import { inLongRuns } from "./length.ts";
import { metricOf } from "./metrics.ts";
import { ofThisRun } from "./process.ts";
import { caller, until } from "./testservice.ts";

const ROOT = join(import.meta.dirname, "..");
const MAIN = join(ROOT, "src", "main.ts");

// The time that a process may take to start, whatever else this machine does.
const START_MS = 60_000;
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
const KEYS = { MASTER_KEY: "m".repeat(32), ADMIN_KEY: "adm_0123456789abcdef" };

type Program = { child: ChildProcess; output: () => string; errors: () => string };

function run(environment: Record<string, string>, command = [process.execPath, MAIN]): Program {
  const [program = "", ...words] = command;
  const child = spawn(program, words, {
    cwd: ROOT,
    env: { ...ofThisRun(), ...environment },
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

test("bad configuration is one clear line that names its setting, and exit 1", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "atumpan-main-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "secrets.json"), '{"masterKey":"half of a k');
  const other = join(folder, "other");
  const METRICS_TOKEN = "t".repeat(20);
  const PROBES_ELSEWHERE = { PORT: "0", PROBE_PORT: "0", PROBE_HOST: "192.0.2.1", METRICS_TOKEN };
  const nobody = "postgres://a:hidden@127.0.0.1:1/x";
  for (const [environment, setting] of [
    [{ PORT: "http" }, "PORT"],
    [{ PROBE_PORT: "http" }, "PROBE_PORT"],
    [{ HOST: "0.0.0.0" }, "HOST"],
    [{ DATABASE_URL: "postgres://x/y" }, "MASTER_KEY"],
    [{ DATA_DIR: "/proc/none" }, "DATA_DIR"],
    [{ DATA_DIR: join(folder, "secrets.json") }, "it is a file"],
    // Without the simulator nothing is logged before the listeners are opened.
    [{ ...PROBES_ELSEWHERE, SIMULATOR: "off", DATA_DIR: other }, "PROBE_HOST"],
    [{ DATA_DIR: join(folder, "secrets.json", "below") }, "DATA_DIR"],
    [{ DATA_DIR: folder }, "secrets.json is broken"],
    [{ ...KEYS, DATABASE_URL: nobody, DATA_DIR: folder }, "DATABASE_URL"],
    [{ ...KEYS, DATABASE_URL: `${nobody}?sslMode=require` }, "sslmode"],
    [{ PAYMENT_WEBHOOK_SECRET: "abc" }, "PAYMENT_WEBHOOK_SECRET"],
  ] as const) {
    const { child, output, errors } = run(environment);
    const [code] = await once(child, "close");
    assert.equal(code, 1);
    assert.equal(output(), "");
    assert.match(errors(), /^atumpan: [^\n]+\n$/);
    assert.ok(errors().includes(setting) && !errors().includes("hidden"), errors());
  }
});

test("the service outlives a log that cannot be written, and says so on the probe", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-main-"));
  const full = openSync("/dev/full", "w");
  t.after(() => closeSync(full));
  const child = spawn(process.execPath, [MAIN], {
    cwd: ROOT,
    env: { ...ofThisRun(), PORT: "0", DATA_DIR: dataDir, LOG_LEVEL: "debug" },
    stdio: ["ignore", full, full],
    detached: true,
  });
  t.after(async () => {
    killIfThere(-child.pid!, "SIGKILL");
    await rm(dataDir, { recursive: true, force: true });
  });
  const file = join(dataDir, "quickstart.json");
  const { url, adminKey } = await until(async () => {
    assert.equal(child.exitCode, null);
    return existsSync(file) && (JSON.parse(await readFile(file, "utf8")) as Quickstart);
  });
  const answer = await until(async () => {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    return response?.status === 200 && ((await response.json()) as { remarks?: string[] });
  });
  assert.deepEqual(answer.remarks, ["the log cannot be written"]);
  assert.equal(await metricOf(url, adminKey, "atumpan_log_fails"), 1);
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});

test("a Node that is too old gets a sentence and no stack", async (t) => {
  const old = await findOldNode();
  if (!old) return t.skip("NO OLD NODE IS INSTALLED: nobody has tried the sentence that it gets");
  for (const script of ["start", "doctor", "test"]) {
    const words = scripts[script]!.replace(/ \|\| .*$/, "").split(" ");
    const { child, errors } = run({}, [old, ...words.slice(words.indexOf("node") + 1)]);
    const [code] = await once(child, "close");
    assert.equal(code, 1, script);
    assert.match(
      errors(),
      /^atumpan: this is Node [\d.]+, but Node >=24\.16 is required: npm ci installs it/,
      script,
    );
  }
});

/** A node of this machine that is older than the program wants. */
async function findOldNode(): Promise<string | undefined> {
  for (const node of ["/usr/bin/node", "/usr/local/bin/node"]) {
    const { stdout } = await promisify(execFile)(node, ["--version"]).catch(() => ({ stdout: "" }));
    const major = Number(/^v(\d+)/.exec(stdout)?.[1] ?? 99);
    // Older ones know no `--import`.
    if (major >= 20 && major < 24) return node;
  }
  return undefined;
}

// The program ends itself with 1 if its end takes longer than 9.5 s. First the signal comes to the program. Then it
// comes to npm alone, as from a supervisor; a shell in between would die of it and leave the service running. Last,
// it comes to all of them, so that the service gets it twice.
for (const [name, command, everybody] of [
  ["SIGTERM", undefined, false],
  ["SIGTERM to npm start", ["npm", "start"], false],
  ["SIGTERM to npm start and all that it started", ["npm", "start"], true],
] as const) {
  test(`${name} ends the program with 0, within 10 s`, everybody ? {} : inLongRuns, (t) =>
    servesThenEnds(t, everybody, command && [...command]),
  );
}

const AT_LOAD = join(ROOT, "test", "signal-at-load.ts");

// The process sends the signal to itself as it loads its n-th module. The second is the first that our first one
// imports.
for (const [name, at, signal, command] of [
  ["SIGTERM as soon as our first line has run", 2, "SIGTERM", undefined],
  ["SIGINT in the middle of loading", 60, "SIGINT", undefined],
  ["SIGTERM as soon as our first line has run, under npm start", 2, "SIGTERM", ["npm", "start"]],
] as const) {
  test(`${name} ends the program with 0`, command ? {} : inLongRuns, async (t) => {
    const dataDir = await makeFolder();
    const environment = {
      PORT: "0",
      DATA_DIR: join(dataDir, "data"),
      NODE_OPTIONS: `--import ${AT_LOAD}`,
      SIGNAL: signal,
      SIGNAL_AT_MODULE: String(at),
    };
    const { child, errors } = run(environment, command && [...command]);
    t.after(() => killIfThere(-child.pid!, "SIGKILL"));
    const [code] = await once(child, "close");
    assert.equal(code, 0, errors());
    assert.match(errors(), /module \d+ sent SIG/);
    assert.equal(existsSync(join(dataDir, "data")), false, "nothing was begun");
  });
}

for (const [moment, path, length] of [
  ["before its database server runs", "secrets.json", inLongRuns],
  ["while its database server starts", "postgres/cluster/postmaster.pid", {}],
] as const) {
  test(`SIGTERM ${moment} ends the program with 0 and leaves no server behind`, length, async (t) => {
    const dataDir = await makeFolder();
    const { child, errors } = run({ PORT: "0", DATA_DIR: dataDir });
    t.after(() => killIfThere(-child.pid!, "SIGKILL"));
    await until(() => existsSync(join(dataDir, path)), START_MS);
    child.kill("SIGTERM");
    const [code] = await once(child, "close");
    assert.equal(code, 0, errors());
    assert.equal(existsSync(join(dataDir, "postgres", "cluster", "postmaster.pid")), false);
  });
}

test("SIGTERM ends the program with 0 while it waits for a silent database", async (t) => {
  const silent = createServer().listen(0, "127.0.0.1");
  t.after(() => silent.close());
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const { child, errors } = run({ ...KEYS, PORT: "0", DATABASE_URL: `postgres://x@127.0.0.1:${port}/x` });
  t.after(() => killIfThere(-child.pid!, "SIGKILL"));
  await once(silent, "connection");
  child.kill("SIGTERM");
  const [code] = await once(child, "close");
  assert.equal(code, 0, errors());
});

// Nobody types into the child's output, so it is told what it has.
const AS_IF_TERMINAL = "--import=data:text/javascript,process.stdout.isTTY=true";

for (const isTerminal of [true, false]) {
  const where = isTerminal ? "a terminal" : "a pipe";
  test(`H19: in ${where} the printed line sends a first campaign, and ${isTerminal ? "only there a key is printed" : "no key is printed"}`, async (t) => {
    const dataDir = join(await makeFolder(), "l'atelier d'Awa");
    const environment = {
      ...(await demoOn(t, dataDir)),
      LOG_LEVEL: "trace",
      NODE_OPTIONS: isTerminal ? AS_IF_TERMINAL : "",
    };
    const { child, output, errors } = run(environment);
    t.after(() => killIfThere(-child.pid!, "SIGKILL"));
    const line = await until(() => FIRST_CAMPAIGN.exec(output())?.[1], START_MS);
    const shell = promisify(execFile)("sh", ["-c", line], { cwd: tmpdir() });
    assert.equal(JSON.parse((await shell).stdout).success, true, line);
    const { apiKey } = demoIn(dataDir);
    child.kill("SIGTERM");
    await once(child, "close");
    const said = output() + errors();
    assert.equal(said.includes(apiKey), isTerminal);
    assert.match(said, isTerminal ? /apiKey +\S+\n/ : /apiKey +\S.*\/quickstart\.json\n/);
    for (const secret of Object.values(KEYS)) assert.equal(said.includes(secret), false);
  });
}

test("the program makes a missing data folder, which only its own user may read", async (t) => {
  const database = await cloneDatabase();
  t.after(() => database.drop());
  const dataDir = join(await makeFolder(), "some", "where");
  const environment = { ...KEYS, PORT: "0", DATA_DIR: dataDir, DATABASE_URL: database.url, SIMULATOR: "on" };
  const { child, output, errors } = run(environment);
  t.after(() => killIfThere(-child.pid!, "SIGKILL"));
  await until(() => output().includes('"msg":"started"'), START_MS);
  child.kill("SIGTERM");
  const [code] = await once(child, "close");
  assert.equal(code, 0, errors());
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
  assert.ok(existsSync(join(dataDir, "simulator.jsonl")));
});

/** A folder for the files of a program. The run removes it, when the program has ended. */
function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "atumpan-main-"));
}

/** What the program prints last; it holds the URL of the service. */
const FIRST_CAMPAIGN = /^ *(curl -s \S+\/v1\/campaign\/create .*)\n/m;

/** The settings of a service with a demo company, on a database of its own. */
async function demoOn(t: TestContext, dataDir: string): Promise<Record<string, string>> {
  const database = await cloneDatabase();
  t.after(() => database.drop());
  const places = { PORT: "0", DATA_DIR: dataDir, DATABASE_URL: database.url };
  return { ...KEYS, ...places, SIMULATOR: "on", DEMO: "on" };
}

function demoIn(dataDir: string): Quickstart {
  return JSON.parse(readFileSync(join(dataDir, "quickstart.json"), "utf8"));
}

async function servesThenEnds(t: TestContext, everybody: boolean, command?: string[]): Promise<void> {
  const dataDir = await makeFolder();
  const { child, output, errors } = run(await demoOn(t, dataDir), command);
  const group = -child.pid!;
  t.after(() => killIfThere(group, "SIGKILL"));
  await until(() => FIRST_CAMPAIGN.test(output()), START_MS);
  const { url, apiKey } = demoIn(dataDir);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  // The document's first example of a one-time password names no company, so the demo's user pays.
  const asked = { apiKey, phoneNumber: "+2250102030405", length: 4 };
  const otp = await caller(url, {})("/v1/auth/otp/get", asked);
  assert.equal(otp.success, true, JSON.stringify(otp));
  assert.match(output(), /Console {5}http:\/\/127\.0\.0\.1:\d+\/\n/, "without a key in it");
  const adminKeyFile = /adminKey +(\S+)/.exec(output())?.[1];
  assert.equal(JSON.parse(await readFile(resolve(ROOT, adminKeyFile!), "utf8")).adminKey, KEYS.ADMIN_KEY);
  process.kill(everybody ? group : child.pid!, "SIGTERM");
  const [code] = await once(child, "close");
  assert.equal(code, 0, errors());
  assert.match(output(), /"msg":"stopping"[\s\S]*"msg":"stopped"/);
  assert.doesNotMatch(output(), /does not answer/);
  await assert.rejects(fetch(`${url}/healthz`));
}

test("a stop that is cut off leaves no database server behind, and says so", inLongRuns, async (t) => {
  const dataDir = await makeFolder();
  const NODE_OPTIONS = `--import ${join(ROOT, "test", "never-stops.ts")}`;
  const { child, errors } = run({ PORT: "0", DATA_DIR: dataDir, NODE_OPTIONS });
  t.after(() => killIfThere(-child.pid!, "SIGKILL"));
  const file = join(dataDir, "postgres", "cluster", "postmaster.pid");
  await until(() => existsSync(join(dataDir, "quickstart.json")), START_MS);
  const pid = Number((await readFile(file, "utf8")).split("\n", 1)[0]);
  child.kill("SIGTERM");
  const [code] = await once(child, "close");
  assert.equal(code, 1);
  assert.match(errors(), /^atumpan: stopping took longer than 9\.5 s and was cut off$/m);
  await until(() => !existsSync(`/proc/${pid}`), START_MS);
});
