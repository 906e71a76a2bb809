// The root file system of ops/rootfs under bubblewrap, started as ops/Containerfile says: read-only, and as user 1000.
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { findFreePorts } from "../../src/platform/embedded/ports.ts";
import { type Scope, stacked } from "../sending.ts";
import { until } from "../testservice.ts";
import { createCampaigns, DATABASE, Installation, LOGIN, makeDatabase, OWNER } from "./installation.ts";
import { needsPostgres, startPrimary, withChildren } from "./postgres.ts";

const OPS = join(import.meta.dirname, "..", "..", "ops");
const DATA_DIR = "/var/lib/atumpan";
const USER = 1000;
// For this machine, and in the root file system.
const PATH = "/usr/local/bin:/usr/bin:/bin";
const MESSAGES = 50;
// Packages are downloaded and unpacked: 75 s on a quiet machine, 7 minutes on a busy one (2 cores, 2026-11-27).
const TIMEOUT_MS = 1_800_000;
const READY_WITHIN_MS = 240_000;

const run = promisify(execFile);

const PROGRAMS = { mmdebstrap: "/usr/bin/mmdebstrap", bubblewrap: "/usr/bin/bwrap" };
const missing = Object.entries(PROGRAMS).find(([, path]) => !existsSync(path));
const isRoot = process.getuid?.() === 0;

/** For the options of a test: it is skipped, and says why, where a program is not installed or the user is not root. */
const needsImage = {
  skip: missing
    ? `${missing[0]} of Debian is not installed`
    : isRoot
      ? needsPostgres.skip
      : "only root builds a root file system",
};

/** A folder that user 1000 can enter. The folder of a test run is root's alone. */
async function makeFolder(scope: Scope): Promise<string> {
  const folder = await mkdtemp("/tmp/atumpan-image-");
  scope.after(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  return folder;
}

/** Builds the root file system as an archive, and unpacks it as the builder of an image does. */
async function buildRoot(t: TestContext): Promise<string> {
  const folder = await makeFolder(stacked(t));
  const [archive, root] = [join(folder, "rootfs.tar"), join(folder, "root")];
  await run(join(OPS, "rootfs"), [archive], { signal: t.signal });
  await mkdir(root);
  await run("tar", ["--numeric-owner", "--same-permissions", "-C", root, "-xf", archive]);
  return root;
}

/** The value of an instruction of ops/Containerfile. */
function instruction(name: string): string {
  const file = readFileSync(join(OPS, "Containerfile"), "utf8");
  const value = new RegExp(`^${name} (.+)$`, "m").exec(file)?.[1];
  assert.ok(value, name);
  return value;
}

const OF_IMAGE = Object.fromEntries(
  instruction("ENV")
    .split(" ")
    .map((pair) => pair.split("=")),
) as Record<string, string>;

/** A command in the root file system, with what is mounted there. `as` is how the root itself is mounted. */
function inside(root: string, mounts: readonly string[], command: readonly string[], as = "--ro-bind") {
  const [uid, gid] = instruction("USER").split(":");
  const words = [
    ...[`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"],
    ...["bwrap", as, root, "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", ...mounts],
    ...[
      "--unshare-pid",
      "--unshare-ipc",
      "--unshare-uts",
      "--as-pid-1",
      "--die-with-parent",
      "--new-session",
    ],
    ...["--cap-drop", "ALL", "--chdir", instruction("WORKDIR"), ...command],
  ];
  return ["setpriv", words] as const;
}

/** Starts the service, with the settings of the image below those given. It ends with `scope`. */
function start(scope: Scope, root: string, mounts: readonly string[], settings: Record<string, string>) {
  const command = JSON.parse(instruction("ENTRYPOINT")) as string[];
  const child = spawn(...inside(root, mounts, command), {
    env: { PATH, ...OF_IMAGE, ...settings },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const gone = once(child, "exit");
  scope.after(async () => {
    child.kill("SIGKILL"); // the service ends with bubblewrap
    await gone;
  });
  return { child, gone, errors: text(child.stderr) };
}

async function untilReady(url: string, child: ChildProcess, errors: Promise<string>): Promise<void> {
  await until(async () => {
    if (child.exitCode !== null) assert.fail(`the service ended: ${await errors}`);
    return fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  }, READY_WITHIN_MS);
}

/** The file systems that a process can write to, but for those of devices and of the kernel. */
function writableMounts(pid: number): string[] {
  const mounts = readFileSync(`/proc/${pid}/mountinfo`, "utf8").trim().split("\n");
  const writable = mounts
    .map((line) => line.split(" "))
    .filter(([, , , , , options]) => options!.split(",").includes("rw"))
    .map(([, , , , place]) => place!);
  return writable.filter((place) => !/^\/(dev|proc)(\/|$)/.test(place)).sort();
}

/** By its rights alone, without a read-only mount, user 1000 can write to DATA_DIR and nowhere else. */
async function hasRights(root: string): Promise<void> {
  const find = "find / -xdev -writable ! -type l ! -path '/dev*' ! -path /tmp; id -u; id -un";
  const { stdout } = await run(...inside(root, [], ["sh", "-c", `${find}`], "--bind"), { env: { PATH } });
  assert.deepEqual(stdout.trim().split("\n"), [DATA_DIR, `${USER}`, "atumpan"]);
}

async function isReadOnly(root: string): Promise<void> {
  const script = "require('node:fs').writeFileSync('/opt/atumpan/new', '')";
  await assert.rejects(run(...inside(root, [], ["node", "-e", script]), { env: { PATH } }), /EROFS/);
}

/** The service sends a campaign, is confined as it should be, and ends by SIGTERM. */
async function serves(t: TestContext, root: string): Promise<void> {
  const scope = stacked(t);
  const primary = await startPrimary(scope);
  await makeDatabase(primary);
  const addresses = { databaseUrl: primary.url(DATABASE, LOGIN), ownerUrl: primary.url(DATABASE, OWNER) };
  const here = await Installation.open(scope, addresses);
  const data = await makeFolder(scope);
  await chown(data, USER, USER);
  const [port] = await findFreePorts(1);
  const own = { DATA_DIR, HOST: "127.0.0.1", PORT: `${port}`, LOG_LEVEL: "fatal" };
  const settings = { ...here.environment, ...own };
  const { child, gone, errors } = start(scope, root, ["--bind", data, DATA_DIR], settings);
  const service = { url: `http://127.0.0.1:${port}` };
  await untilReady(service.url, child, errors);

  await here.addOperator(service);
  const company = await here.company(service, MESSAGES);
  const creation = { campaigns: 1, perCampaign: MESSAGES };
  assert.equal((await createCampaigns(() => service.url, company, creation)).size, 1);
  const delivered = "SELECT FROM messages WHERE status = 'DELIVERED'";
  await until(async () => (await primary.run(delivered, DATABASE)).length === MESSAGES);
  assert.equal(here.simulator.stats().accepted, MESSAGES);

  const [, pid, ...others] = withChildren(child.pid!);
  assert.ok(pid && others.length === 0);
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  for (const line of [
    /^Uid:\t1000\t1000\t1000\t1000$/m,
    /^Gid:\t1000\t1000\t1000\t1000$/m,
    /^CapEff:\t0+$/m,
    /^NoNewPrivs:\t1$/m,
  ])
    assert.match(status, line);
  assert.deepEqual(writableMounts(pid), ["/tmp", DATA_DIR]);
  await assert.rejects(writeFile(`/proc/${pid}/root/opt/atumpan/new`, ""), { code: "EROFS" });
  assert.equal((await stat(join(data, "incarnation.json"))).uid, USER);

  // A stop that takes longer than 9.5 s ends with 1 (src/main.ts).
  process.kill(pid, "SIGTERM");
  assert.deepEqual([await gone, await errors], [[0, null], ""]);
}

/** Without a DATA_DIR that it can write to, the service ends at its start, and says so in one sentence. */
async function refuses(t: TestContext, root: string): Promise<void> {
  const scope = stacked(t);
  const ofRoot = join(await makeFolder(scope), "data");
  await mkdir(ofRoot, { mode: 0o755 });
  for (const [mounts, reason] of [
    [[], "the file system is read-only"],
    [["--bind", ofRoot, DATA_DIR], "this user cannot write there"],
  ] as const) {
    const { gone, errors } = start(scope, root, mounts, { HOST: "127.0.0.1" });
    const sentence = `atumpan: DATA_DIR=${DATA_DIR} cannot be used: ${reason}\n`;
    assert.deepEqual([await errors, await gone], [sentence, [1, null]]);
  }
}

test("ops/rootfs builds a root file system that works read-only and as user 1000", {
  ...needsImage,
  timeout: TIMEOUT_MS,
}, async (t) => {
  const root = await buildRoot(t);
  await t.test("user 1000 has the right to write to DATA_DIR alone", () => hasRights(root));
  await t.test("nothing can be written where it is mounted read-only", () => isReadOnly(root));
  await t.test("a service sends a campaign, and SIGTERM ends it with 0", (t) => serves(t, root));
  await t.test("a DATA_DIR that cannot be written is refused in one sentence", (t) => refuses(t, root));
});
