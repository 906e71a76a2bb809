// Backups of the embedded database: what is restored is whole, and nobody gets a second SMS by it.
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { killIfThere } from "../src/platform/embedded/cluster.ts";
import { ofThisRun, type Process, startProcess } from "./process.ts";
import { type Call, caller, until } from "./testservice.ts";

const PROGRAM = join(import.meta.dirname, "..", "src", "backups.ts");
const KEYS = { MASTER_KEY: "m".repeat(32), ADMIN_KEY: "adm_0123456789abcdef" };

type Installation = {
  dataDir: string;
  start: () => Promise<Process>;
  run: (...words: string[]) => Promise<string>;
  /** Starts a command and does not wait for it. */
  begin: (...words: string[]) => ChildProcess;
};

/** An installation with the embedded database, in a folder of its own. */
async function install(t: TestContext): Promise<Installation> {
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-backups-"));
  let service: Process | undefined;
  t.after(async () => {
    await service?.end("SIGTERM");
    await rm(dataDir, { recursive: true, force: true });
  });
  const environment = { DATA_DIR: dataDir, SIMULATOR: "on", ...KEYS };
  const env = { ...ofThisRun(), DATA_DIR: dataDir };
  return {
    dataDir,
    start: async () => (service = await startProcess(environment)),
    run: async (...words) =>
      (await promisify(execFile)(process.execPath, [PROGRAM, ...words], { env })).stdout,
    begin: (...words) => spawn(process.execPath, [PROGRAM, ...words], { env, stdio: "ignore" }),
  };
}

const adminOf = ({ url }: Process): Call => caller(url, { adminKey: KEYS.ADMIN_KEY });

async function company(service: Process): Promise<{ call: Call; companyId: string; apiKey: string }> {
  const admin = adminOf(service);
  const { data } = await admin("/v1/admin/company/create", {
    name: "Boutique Awa",
    owner: { name: "Awa", phone: "2250708091011" },
  });
  const { companyId, apiKey } = data;
  await admin("/v1/admin/credit/grant", { companyId, credit: 1_000, reason: "test" });
  return { companyId, apiKey, call: caller(service.url, { apiKey, companyId }) };
}

/** Sends one SMS and waits for its receipt. */
async function sendOne(call: Call, phone: string): Promise<void> {
  const { data } = await call("/v1/campaign/create", { contacts: [phone], text: "Bonjour" });
  await until(async () => (await call(`/v1/campaign/${data.id}`)).data.stats.delivered === 1);
}

async function assertBalanced(admin: Call): Promise<void> {
  const { data } = await admin("/v1/admin/credit/audit");
  assert.deepEqual([data.balanced, data.difference], [true, 0]);
}

test("X01: a backup that is made under load is restored whole, and sending is held until somebody decides", async (t) => {
  const { dataDir, start, run } = await install(t);
  const folder = join(dataDir, "kept");
  let service = await start();
  const { call, ...credentials } = await company(service);
  await sendOne(call, "2250709091000");
  const sending = Array.from({ length: 20 }, (_, i) => sendOne(call, `22507090920${10 + i}`));
  assert.match(await run("backup", folder), /The backup is in/);
  await Promise.all(sending);
  const before = (await call("/v1/credit/balance")).data as number;
  assert.equal(before, 979);
  await assert.rejects(run("restore", folder), /in use by a running service/);
  await service.end("SIGTERM");

  assert.match(await run("restore", folder), /nothing is sent until an administrator decides/);
  assert.equal((await readdir(dataDir)).filter((name) => name.startsWith("postgres.before-")).length, 1);
  const ofRestore = await readFile(join(dataDir, "postgres", "log"), "utf8");
  assert.doesNotMatch(ofRestore, /read-only/, "the restore waits until the database has recovered");
  service = await start();
  const admin = adminOf(service);
  const again = caller(service.url, credentials);
  const { data: held } = await admin("/v1/admin/recovery/read");
  const said = await readFile(join(dataDir, "postgres", "log"), "utf8");
  assert.deepEqual([held.state, held.reason], ["HELD", "PROMOTED"], `${JSON.stringify(held)}\n${said}`);
  await assertBalanced(admin);
  const balance = (await again("/v1/credit/balance")).data as number;
  assert.ok(balance >= before && balance <= 999, `${balance}`);
  await admin("/v1/admin/recovery/unknown");
  await until(async () => (await admin("/v1/admin/recovery/read")).data.state === "NORMAL");
  await assertBalanced(admin);
  await sendOne(again, "2250709099999");
});

test("X01: a restore that is killed while PostgreSQL recovers changes nothing, or is whole and holds sending", async (t) => {
  const { dataDir, start, run, begin } = await install(t);
  const folder = join(dataDir, "kept");
  let service = await start();
  const { call, ...credentials } = await company(service);
  await run("backup", folder);
  await sendOne(call, "2250709091000");
  await service.end("SIGTERM");
  const restore = begin("restore", folder);
  const ended = once(restore, "exit");
  let pid: number | undefined;
  await until(async () => {
    pid = await findRecovering(dataDir);
    return pid !== undefined || restore.exitCode !== null;
  });
  restore.kill("SIGKILL");
  await ended;
  if (pid !== undefined) killIfThere(pid, "SIGKILL");
  service = await start();
  const balance = (await caller(service.url, credentials)("/v1/credit/balance")).data as number;
  const { state } = (await adminOf(service)("/v1/admin/recovery/read")).data;
  assert.ok(["999 NORMAL", "1000 HELD"].includes(`${balance} ${state}`), `${balance} ${state}`);
  const left = (await readdir(dataDir)).filter((name) => name.startsWith("postgres.new-"));
  assert.deepEqual(left, []);
});

/** The PostgreSQL that recovers a backup in a data folder; undefined: none yet. */
async function findRecovering(dataDir: string): Promise<number | undefined> {
  const fresh = (await readdir(dataDir)).find((name) => name.startsWith("postgres.new-"));
  if (fresh === undefined) return undefined;
  const file = join(dataDir, fresh, "postgres", "cluster", "postmaster.pid");
  return readFile(file, "utf8").then(Number.parseInt, () => undefined);
}

test("X01: a damaged backup is refused, and the database stays", async (t) => {
  const { dataDir, start, run } = await install(t);
  const folder = join(dataDir, "kept");
  let service = await start();
  const { call: _, ...credentials } = await company(service);
  await service.end("SIGTERM");
  await run("backup", folder);
  const archive = await open(join(folder, "base.tar.gz"), "r+");
  const { size } = await archive.stat();
  await archive.truncate(size - 100);
  await archive.close();
  await assert.rejects(run("restore", folder), /cannot be unpacked|damaged/);
  await assert.rejects(run("restore", join(dataDir, "nowhere")), /nowhere/);
  service = await start();
  assert.equal((await caller(service.url, credentials)("/v1/credit/balance")).data, 1_000);
});
