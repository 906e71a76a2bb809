// The cluster of ops/ha on loopback: etcd, Patroni before two PostgreSQL of Debian, and HAProxy, from those files as they
// stand. Only the names of machines and the folders are others.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, open, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { findFreePorts } from "../../src/platform/embedded/ports.ts";
import { certificateFor } from "../certificates.ts";
import type { Scope } from "../sending.ts";
import { until } from "../testservice.ts";
import { PGBACKREST, settingsOfPgBackRest } from "./pgbackrest.ts";
import {
  folderOfPostgres,
  giveToPostgres,
  killWithChildren,
  needsPostgres,
  runAsPostgres,
  startAsPostgres,
  withChildren,
} from "./postgres.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const OPS = join(ROOT, "ops");
const PROGRAMS = {
  etcd: "/usr/bin/etcd",
  patroni: "/usr/bin/patroni",
  haproxy: "/usr/sbin/haproxy",
  pgbackrest: PGBACKREST,
};
const missing = Object.entries(PROGRAMS).find(([, path]) => !existsSync(path));

/** For the options of a test: it is skipped, and says why, where one of the programs is not installed. */
export const needsCluster = {
  skip: missing ? `${missing[0]} of Debian is not installed` : needsPostgres.skip,
};

/** A switch of the primary takes Patroni's `ttl` of 20 s and some, and a busy machine several times that. */
export const SWITCH_LIMIT_MS = 300_000;

// The log of a server may take 1 GB before a checkpoint.
const DISK_BYTES = 3 * 1024 ** 3;
const run = promisify(execFile);

const DATABASES = ["db1", "db2"] as const;
const ETCDS = ["etcd1", "etcd2", "etcd3"] as const;
const LISTENERS = [
  ...["db1:5432", "db2:5432", "db1:8008", "db2:8008", "app1:8080", "app2:8080"],
  ...ETCDS.flatMap((name) => [`${name}:2379`, `${name}:2380`]),
];
/** The programs of ops/ha that an administrator installs, and their names then. */
const SCRIPTS = [
  ["archive", "atumpan-pgbackrest"],
  ["backup", "atumpan-backup"],
] as const;
type DatabaseMachine = (typeof DATABASES)[number];

/** The names and folders of ops/ and docs/operations.md, and what they are on loopback. They end with `scope`. */
export class Loopback {
  readonly folder: string;
  readonly #scope: Scope;
  readonly #places: readonly (readonly [string, string])[];
  readonly #running = new Map<string, ChildProcess>();

  private constructor(scope: Scope, folder: string, places: readonly (readonly [string, string])[]) {
    this.#scope = scope;
    this.folder = folder;
    this.#places = places;
  }

  /** With `ownDisks`, the archive and each server of the database have a disk of their own: `diskOf` says where. */
  static async make(scope: Scope, { ownDisks = false } = {}): Promise<Loopback> {
    const folder = await folderOfPostgres(scope);
    const ports = await findFreePorts(LISTENERS.length + 2);
    const public_ = `127.0.0.1:${ports.at(-1)}`;
    const loopback = new Loopback(scope, folder, [
      ...LISTENERS.map((name, at) => [name, `127.0.0.1:${ports[at]}`] as const),
      ["bind :443", `bind ${public_}`],
      ["sms.example", public_],
      ["10.0.0.0/24", "127.0.0.1/32"],
      ["10.0.0.5", "127.0.0.1"],
      ["/var/run/postgresql", folder],
      // The copy that is restored each month.
      ["/var/lib/postgresql/15/tried", join(folder, "tried")],
      ...["tried.log", "restore.log"].map((name) => [`/tmp/${name}`, join(folder, name)] as const),
      ["-p 5433", `-p ${ports.at(-2)}`],
      ...["/etc/haproxy", "/etc/patroni", "/etc/atumpan", "/srv/backup", "/var/lib/etcd"].map(
        (path) => [path, join(folder, path.replaceAll("/", "-").slice(1))] as const,
      ),
      ["/opt/atumpan", ROOT],
      ["/var/lib/atumpan/api", join(folder, "app1-api")],
      ...SCRIPTS.map(([, installed]) => [`/usr/local/bin/${installed}`, join(folder, installed)] as const),
    ]);
    for (const path of ["/etc/haproxy", "/etc/patroni", "/etc/atumpan"]) await mkdir(loopback.fill(path));
    for (const path of (["archive", ...DATABASES] as const).map((name) => loopback.diskOf(name))) {
      await mkdir(path);
      if (ownDisks) await mountDisk(scope, path);
      await giveToPostgres(path);
    }
    for (const [name, installed] of SCRIPTS) {
      const script = loopback.fill(readFileSync(join(OPS, "ha", name), "utf8"));
      await writeFile(join(folder, installed), script, { mode: 0o755 });
    }
    const { key, cert } = certificateFor("IP:127.0.0.1", "sms.example");
    await writeFile(loopback.fill("/etc/haproxy/sms.pem"), cert + key);
    return loopback;
  }

  /** A text with what its names are here. */
  fill(text: string): string {
    return this.#places.reduce((filled, [name, place]) => filled.replaceAll(name, place), text);
  }

  /** The folder of a server of the database, or of the archive. */
  diskOf(name: DatabaseMachine | "archive"): string {
    return name === "archive" ? this.fill("/srv/backup") : join(this.folder, name);
  }

  /** The certificate of the load balancer, for clients that should trust it. */
  get certificate(): string {
    return this.fill("/etc/haproxy/sms.pem");
  }

  async startEtcd(): Promise<void> {
    const template = readFileSync(join(OPS, "ha", "etcd.env"), "utf8");
    for (const name of ETCDS) {
      const own = template
        .replace("ETCD_NAME=etcd1", `ETCD_NAME=${name}`)
        .replaceAll("//etcd1:2379", `//${name}:2379`)
        .replace("INITIAL_ADVERTISE_PEER_URLS=http://etcd1", `INITIAL_ADVERTISE_PEER_URLS=http://${name}`)
        .replaceAll("0.0.0.0:", `${name}:`)
        .replace("/var/lib/etcd/atumpan", `/var/lib/etcd/${name}`);
      await this.#start(name, PROGRAMS.etcd, [], `${name}:2379`, this.fill(own));
    }
  }

  /** Starts Patroni on a machine, which makes the cluster or joins it, and waits until its server answers. */
  async startDatabase(name: DatabaseMachine): Promise<void> {
    const template = readFileSync(join(OPS, "ha", "patroni.yml"), "utf8");
    const own = template.replaceAll("db1", name).replaceAll("0.0.0.0:", `${name}:`);
    // Both machines are one here, and each has its own disk.
    const configuration = this.fill(own.replaceAll("/var/lib/postgresql/15", join(this.folder, name)));
    const file = this.fill(`/etc/patroni/${name}.yml`);
    await writeFile(file, configuration, { mode: 0o644 });
    const at = { data: join(this.folder, name, "atumpan"), socket: this.folder, port: this.#portOf(name) };
    await writeFile(this.#backupSettingsOf(name), await settingsOfPgBackRest(this.folder, at));
    await this.#startPatroni(name, file);
  }

  /** Kills Patroni on a machine and starts it again; its server goes on. */
  async restartPatroni(name: DatabaseMachine): Promise<void> {
    await this.#end(name);
    await this.#startPatroni(name, this.fill(`/etc/patroni/${name}.yml`));
  }

  async #startPatroni(name: DatabaseMachine, file: string): Promise<void> {
    const child = await startAsPostgres(
      PROGRAMS.patroni,
      [file],
      this.#logOf(name),
      this.#environmentOf(name),
    );
    this.#running.set(name, child);
    this.#scope.after(() => this.loseDatabase(name));
    await until(async () => {
      this.#throwIfEnded(name, child);
      return this.#is(name, "health");
    }, SWITCH_LIMIT_MS);
  }

  /** Runs commands by a shell of `postgres` on a machine of the database. */
  shell(name: DatabaseMachine, commands: string, environment: Record<string, string> = {}) {
    const more = { ...environment, ...this.#environmentOf(name) };
    return runAsPostgres("/bin/bash", ["-euo", "pipefail", "-c", commands], more);
  }

  /** What tells programs on a machine of the database, run by `postgres`, where its server and its backups are. */
  #environmentOf(name: DatabaseMachine): Record<string, string> {
    return {
      PGBACKREST_CONFIG: this.#backupSettingsOf(name),
      PGHOST: this.folder,
      PGPORT: `${this.#portOf(name)}`,
    };
  }

  #portOf(name: DatabaseMachine): number {
    return Number(new URL(this.fill(`http://${name}:5432`)).port);
  }

  #backupSettingsOf(name: DatabaseMachine): string {
    return join(this.folder, `${name}.pgbackrest.conf`);
  }

  /** Whether Patroni says so of a server: `health`, `primary`, `replica`, `synchronous`. */
  async #is(name: DatabaseMachine, what: string): Promise<boolean> {
    const url = this.fill(`http://${name}:8008/${what}`);
    return fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** Waits until one server is the primary and the other one its synchronous standby. */
  async settled(): Promise<{ primary: DatabaseMachine; standby: DatabaseMachine }> {
    return until(async () => {
      for (const primary of DATABASES) {
        const standby = DATABASES.find((name) => name !== primary)!;
        if ((await this.#is(primary, "primary")) && (await this.#is(standby, "synchronous")))
          return { primary, standby };
      }
      return undefined;
    }, SWITCH_LIMIT_MS);
  }

  /** Stops Patroni on both machines, and their servers with it. */
  async stopPatroni(): Promise<void> {
    await Promise.all(DATABASES.map((name) => this.#end(name, "SIGTERM")));
  }

  /** Kills Patroni and PostgreSQL with all of its processes, as the loss of their machine does. Safe to call twice. */
  async loseDatabase(name: DatabaseMachine): Promise<void> {
    await this.#end(name);
    const postmaster = this.#postmasterOf(name);
    if (postmaster !== undefined) await killWithChildren(postmaster);
  }

  /** Runs the commands that restore all that was archived on a machine, and forgets the cluster of before. */
  async restore(name: DatabaseMachine, commands: string): Promise<void> {
    const script = commands
      .replaceAll("sudo -u postgres ", "")
      .replace(/^sudo systemctl .*$/m, "")
      .replace(/--type=time --target='[^']*' --target-action=promote /, "");
    const here = this.fill(script.replaceAll("/var/lib/postgresql/15", join(this.folder, name)));
    const [program] = here.match(/\S*pg_ctl -D \S+/)!;
    const recovered = "until psql -XAtc 'SELECT pg_is_in_recovery()' postgres | grep -q f; do sleep 1; done";
    const remove = `printf 'atumpan\\nYes I am aware\\n' | patronictl -c ${this.fill(`/etc/patroni/${name}.yml`)} remove atumpan`;
    await this.shell(name, [here, recovered, `${program} -m fast -w stop`, remove].join("\n"));
  }

  #postmasterOf(name: DatabaseMachine): number | undefined {
    const pidFile = join(this.folder, name, "atumpan", "postmaster.pid");
    if (!existsSync(pidFile)) return undefined;
    const [line] = readFileSync(pidFile, "utf8").split("\n");
    return Number(line);
  }

  /** The processes of a machine of the database (`db1`) or of one of its programs (`db1 patroni`), of `etcd1` or `haproxy`. */
  pidsOf(name: string): number[] {
    const [machine, program] = name.split(" ");
    const pids = program === "postgresql" ? [] : withChildren(this.#running.get(machine!)!.pid!);
    const isDatabase = machine === "db1" || machine === "db2";
    if (!isDatabase || program === "patroni") return pids;
    return [...pids, ...withChildren(this.#postmasterOf(machine)!)];
  }

  async startHaproxy(): Promise<void> {
    const file = this.fill("/etc/haproxy/haproxy.cfg");
    await this.#start("haproxy", PROGRAMS.haproxy, ["-db", "-f", file], "sms.example");
  }

  async #start(name: string, program: string, words: string[], address: string, settings = "") {
    const log = await open(this.#logOf(name), "a");
    const environment = Object.fromEntries(
      settings
        .split("\n")
        .filter((line) => /^\w+=/.test(line))
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    const child = spawn("setpriv", ["--pdeathsig=KILL", program, ...words], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ["ignore", log.fd, log.fd],
    });
    await once(child, "spawn");
    await log.close();
    this.#running.set(name, child);
    this.#scope.after(() => this.#end(name));
    await until(() => {
      this.#throwIfEnded(name, child);
      return isTaken(this.fill(address));
    });
  }

  #logOf(name: string): string {
    return join(this.folder, `${name}.log`);
  }

  /** The lines of the logs of all programs, but for the statements that PostgreSQL quotes. */
  logs(): [name: string, lines: string[]][] {
    return [...this.#running.keys()].map((name) => {
      const lines = readFileSync(this.#logOf(name), "utf8").split("\n");
      return [name, lines.filter((line) => /^20\d\d-/.test(line) && !/STATEMENT|CONTEXT|aborted/.test(line))];
    });
  }

  #throwIfEnded(name: string, child: ChildProcess): void {
    if (child.exitCode !== null)
      throw new Error(`${name} ended:\n${readFileSync(this.#logOf(name), "utf8")}`);
  }

  async #end(name: string, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#running.get(name);
    this.#running.delete(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }
}

/** Puts a disk in the memory of this machine at a folder, until `scope` ends. Only root may. */
async function mountDisk(scope: Scope, path: string): Promise<void> {
  await run("mount", ["-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "tmpfs", path]);
  scope.after(async () => void (await run("umount", ["--lazy", path])));
}

/** Whether somebody listens at `host:port`. */
async function isTaken(address: string): Promise<boolean> {
  const [host, port] = address.split(":");
  const socket = connect(Number(port), host);
  try {
    return await once(socket, "connect").then(
      () => true,
      () => false,
    );
  } finally {
    socket.destroy();
  }
}
