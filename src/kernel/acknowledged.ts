// What this process has acknowledged: files keep it for an hour, so that it is known what a database has forgotten that went
// back in time.
import { createWriteStream, readdirSync, rmSync, statSync, type WriteStream } from "node:fs";
import { join } from "node:path";
import {
  type Acknowledged,
  type AcknowledgedLine,
  acknowledgedText,
  readAcknowledged,
} from "./acknowledgedlines.ts";
import { nowMs } from "./clock.ts";
import type { Log } from "./log.ts";
import { makeFolder } from "./secrets.ts";

const KEPT_MS = 3_600_000;
/** A file is closed after this time, or with this many bytes; the oldest ones are deleted beyond the bytes of all. */
const FILE_MS = 300_000;
const FILE_BYTES = 16 * 1024 ** 2;
/** At 100 bytes each, an hour of 700 a second. */
const BYTES_AT_MOST = 256 * 1024 ** 2;
/** What waits for a disk that does not keep up. */
const WAITING_BYTES_AT_MOST = 8 * 1024 ** 2;
/** After a failure nothing is tried for so long: on a full disk each try would leave an empty file. */
const PAUSE_MS = 30_000;
/** So many of the newest are looked for before this process vouches for a database. */
const RECENT_AT_MOST = 100;
const READ_AT_ONCE = 1_000;
const NAME = /^\d{13,15}-.+\.jsonl$/;

type OpenFile = { stream: WriteStream; beganMs: number; bytes: number };
type ClosedFile = { path: string; beganMs: number; bytes: number };

/**
 * The files of the processes of one DATA_DIR, in its folder `acknowledged`. They are written without waiting: a process
 * that is killed has written all but the last moments, and a machine that loses its power may lose the last seconds.
 */
export class AcknowledgedLog {
  readonly #folder: string;
  readonly #name: string;
  readonly #log: Log;
  readonly #startedMs = nowMs();
  #file: OpenFile | undefined;
  /** Resolves when the files are written that were closed. */
  #closed: Promise<unknown> = Promise.resolve();
  #recent: Acknowledged[] = [];
  /** How many were acknowledged since the begin, which says which of them are recent. */
  #count = 0;
  /** When something was acknowledged last. */
  #lastMs: number | undefined;
  /** Until then some of it may not be in the files. */
  #incompleteUntilMs = 0;
  #pausedUntilMs = 0;

  constructor({ dataDir, node, log }: { dataDir: string; node: string; log: Log }) {
    this.#folder = join(dataDir, "acknowledged");
    this.#name = node.replace(/\W+/g, "-");
    this.#log = log;
  }

  /** Keeps what a transaction has committed. It does not throw: a disk that is full costs no request. */
  add(all: readonly Acknowledged[]): void {
    if (all.length === 0) return;
    const atMs = Math.round(nowMs());
    this.#count += all.length;
    this.#recent.push(...all);
    // Cut at twice the number, it costs nothing on average.
    if (this.#recent.length >= 2 * RECENT_AT_MOST) this.#recent = this.#recent.slice(-RECENT_AT_MOST);
    if (atMs < this.#pausedUntilMs) this.#incompleteUntilMs = atMs;
    else this.#write(all, atMs);
    this.#lastMs = atMs;
  }

  #write(all: readonly Acknowledged[], atMs: number): void {
    try {
      const file = this.#fileAt(atMs);
      if (file.stream.writableLength > WAITING_BYTES_AT_MOST) throw new Error("the disk does not keep up");
      const text = acknowledgedText(all, atMs);
      file.bytes += text.length;
      file.stream.write(text);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** The newest of what was acknowledged since the function of `takeDown` was called last. */
  get recent(): readonly Acknowledged[] {
    return this.#recent.slice(-RECENT_AT_MOST);
  }

  /** Returns a function that forgets what is recent now. */
  takeDown(): () => void {
    const taken = this.#count;
    return () => {
      const newer = this.#count - taken;
      this.#recent = newer === 0 ? [] : this.#recent.slice(-newer);
    };
  }

  /** The moment since which the files have everything that the processes of this folder have acknowledged. */
  since(): Date {
    const began = this.#files().map(({ beganMs }) => beganMs);
    return new Date(Math.max(Math.min(this.#startedMs, ...began), this.#incompleteUntilMs));
  }

  /**
   * Reads what the processes of this folder have acknowledged since a moment and before another one, in pieces. A file that
   * cannot be read is left out, and the log says so.
   */
  async *read(sinceMs: number, beforeMs: number): AsyncGenerator<AcknowledgedLine[]> {
    await this.#written();
    for (const { path } of this.#files()) {
      const lines = await readAcknowledged(path).catch((error: Error) => {
        this.#incompleteUntilMs = nowMs();
        this.#log.warn({ err: error }, "a file of what was acknowledged cannot be read");
        return [];
      });
      const wanted = lines.filter(({ atMs }) => atMs >= sinceMs && atMs < beforeMs);
      for (let from = 0; from < wanted.length; from += READ_AT_ONCE)
        yield wanted.slice(from, from + READ_AT_ONCE);
    }
  }

  /** Writes what waits. */
  async stop(): Promise<void> {
    this.#close();
    await this.#closed;
  }

  /** Resolves when everything so far is written, or could not be. */
  async #written(): Promise<void> {
    const stream = this.#file?.stream;
    if (stream && !stream.destroyed) await new Promise<void>((resolve) => stream.write("", () => resolve()));
    await this.#closed;
  }

  #close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (!file) return;
    const closing = new Promise<void>((resolve) => file.stream.end(() => resolve()));
    this.#closed = Promise.all([this.#closed, closing]);
  }

  #fileAt(atMs: number): OpenFile {
    const file = this.#file;
    if (file && atMs - file.beganMs <= FILE_MS && file.bytes <= FILE_BYTES && !file.stream.destroyed)
      return file;
    this.#close();
    this.#deleteOld();
    makeFolder(this.#folder, 0o700);
    const path = join(this.#folder, `${atMs}-${this.#name}.jsonl`);
    const stream = createWriteStream(path, { flags: "a", mode: 0o600 });
    stream.on("error", (error) => this.#fail(error));
    this.#file = { stream, beganMs: atMs, bytes: 0 };
    return this.#file;
  }

  /** The files of the folder, the oldest first. Anything else that lies there is passed over, and so is what is far too large. */
  #files(): ClosedFile[] {
    const found: ClosedFile[] = [];
    for (const entry of entriesOf(this.#folder)) {
      if (!entry.isFile() || !NAME.test(entry.name)) continue;
      const path = join(this.#folder, entry.name);
      const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (bytes <= 4 * FILE_BYTES) found.push({ path, beganMs: Number(entry.name.split("-", 1)[0]), bytes });
    }
    return found.sort((a, b) => a.beganMs - b.beganMs);
  }

  /**
   * Deletes what is an hour older than what was acknowledged last: an outage does not count, since after it the last hour
   * before it is what may have to be looked for.
   */
  #deleteOld(): void {
    let bytes = 0;
    const files = this.#files();
    const lastMs = this.#lastMs ?? files.at(-1)?.beganMs ?? 0;
    for (const file of files.reverse()) {
      const endMs = file.beganMs + FILE_MS;
      bytes += file.bytes;
      if (bytes <= BYTES_AT_MOST && lastMs - endMs <= KEPT_MS) continue;
      this.#incompleteUntilMs = Math.max(endMs, this.#incompleteUntilMs);
      rmSync(file.path, { force: true });
    }
  }

  #fail(error: Error): void {
    const atMs = nowMs();
    this.#incompleteUntilMs = atMs;
    if (atMs >= this.#pausedUntilMs)
      this.#log.warn({ err: error }, "what is acknowledged is not kept in DATA_DIR");
    this.#pausedUntilMs = atMs + PAUSE_MS;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // Nothing was acknowledged yet, or nothing could be kept, which was logged.
  }
}
