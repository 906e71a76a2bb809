// What this process has acknowledged: files keep it for an hour, so that it is known what a database has forgotten that went
// back in time.
import { createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import {
  type Acknowledged,
  type AcknowledgedLine,
  acknowledgedText,
  readAcknowledged,
} from "./acknowledgedlines.ts";
import { nowMs } from "./clock.ts";
import { KeptFiles } from "./keptfiles.ts";
import type { Log } from "./log.ts";

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

type OpenFile = { stream: WriteStream; beganMs: number; bytes: number };

/**
 * The files of the processes of one DATA_DIR, in its folder `acknowledged`. They are written without waiting: a process
 * that is killed has written all but the last moments, and a machine that loses its power may lose the last seconds.
 */
export class AcknowledgedLog {
  readonly #files: KeptFiles;
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
    const folder = join(dataDir, "acknowledged");
    this.#files = new KeptFiles({ folder, node, bytesOfFile: FILE_BYTES, bytesAtMost: BYTES_AT_MOST });
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
    const began = this.#files.all().map(({ beganMs }) => beganMs);
    return new Date(Math.max(Math.min(this.#startedMs, ...began), this.#incompleteUntilMs));
  }

  /**
   * Reads what the processes of this folder have acknowledged since a moment and before another one, in pieces. A file that
   * cannot be read is left out, and the log says so.
   */
  async *read(sinceMs: number, beforeMs: number): AsyncGenerator<AcknowledgedLine[]> {
    await this.#written();
    for (const { path } of this.#files.all()) {
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
    if (file && this.#files.takesMore(file, atMs) && !file.stream.destroyed) return file;
    this.#close();
    const deletedUntilMs = this.#files.deleteOld(this.#lastMs);
    this.#incompleteUntilMs = Math.max(deletedUntilMs, this.#incompleteUntilMs);
    const path = this.#files.newPath(atMs);
    const stream = createWriteStream(path, { flags: "a", mode: 0o600 });
    stream.on("error", (error) => this.#fail(error));
    this.#file = { stream, beganMs: atMs, bytes: 0 };
    return this.#file;
  }

  #fail(error: Error): void {
    const atMs = nowMs();
    this.#incompleteUntilMs = atMs;
    if (atMs >= this.#pausedUntilMs)
      this.#log.warn({ err: error }, "what is acknowledged is not kept in DATA_DIR");
    this.#pausedUntilMs = atMs + PAUSE_MS;
  }
}
