// The submission log: files that keep for an hour what this process has submitted to operators, to know what was surely
// not sent if a database went back in time.
import { close, closeSync, fsync, fsyncSync, ftruncateSync, openSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pid } from "node:process";
import { nowMs } from "../clock.ts";
import { BOOT, isRunning, startOf } from "../embedded/processes.ts";
import type { Log } from "../log.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { type KeptFile, KeptFiles } from "./keptfiles.ts";
import { keptText } from "./keptlines.ts";
import {
  type Begin,
  type Gateway,
  type KnownGateways,
  noFile,
  readSubmitted,
  type Submitted,
  type SubmittedFile,
  type SubmittedLine,
} from "./submittedlines.ts";

// A file is parsed at once, which takes 10 ms for each 1 MB (2 cores, 2026-11-27).
const FILE_BYTES = 4 * 1024 ** 2;
/** The size of an hour of 3,000 a second. */
const BYTES_AT_MOST = 512 * 1024 ** 2;
const NOT_KEPT = "what is submitted is not kept in DATA_DIR";
/** After a failure nothing is tried for this long. */
const PAUSE_MS = 30_000;
/** 48 bits: of a million messages of a send, one in 280 million others looks like one of them. */
const DIGEST_CHARACTERS = 8;
const START = startOf(pid);

export type SubmittedMessage = { sendId: string; phone: string };
export type SubmittedLogOptions = {
  dataDir: string;
  node: string;
  host: string;
  isGateway: boolean;
  secrets: Secrets;
  log: Log;
};
type OpenFile = KeptFile & { fd: number };

/** The content of one file: submitted messages, and the other gateways that its process knew. */
type SubmittedPiece = { submitted: Submitted[]; known: Gateway[] };

/** The process of some files, and how complete they are. */
export type Reporter = Gateway & {
  isGateway: boolean;
  /** The files are complete since this time. Infinity: anything may be missing. */
  wholeSinceMs: number;
};
type ReadReporter = Reporter &
  Pick<SubmittedFile, "begin" | "isEnded" | "lastMs"> & { knownBefore: KnownGateways | undefined };

/**
 * The files of the processes of one DATA_DIR, in its folder `submitted`. A message is in them before it is on the wire,
 * even if the process is killed right then. A power cut may lose the ends of files, which is detected.
 */
export class SubmittedLog {
  readonly #options: SubmittedLogOptions;
  readonly #files: KeptFiles;
  #file: OpenFile | undefined;
  #lastMs: number | undefined;
  /** The other gateways; undefined: none is known yet. */
  #gateways: readonly Gateway[] | undefined;
  #wholeSinceMs = 0;
  #deletedUntilMs = 0;
  /** Until then no other file is started, and nothing is written if there is none. */
  #pausedUntilMs = 0;

  constructor(options: SubmittedLogOptions) {
    this.#options = options;
    const { dataDir, node } = options;
    const folder = join(dataDir, "submitted");
    this.#files = new KeptFiles({ folder, node, bytesOfFile: FILE_BYTES, bytesAtMost: BYTES_AT_MOST });
  }

  /** Records messages that are submitted next. It does not throw: a full disk delays no message. */
  add(messages: readonly SubmittedMessage[]): void {
    if (messages.length === 0) return;
    const atMs = Math.round(nowMs());
    const bySend = Map.groupBy(messages, ({ sendId }) => sendId);
    const lines = [...bySend].map(([sendId, some]) => ({
      atMs,
      sendId,
      phones: some.map((message) => submittedDigest(this.#options.secrets, message)),
    }));
    this.#write(lines, atMs);
  }

  /** Records the other gateways. */
  knows(all: readonly Gateway[]): void {
    const gateways = all.filter(({ node }) => node !== this.#options.node);
    if (JSON.stringify(gateways) === JSON.stringify(this.#gateways)) return;
    this.#gateways = gateways;
    this.mark();
  }

  /** Records that this process is live, so that it has a file even if it has submitted nothing for long. */
  mark(): void {
    const atMs = Math.round(nowMs());
    this.#write([this.#known(atMs)], atMs);
  }

  /** Records that nothing more is submitted, and waits for the disk. */
  stop(): void {
    if (!this.#file) return;
    const atMs = Math.round(nowMs());
    this.#write([{ atMs, isEnd: true }], atMs);
    const fd = this.#file?.fd;
    this.#file = undefined;
    if (fd === undefined) return;
    fsyncSync(fd);
    closeSync(fd);
  }

  /**
   * Reads what the processes of this folder have submitted since a time, file by file, and which gateways they knew
   * then. Returns how complete the files of each process are, except processes that still run and report themselves.
   */
  async read(sinceMs: number, take: (piece: SubmittedPiece) => Promise<void>): Promise<Reporter[]> {
    const reporters = new Map<string, ReadReporter>();
    for (const path of this.#wanted(sinceMs)) {
      const file = await this.#read(path);
      if (!file) continue;
      const name = nameOf(path);
      const before = reporters.get(name);
      const isKnownThen = ({ atMs }: KnownGateways) => atMs >= sinceMs;
      const knownBefore = file.known.findLast((known) => !isKnownThen(known)) ?? before?.knownBefore;
      reporters.set(name, { ...this.#reporterOf(name, file, before), knownBefore });
      const known = file.known.filter(isKnownThen).flatMap(({ gateways }) => gateways);
      await take({ known, submitted: file.submitted.filter(({ atMs }) => atMs >= sinceMs) });
    }
    // The gateways that were last known before that time were still known then.
    const all = [...reporters.values()];
    await take({ known: all.flatMap(({ knownBefore }) => knownBefore?.gateways ?? []), submitted: [] });
    // A process whose files are all deleted appears in none, so the folder says nothing about the time before.
    const deletedUntilMs = Math.max(0, ...all.map(({ begin }) => begin?.deletedUntilMs ?? 0));
    return all.flatMap((reporter) => this.#reportOf(reporter, deletedUntilMs));
  }

  /** Returns the files that may concern the time since `sinceMs`: of each process, from the last one before it. */
  #wanted(sinceMs: number): string[] {
    const files = this.#files.all();
    const firsts = new Map<string, number>();
    for (const { path, beganMs } of files) if (beganMs < sinceMs) firsts.set(nameOf(path), beganMs);
    return files
      .filter(({ path, beganMs }) => beganMs >= (firsts.get(nameOf(path)) ?? 0))
      .map(({ path }) => path);
  }

  #reporterOf(
    name: string,
    { begin, isEnded, isSpoiled, lastMs }: SubmittedFile,
    before: ReadReporter | undefined,
  ): Omit<ReadReporter, "knownBefore"> {
    const { node, host, isGateway } = begin ??
      before ?? { node: name, host: this.#options.host, isGateway: true };
    const whose = { node, host, isGateway, begin, isEnded, lastMs };
    if (!begin || begin.isEmptied || isSpoiled) return { ...whose, wholeSinceMs: Number.POSITIVE_INFINITY };
    // If the file before is missing or incomplete, everything before this one is ignored.
    const { wholeSinceMs = Number.POSITIVE_INFINITY, lastMs: endedMs } = before ?? {};
    const goesOn = wholeSinceMs < Number.POSITIVE_INFINITY && begin.followsMs === endedMs;
    const sinceMs = goesOn ? wholeSinceMs : (begin.followsMs ?? 0);
    return { ...whose, wholeSinceMs: Math.max(begin.wholeSinceMs, sinceMs) };
  }

  /** Returns nothing for a running process: it may still submit messages before it learns that sending is held. */
  #reportOf(
    { begin, isEnded, node, host, isGateway, ...reporter }: ReadReporter,
    deletedUntilMs: number,
  ): Reporter[] {
    const isOver = node === this.#options.node || isEnded || !begin;
    const isThisBoot = begin?.boot === BOOT && BOOT !== "";
    if (!isOver && isThisBoot && begin.pid !== pid && isRunning(begin.pid, begin.start)) return [];
    // A power cut may have lost the end.
    const isSure = isOver || isThisBoot;
    const wholeSinceMs = isSure ? Math.max(reporter.wholeSinceMs, deletedUntilMs) : Number.POSITIVE_INFINITY;
    return [{ node, host, isGateway, wholeSinceMs }];
  }

  /** Undefined: it was deleted meanwhile, because it is too old. */
  async #read(path: string): Promise<SubmittedFile | undefined> {
    try {
      return await readSubmitted(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      this.#options.log.warn({ err: error }, "a file of what was submitted cannot be read");
      return noFile();
    }
  }

  #write(lines: readonly SubmittedLine[], atMs: number): void {
    try {
      const file = this.#fileAt(atMs);
      if (!file) return;
      const text = keptText(lines);
      writeFileSync(file.fd, text);
      file.bytes += text.length;
      this.#lastMs = atMs;
    } catch (error) {
      this.#fail(error as Error, atMs);
    }
  }

  /** Returns the file of this process for the next line. Undefined: there is none, and none is tried yet. */
  #fileAt(atMs: number): OpenFile | undefined {
    const file = this.#file;
    const isPaused = atMs < this.#pausedUntilMs;
    if (isPaused || (file && this.#files.takesMore(file, atMs))) return file;
    if (!file && this.#pausedUntilMs > 0) this.#wholeSinceMs = atMs;
    this.#deletedUntilMs = Math.max(this.#files.deleteOld(this.#lastMs), this.#deletedUntilMs);
    try {
      this.#file = this.#begin(atMs);
    } catch (error) {
      if (!file) throw error;
      // The file before takes more: its descriptor is open, and its content is not lost.
      this.#options.log.warn({ err: error }, "no further file of what is submitted can be made in DATA_DIR");
      this.#pausedUntilMs = atMs + PAUSE_MS;
      return file;
    }
    this.#pausedUntilMs = 0;
    if (file) this.#close(file);
    return this.#file;
  }

  /** Creates a file with its first lines. */
  #begin(atMs: number): OpenFile {
    const path = this.#files.newPath(atMs);
    const fd = openSync(path, "a", 0o600);
    try {
      writeFileSync(fd, keptText([this.#beginLine(false), this.#known(atMs)]));
    } catch (error) {
      closeSync(fd);
      rmSync(path, { force: true });
      throw error;
    }
    return { path, fd, beganMs: atMs, bytes: 0 };
  }

  #beginLine(isEmptied: boolean): Begin {
    const { node, host, isGateway } = this.#options;
    return {
      ...{ node, host, isGateway, pid, start: START, boot: BOOT, isEmptied },
      followsMs: this.#lastMs ?? null,
      wholeSinceMs: this.#wholeSinceMs,
      deletedUntilMs: this.#deletedUntilMs,
    };
  }

  #known(atMs: number): KnownGateways {
    return { atMs, gateways: [...(this.#gateways ?? [])] };
  }

  /** Closes a file once it is on the disk, without waiting for that. */
  #close({ fd }: OpenFile): void {
    fsync(fd, (failure) => {
      if (failure) this.#options.log.warn({ err: failure }, NOT_KEPT);
      close(fd);
    });
  }

  /** Empties the file, which works on a full disk too: readers then know that something is missing. */
  #fail(error: Error, atMs: number): void {
    const { log } = this.#options;
    log.warn({ err: error }, NOT_KEPT);
    this.#pausedUntilMs = atMs + PAUSE_MS;
    const file = this.#file;
    this.#file = undefined;
    if (!file) return;
    try {
      ftruncateSync(file.fd);
      writeFileSync(file.fd, keptText([this.#beginLine(true)]));
    } catch (failure) {
      log.warn({ err: failure }, NOT_KEPT);
    } finally {
      closeSync(file.fd);
    }
  }
}

/** Returns the digest by which a submitted message is found: files contain no phone. */
export function submittedDigest(secrets: Secrets, { sendId, phone }: SubmittedMessage): string {
  return secrets.digest("submitted", `${sendId} ${phone}`).slice(0, DIGEST_CHARACTERS);
}

/** Returns the process in the name of a file, which an emptied file still has. */
function nameOf(path: string): string {
  return basename(path, ".jsonl").replace(/^\d+-/, "");
}
