// pgBackRest with the settings and programs of ops/ha, for servers of a test.
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "../sending.ts";
import {
  folderOfPostgres,
  giveToPostgres,
  needsPostgres,
  type PostgresNode,
  runAsPostgres,
} from "./postgres.ts";

export const PGBACKREST = "/usr/bin/pgbackrest";
const OPS = join(import.meta.dirname, "..", "..", "ops", "ha");

/** For the options of a test: it is skipped, and says why, where pgBackRest or PostgreSQL of Debian is not installed. */
export const needsPgBackRest = {
  skip: existsSync(PGBACKREST) ? needsPostgres.skip : "pgbackrest of Debian is not installed",
};

/** `ops/ha/pgbackrest.conf` for a server whose data, socket and port are others. */
export async function settingsOfPgBackRest(
  folder: string,
  at: { data: string; socket: string; port: number },
): Promise<string> {
  const written = await readFile(join(OPS, "pgbackrest.conf"), "utf8");
  return written
    .replaceAll("/var/lib/postgresql/15/atumpan", at.data)
    .replaceAll("/var/run/postgresql", at.socket)
    .replaceAll("/srv/backup", join(folder, "srv-backup"))
    .concat(`pg1-port=${at.port}\n`)
    .replace("[global]\n", `[global]\nlog-path=${folder}\nlock-path=${join(folder, "lock")}\n`);
}

/** A place for backups, and the programs that fill it. It ends with `scope`. */
export class Backups {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(scope: Scope): Promise<Backups> {
    const backups = new Backups(await folderOfPostgres(scope));
    await mkdir(backups.place);
    await giveToPostgres(backups.place);
    for (const name of ["archive", "backup"] as const) {
      const script = (await readFile(join(OPS, name), "utf8")).replaceAll("/srv/backup", backups.place);
      await writeFile(join(backups.folder, name), script, { mode: 0o755 });
    }
    return backups;
  }

  /** What stands in the place of `/srv/backup`. */
  get place(): string {
    return join(this.folder, "srv-backup");
  }

  get #settingsFile(): string {
    return join(this.folder, "pgbackrest.conf");
  }

  /** The settings of a server that is archived here. */
  get ofServer(): Record<string, string> {
    return {
      unix_socket_directories: this.folder,
      archive_mode: "on",
      archive_command: `PGBACKREST_CONFIG=${this.#settingsFile} ${join(this.folder, "archive")} %p`,
    };
  }

  /** Makes the place ready for this server. */
  async open(node: PostgresNode): Promise<void> {
    const at = { data: node.data, socket: this.folder, port: node.port };
    await writeFile(this.#settingsFile, await settingsOfPgBackRest(this.folder, at));
    await this.run(["stanza-create"]);
    await this.run(["check"]);
  }

  /** Runs pgBackRest; resolves to what it printed. */
  async run(words: readonly string[]): Promise<string> {
    const stanza = [`--config=${this.#settingsFile}`, "--stanza=atumpan"];
    return (await runAsPostgres(PGBACKREST, [...stanza, ...words])).stdout;
  }

  /** Runs a program of ops/ha on the machine of a server; resolves to what it said of trouble. */
  async program(
    name: "archive" | "backup",
    node: PostgresNode,
    words: readonly string[] = [],
  ): Promise<string> {
    const environment = {
      PGBACKREST_CONFIG: this.#settingsFile,
      PGHOST: this.folder,
      PGPORT: `${node.port}`,
    };
    return (await runAsPostgres("/bin/sh", [join(this.folder, name), ...words], environment)).stderr;
  }

  /** How many backups there are. */
  async count(): Promise<number> {
    const [{ backup }] = JSON.parse(await this.run(["info", "--output=json"])) as [{ backup: unknown[] }];
    return backup.length;
  }
}
