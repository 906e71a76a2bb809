// What this process has submitted to operators: files keep it for an hour, so that it is known what was surely not sent when
// a database went back in time.
import {
  close,
  closeSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { pid } from "node:process";
import { nowMs } from "./clock.ts";
import { type KeptFile, KeptFiles } from "./keptfiles.ts";
import type { Log } from "./log.ts";
import type { Secrets } from "./secrets.ts";
import {
  type Begin,
  type Gateway,
  type KnownGateways,
  readSubmitted,
  type Submitted,
  type SubmittedFile,
  type SubmittedLine,
  submittedText,
} from "./submittedlines.ts";

export type { Gateway } from "./submittedlines.ts";

/** An hour of 3,000 a second takes so much. */
const BYTES_AT_MOST = 512 * 1024 ** 2;
const NOT_KEPT = "what is submitted is not kept in DATA_DIR";
/** After a failure nothing is tried for so long. */
const PAUSE_MS = 30_000;
/** 48 bits: of a million messages of a send, one in 280 million others looks like one of them. */
const DIGEST_CHARACTERS = 8;

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

/** What one file says: messages that were submitted, and other gateways that its process knew. */
type SubmittedPiece = { submitted: Submitted[]; known: Gateway[] };

/** What the files of a process say of it. */
export type Reporter = Gateway & {
  isGateway: boolean;
  /** The files have everything since this moment. Infinity: they may lack some of it at any time. */
  wholeSinceMs: number;
};
type ReadReporter = Reporter & {
  begin: Begin | undefined;
  isEnded: boolean;
  knownBefore: KnownGateways | undefined;
};

/**
 * The files of the processes of one DATA_DIR, in its folder `submitted`. A message is in them before it is on the wire, even
 * if the process is killed right then. A machine that loses its power may lose their ends, which is noticed.
 */
export class SubmittedLog {
  readonly #options: SubmittedLogOptions;
  readonly #files: KeptFiles;
  #file: OpenFile | undefined;
  /** The file that was written last, also after it was closed. */
  #lastPath: string | undefined;
  #lastMs: number | undefined;
  /** The other gateways; undefined: none was heard of yet. */
  #gateways: readonly Gateway[] | undefined;
  #wholeSinceMs = 0;
  #pausedUntilMs = 0;

  constructor(options: SubmittedLogOptions) {
    this.#options = options;
    const { dataDir, node } = options;
    this.#files = new KeptFiles({ folder: join(dataDir, "submitted"), node, bytesAtMost: BYTES_AT_MOST });
  }

  /** Keeps messages that are submitted next. It does not throw: a disk that is full holds no message up. */
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

  /** Keeps which other gateways there are. */
  knows(all: readonly Gateway[]): void {
    const gateways = all.filter(({ node }) => node !== this.#options.node);
    if (JSON.stringify(gateways) === JSON.stringify(this.#gateways)) return;
    this.#gateways = gateways;
    this.mark();
  }

  /** Writes that this process is there, so that it has a file even if it has submitted nothing for long. */
  mark(): void {
    const atMs = Math.round(nowMs());
    this.#write([{ atMs, gateways: [...(this.#gateways ?? [])] }], atMs);
  }

  /** Says that nothing more is submitted, and waits for the disk. */
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
   * Reads what the processes of this folder have submitted since a moment, file by file, and which gateways they knew then.
   * Returns what the files are worth, by process: without those that still live and report themselves.
   */
  async read(sinceMs: number, take: (piece: SubmittedPiece) => Promise<void>): Promise<Reporter[]> {
    const reporters = new Map<string, ReadReporter>();
    for (const { path } of this.#files.all()) {
      const file = await this.#read(path);
      const name = nameOf(path);
      const before = reporters.get(name);
      const isKnownThen = ({ atMs }: KnownGateways) => atMs >= sinceMs;
      const knownBefore = file.known.findLast((known) => !isKnownThen(known)) ?? before?.knownBefore;
      reporters.set(name, { ...this.#reporterOf(name, file, before), knownBefore });
      const known = file.known.filter(isKnownThen).flatMap(({ gateways }) => gateways);
      await take({ known, submitted: file.submitted.filter(({ atMs }) => atMs >= sinceMs) });
    }
    // What was known last before that moment held then.
    const known = [...reporters.values()].flatMap(({ knownBefore }) => knownBefore?.gateways ?? []);
    await take({ known, submitted: [] });
    return [...reporters.values()].flatMap((reporter) => this.#reportOf(reporter));
  }

  #reporterOf(
    name: string,
    { begin, isEnded, isSpoiled }: SubmittedFile,
    before: Reporter | undefined,
  ): Omit<ReadReporter, "knownBefore"> {
    const { node, host, isGateway } = begin ??
      before ?? { node: name, host: this.#options.host, isGateway: true };
    const whose = { node, host, isGateway, begin, isEnded };
    if (!begin || isSpoiled) return { ...whose, wholeSinceMs: Number.POSITIVE_INFINITY };
    // After a file that lacks something, what came before the next one does not count.
    const isFirst = before === undefined || before.wholeSinceMs === Number.POSITIVE_INFINITY;
    const wholeSinceMs = Math.max(begin.wholeSinceMs, isFirst ? (begin.followsMs ?? 0) : before.wholeSinceMs);
    return { ...whose, wholeSinceMs };
  }

  /** Nothing for a process that lives: it may still submit something before it hears that sending is held. */
  #reportOf({ begin, isEnded, knownBefore: _, ...reporter }: ReadReporter): Reporter[] {
    if (reporter.node === this.#options.node || isEnded || !begin) return [reporter];
    if (begin.boot !== BOOT || BOOT === "") return [{ ...reporter, wholeSinceMs: Number.POSITIVE_INFINITY }];
    return begin.pid !== pid && isAlive(begin.pid) ? [] : [reporter];
  }

  async #read(path: string): Promise<SubmittedFile> {
    try {
      return await readSubmitted(path);
    } catch (error) {
      this.#options.log.warn({ err: error }, "a file of what was submitted cannot be read");
      return { begin: undefined, known: [], submitted: [], isEnded: false, isSpoiled: true };
    }
  }

  #write(lines: readonly SubmittedLine[], atMs: number): void {
    if (atMs < this.#pausedUntilMs) return;
    try {
      const file = this.#fileAt(atMs);
      const text = submittedText(lines);
      writeFileSync(file.fd, text);
      file.bytes += text.length;
      this.#lastMs = atMs;
    } catch (error) {
      this.#fail(error as Error, atMs);
    }
  }

  #fileAt(atMs: number): OpenFile {
    const file = this.#file;
    if (file && this.#files.takesMore(file, atMs)) return file;
    this.#close();
    this.#files.deleteOld(this.#lastMs);
    if (this.#pausedUntilMs > 0) this.#wholeSinceMs = atMs;
    this.#pausedUntilMs = 0;
    const path = this.#files.newPath(atMs);
    const opened = { path, fd: openSync(path, "a", 0o600), beganMs: atMs, bytes: 0 };
    this.#file = opened;
    this.#lastPath = path;
    writeFileSync(opened.fd, submittedText([this.#begin(), { atMs, gateways: [...(this.#gateways ?? [])] }]));
    return opened;
  }

  #begin(): Begin {
    const { node, host, isGateway } = this.#options;
    const [followsMs, wholeSinceMs] = [this.#lastMs ?? null, this.#wholeSinceMs];
    return { node, host, isGateway, pid, boot: BOOT, followsMs, wholeSinceMs };
  }

  /** Closes the file, once it is on the disk. Nothing waits for that. */
  #close(): void {
    const fd = this.#file?.fd;
    this.#file = undefined;
    if (fd === undefined) return;
    fsync(fd, (failure) => {
      if (failure) this.#options.log.warn({ err: failure }, NOT_KEPT);
      close(fd);
    });
  }

  /** Empties the last file, which no full disk prevents: who reads it knows that something is lacking. */
  #fail(error: Error, atMs: number): void {
    const { log } = this.#options;
    log.warn({ err: error }, NOT_KEPT);
    this.#pausedUntilMs = atMs + PAUSE_MS;
    const file = this.#file;
    this.#file = undefined;
    try {
      if (file) {
        ftruncateSync(file.fd);
        closeSync(file.fd);
      } else if (this.#lastPath) truncateSync(this.#lastPath);
    } catch (failure) {
      log.error({ err: failure }, `${NOT_KEPT}, and its files do not say so`);
    }
  }
}

/** By what a message is found that was submitted: no phone is in a file. */
export function submittedDigest(secrets: Secrets, { sendId, phone }: SubmittedMessage): string {
  return secrets.digest("submitted", `${sendId} ${phone}`).slice(0, DIGEST_CHARACTERS);
}

const BOOT = readBoot();

/** The id of the kernel's start, which Linux has; else an empty text. */
function readBoot(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

function isAlive(other: number): boolean {
  try {
    process.kill(other, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The process in the name of a file, which an emptied file still has. */
function nameOf(path: string): string {
  return basename(path, ".jsonl").replace(/^\d+-/, "");
}
