// Files of lines in a folder of DATA_DIR, kept for an hour, so that a process still knows what a database has lost.
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../secrets/secrets.ts";

const KEPT_MS = 3_600_000;
/** A file is closed after this time. */
const FILE_MS = 300_000;
const NAME = /^\d{13,15}-.+\.jsonl$/;

export type KeptFile = { path: string; beganMs: number; bytes: number };

export type KeptFilesOptions = {
  folder: string;
  node: string;
  /** A file of this size is closed; the oldest ones are deleted if all together exceed `bytesAtMost`. */
  bytesOfFile: number;
  bytesAtMost: number;
};

/** The files of the processes of one DATA_DIR. `node` is this process. */
export class KeptFiles {
  readonly #folder: string;
  readonly #name: string;
  readonly #bytesOfFile: number;
  readonly #bytesAtMost: number;

  constructor({ folder, node, bytesOfFile, bytesAtMost }: KeptFilesOptions) {
    this.#folder = folder;
    this.#name = node.replace(/\W+/g, "-");
    this.#bytesOfFile = bytesOfFile;
    this.#bytesAtMost = bytesAtMost;
  }

  /** Whether a file of this process may take another line. */
  takesMore({ beganMs, bytes }: Omit<KeptFile, "path">, atMs: number): boolean {
    return atMs - beganMs <= FILE_MS && bytes <= this.#bytesOfFile;
  }

  /** Returns the path of a new file of this process, and creates the folder. */
  newPath(atMs: number): string {
    makeFolder(this.#folder, 0o700);
    return join(this.#folder, `${atMs}-${this.#name}.jsonl`);
  }

  /** Returns the files of the folder, the oldest first. Other files are ignored, and so are far too large ones. */
  all(): KeptFile[] {
    const found: KeptFile[] = [];
    for (const entry of entriesOf(this.#folder)) {
      if (!entry.isFile() || !NAME.test(entry.name)) continue;
      const path = join(this.#folder, entry.name);
      const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (bytes <= 4 * this.#bytesOfFile)
        found.push({ path, beganMs: Number(entry.name.split("-", 1)[0]), bytes });
    }
    return found.sort((a, b) => a.beganMs - b.beganMs);
  }

  /**
   * Deletes files that are an hour older than the last line, which was written at `lastMs`: an outage does not count,
   * since after it the last hour before it may have to be searched. Returns the end of what was deleted, or 0.
   */
  deleteOld(lastMs: number | undefined): number {
    let bytes = 0;
    let deletedUntilMs = 0;
    const files = this.all();
    const untilMs = lastMs ?? files.at(-1)?.beganMs ?? 0;
    for (const file of files.reverse()) {
      const endMs = file.beganMs + FILE_MS;
      bytes += file.bytes;
      if (bytes <= this.#bytesAtMost && untilMs - endMs <= KEPT_MS) continue;
      deletedUntilMs = Math.max(endMs, deletedUntilMs);
      rmSync(file.path, { force: true });
    }
    return deletedUntilMs;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // Nothing was kept yet, or nothing could be, which was logged.
  }
}
