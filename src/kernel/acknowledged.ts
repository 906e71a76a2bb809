// What this process has acknowledged: files keep it for an hour, so that it is known what a database has forgotten that went
// back in time.
import { createWriteStream, readdirSync, rmSync, statSync, type WriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { nowMs } from "./clock.ts";
import type { Log } from "./log.ts";
import { makeFolder } from "./secrets.ts";

/** The application that sent a campaign for an account. */
export type SendingApp = { endpointId: string; connectionId: string; externalAccountId: string };

/** Something that was committed, and that a caller may have been told. */
export type Acknowledged = {
  kind: "campaign" | "code" | "credits" | "change";
  /** By what the database finds it. */
  id: string;
  accountId: string | null;
  /** People of a campaign, or credits. */
  count: number;
  /** The name of a campaign, or the path of a change. */
  name?: string;
  app?: SendingApp;
};

/** The same, with the moment of its commit in milliseconds since 1970. */
export type AcknowledgedLine = Acknowledged & { atMs: number };

const KEPT_MS = 3_600_000;
/** A file is closed after this time, or with this many bytes; the oldest ones are deleted beyond the bytes of all. */
const FILE_MS = 300_000;
const FILE_BYTES = 16 * 1024 ** 2;
/** At 100 bytes each, an hour of 700 a second. */
const BYTES_AT_MOST = 256 * 1024 ** 2;
/** What waits for a disk that does not keep up. */
const WAITING_BYTES_AT_MOST = 8 * 1024 ** 2;
/** So many of the newest are looked for before this process vouches for a database. */
const RECENT_AT_MOST = 100;
const READ_AT_ONCE = 1_000;
type OpenFile = { stream: WriteStream; beganMs: number; bytes: number };
const NAME = /^\d{13,15}-.+\.jsonl$/;

/**
 * The files of one process in the folder `acknowledged` of DATA_DIR. They are written without waiting: a process that is
 * killed has written all but the last moments, and a machine that loses its power may lose the last seconds.
 */
export class AcknowledgedLog {
  readonly #folder: string;
  readonly #name: string;
  readonly #log: Log;
  #file: OpenFile | undefined;
  #recent: Acknowledged[] = [];
  /** How many were acknowledged since the begin, which says which of them are recent. */
  #count = 0;
  readonly #startedMs = nowMs();
  /** Until then some of it may not be in the files. */
  #incompleteUntilMs = 0;
  #hasFailed = false;

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
    try {
      this.#write(
        atMs,
        all.map((one) => `${JSON.stringify({ atMs, ...one } satisfies AcknowledgedLine)}\n`).join(""),
      );
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #write(atMs: number, text: string): void {
    const file = this.#fileAt(atMs);
    if (file.stream.writableLength > WAITING_BYTES_AT_MOST) throw new Error("the disk does not keep up");
    file.bytes += text.length;
    file.stream.write(text);
  }

  /** The newest of what was acknowledged since `forget` was called last. */
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
    const [oldest] = this.#files();
    const beganMs = Math.min(oldest === undefined ? Infinity : beginOf(oldest), this.#startedMs);
    return new Date(Math.max(beganMs, nowMs() - KEPT_MS, this.#incompleteUntilMs));
  }

  /** Reads what the processes of this folder have acknowledged since a moment, in pieces. A line that was torn is left out. */
  async *read(sinceMs: number): AsyncGenerator<AcknowledgedLine[]> {
    await this.#written();
    for (const name of this.#files()) {
      const text = await readFile(join(this.#folder, name), "utf8");
      const kept = text.split("\n").flatMap((line) => keptIn(line) ?? []);
      const wanted = kept.filter(({ atMs }) => atMs >= sinceMs);
      for (let from = 0; from < wanted.length; from += READ_AT_ONCE)
        yield wanted.slice(from, from + READ_AT_ONCE);
    }
  }

  /** Writes what waits. */
  async stop(): Promise<void> {
    await this.#written();
    const file = this.#file;
    this.#file = undefined;
    if (file) await new Promise<void>((resolve) => file.stream.end(() => resolve()));
  }

  /** Resolves when everything so far is written, or could not be. */
  async #written(): Promise<void> {
    const stream = this.#file?.stream;
    if (stream && !stream.destroyed) await new Promise<void>((resolve) => stream.write("", () => resolve()));
  }

  #fileAt(atMs: number): OpenFile {
    const file = this.#file;
    const isOver =
      file && (atMs - file.beganMs > FILE_MS || file.bytes > FILE_BYTES || file.stream.destroyed);
    if (file && !isOver) return file;
    file?.stream.end();
    this.#deleteOld(atMs);
    makeFolder(this.#folder, 0o700);
    const stream = createWriteStream(join(this.#folder, `${atMs}-${this.#name}.jsonl`), {
      flags: "a",
      mode: 0o600,
    });
    stream.on("error", (error) => this.#fail(error));
    this.#file = { stream, beganMs: atMs, bytes: 0 };
    return this.#file;
  }

  #files(): string[] {
    try {
      return readdirSync(this.#folder)
        .filter((name) => NAME.test(name))
        .sort();
    } catch {
      return []; // Nothing was acknowledged yet.
    }
  }

  #deleteOld(atMs: number): void {
    let bytes = 0;
    for (const name of this.#files().reverse()) {
      const path = join(this.#folder, name);
      const endMs = beginOf(name) + FILE_MS;
      bytes += statSync(path).size;
      if (bytes > BYTES_AT_MOST) this.#incompleteUntilMs = Math.max(endMs, this.#incompleteUntilMs);
      if (bytes > BYTES_AT_MOST || atMs - endMs > KEPT_MS) rmSync(path, { force: true });
    }
  }

  #fail(error: Error): void {
    this.#incompleteUntilMs = nowMs();
    if (!this.#hasFailed) this.#log.warn({ err: error }, "what is acknowledged is not kept in DATA_DIR");
    this.#hasFailed = true;
  }
}

/** When a file was begun, which its name says. */
function beginOf(name: string): number {
  return Number(name.split("-", 1)[0]);
}

function keptIn(line: string): AcknowledgedLine | undefined {
  try {
    const kept = JSON.parse(line) as AcknowledgedLine;
    return typeof kept.id === "string" && Number.isFinite(kept.atMs) ? kept : undefined;
  } catch {
    return undefined;
  }
}
