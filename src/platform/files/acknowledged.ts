// The acknowledgment log: files that keep for an hour what this process has acknowledged, to find what a database has
// lost that was restored to an earlier state.
import { createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { nowMs } from "../clock.ts";
import type { Log } from "../log.ts";
import {
  type Acknowledged,
  type AcknowledgedLine,
  acknowledgedText,
  readAcknowledged,
} from "./acknowledgedlines.ts";
import { KeptFiles } from "./keptfiles.ts";

const FILE_BYTES = 16 * 1024 ** 2;
/** At 100 bytes each, one hour of 700 a second. */
const BYTES_AT_MOST = 256 * 1024 ** 2;
/** The most bytes that wait for a disk that does not keep up. */
const WAITING_BYTES_AT_MOST = 8 * 1024 ** 2;
/** After a failure nothing is written for this long: on a full disk each attempt would leave an empty file. */
const PAUSE_MS = 30_000;
/** The number of newest entries that a database must have before this process vouches for it. */
const RECENT_AT_MOST = 100;
const READ_AT_ONCE = 1_000;

type OpenFile = { stream: WriteStream; beganMs: number; bytes: number };

/**
 * The files of the processes of one DATA_DIR, in its folder `acknowledged`. They are written without waiting: a process
 * that is killed has written all but the last moments, and a power cut may lose the last seconds.
 */
export class AcknowledgedLog {
  readonly #files: KeptFiles;
  readonly #log: Log;
  readonly #startedMs = nowMs();
  #file: OpenFile | undefined;
  /** Resolves when the closed files are written. */
  #closed: Promise<unknown> = Promise.resolve();
  #recent: Acknowledged[] = [];
  /** The number of entries since the start, from which `takeDown` knows the recent ones. */
  #count = 0;
  /** When something was last acknowledged. */
  #lastMs: number | undefined;
  /** Until this time some entries may be missing in the files. */
  #incompleteUntilMs = 0;
  #pausedUntilMs = 0;

  constructor({ dataDir, node, log }: { dataDir: string; node: string; log: Log }) {
    const folder = join(dataDir, "acknowledged");
    this.#files = new KeptFiles({ folder, node, bytesOfFile: FILE_BYTES, bytesAtMost: BYTES_AT_MOST });
    this.#log = log;
  }

  /** Writes what a transaction has committed. It does not throw: a full disk must fail no request. */
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

  /** The newest entries since the function of `takeDown` was last called. */
  get recent(): readonly Acknowledged[] {
    return this.#recent.slice(-RECENT_AT_MOST);
  }

  /** Returns a function that drops the entries that are recent now. */
  takeDown(): () => void {
    const taken = this.#count;
    return () => {
      const newer = this.#count - taken;
      this.#recent = newer === 0 ? [] : this.#recent.slice(-newer);
    };
  }

  /** Returns the time since which the files contain everything that the processes of this folder have acknowledged. */
  since(): Date {
    const began = this.#files.all().map(({ beganMs }) => beganMs);
    return new Date(Math.max(Math.min(this.#startedMs, ...began), this.#incompleteUntilMs));
  }

  /**
   * Reads what the processes of this folder acknowledged since one time and before another, in pieces. An unreadable
   * file is skipped and logged.
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

  /** Writes what is still waiting. */
  async stop(): Promise<void> {
    this.#close();
    await this.#closed;
  }

  /** Resolves when everything so far is written, or has failed. */
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
