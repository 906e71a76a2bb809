// The simulator's own log, one JSON object per line: every message is in the file before its answer is sent.
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import type { SubmitSm } from "../../protocol/smpp/pdu.ts";
import type { ReceiptState } from "../../protocol/smpp/receipts.ts";
import { splitText } from "../../protocol/sms/segments.ts";
import { addressOf } from "../../protocol/sms/sendernames.ts";

/** One accepted message: one segment (a submit_sm) over SMPP, a whole text over HTTP. */
export interface Accepted {
  type: "accepted";
  /** The message id, as answered. */
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  /** The system_id, or the client of the HTTP interface, that submitted it and gets its receipt. */
  system: string;
  from: string;
  to: string;
  /** Type of number and numbering plan of `from`, then of `to`. */
  ton: [number, number, number, number];
  esm: number;
  dcs: number;
  /** The user data with its header, in hexadecimal. */
  hex: string;
  /** The file has it sealed with a key that no longer exists, so `hex` is empty. */
  isLost?: true;
  /** sar_msg_ref_num, sar_total_segments, sar_segment_seqnum. */
  sar?: [number, number, number];
  /** user_message_reference, to be returned in the receipt. */
  ref?: number;
  /** The receipt that is owed for it. */
  receipt?: ReceiptState;
  error?: string;
  /** What only messages over HTTP have. */
  http?: HttpFacts;
}

/** What an HTTP carrier adds to a message that it accepted. */
export interface HttpFacts {
  /** The client's own id of the message, if it gave one. */
  clientId?: string;
  /** Parts into which the carrier cuts the text. */
  parts: number;
  /** The same client id, sender, receiver and text was accepted before. */
  isDuplicate?: true;
  /** Accepted, but no handset gets it and no receipt is sent. */
  isSwallowed?: true;
  /** Where its receipts go, if the request or a subscription names a URL. */
  receiptUrl?: string;
}

/** The ESME has acknowledged the receipt of message `id`. */
interface Acknowledged {
  type: "acknowledged";
  id: string;
  at: number;
}

export type JournalEntry = Accepted | Acknowledged;

/** Seals user data, in hexadecimal, for the file; `unseal` returns undefined if it can no longer open it. */
export interface TextSeal {
  seal(id: string, hex: string): string;
  unseal(id: string, sealed: string): string | undefined;
}

/** An accepted message as a sealed file stores it. */
type Written = Omit<Accepted, "hex"> & { hex?: string; sealed?: string };

/** Returns the log entry of a submit_sm, to which the caller adds `receipt` and `error`. */
export function acceptedEntry(pdu: SubmitSm, id: string, system: string): Accepted {
  const { tlvs } = pdu;
  const data = pdu.shortMessage.length > 0 ? pdu.shortMessage : (tlvs?.messagePayload ?? pdu.shortMessage);
  const entry: Accepted = {
    type: "accepted",
    id,
    at: Date.now(),
    system,
    from: pdu.sourceAddr,
    to: pdu.destinationAddr,
    ton: [pdu.sourceAddrTon, pdu.sourceAddrNpi, pdu.destAddrTon, pdu.destAddrNpi],
    esm: pdu.esmClass,
    dcs: pdu.dataCoding,
    hex: data.toString("hex"),
  };
  if (
    tlvs?.sarMsgRefNum !== undefined &&
    tlvs.sarTotalSegments !== undefined &&
    tlvs.sarSegmentSeqnum !== undefined
  ) {
    entry.sar = [tlvs.sarMsgRefNum, tlvs.sarTotalSegments, tlvs.sarSegmentSeqnum];
  }
  if (tlvs?.userMessageReference !== undefined) entry.ref = tlvs.userMessageReference;
  return entry;
}

/**
 * Returns the log entry of a text that came whole, over HTTP; `from` and `to` as a handset shows them, without `+`. The
 * text is written as SMPP would carry it (GSM-7, otherwise UCS-2), so that every reader of the log reads both.
 */
export function acceptedText(
  message: { id: string; system: string; from: string; to: string; text: string },
  facts: Omit<HttpFacts, "parts">,
): Accepted {
  const { id, system, from, to, text } = message;
  const { encoding, parts } = splitText(text);
  return {
    type: "accepted",
    id,
    at: Date.now(),
    system,
    from: addressOf(from),
    to,
    // Alphanumeric or national, then international in the ISDN plan: SMPP 3.4, sections 5.2.5 and 5.2.6.
    ton: [/^\d+$/.test(from) ? 3 : 5, 0, 1, 1],
    esm: 0,
    dcs: encoding === "GSM-7" ? 0 : 8,
    hex: Buffer.concat(parts).toString("hex"),
    http: { ...facts, parts: parts.length },
  };
}

/** Messages with their receipts take some 400 bytes: this is more of them than an inbox lists, 100,000. */
export const LOG_BYTES = 64 * 1024 * 1024;

/** The suffix of a full log. It replaces the full log before it. */
const BEFORE = ".1";

/**
 * Group commit: one system call at the end of each event-loop turn writes the entries appended in it, and their shared
 * promise resolves. The bytes are then with the operating system: a kill -9 loses nothing that was answered (a power
 * cut may). A full log is renamed to `<file>.1` and replaces the one there, so at most twice the limit is kept.
 */
export class Journal {
  readonly #file: string | undefined;
  readonly #bytesAtMost: number;
  readonly #texts: TextSeal | undefined;
  #fd: number | undefined;
  #size = 0;
  #lines: string[] = [];
  #commit: PromiseWithResolvers<void> | undefined;
  #closed = false;

  /**
   * Without a file, entries only count as written at the end of the event-loop turn. With `texts`, no plain text is in
   * the file: texts that an earlier version left there are sealed now.
   */
  constructor(file?: string, bytesAtMost = LOG_BYTES, texts?: TextSeal) {
    this.#file = file;
    this.#bytesAtMost = bytesAtMost;
    this.#texts = texts;
    if (file !== undefined && texts) for (const one of [file + BEFORE, file]) sealFile(one, texts);
    this.#fd = file === undefined ? undefined : openJournalFile(file);
  }

  /**
   * Passes every stored entry to `onEntry`, oldest first, and removes a torn last line: a process that was killed while
   * writing had not answered it.
   */
  replay(onEntry: (entry: JournalEntry) => void): void {
    if (this.#fd === undefined) return;
    const before = this.#file + BEFORE;
    if (existsSync(before)) {
      const fd = openSync(before, "r");
      readEntries(fd, (entry) => onEntry(readable(entry, this.#texts)));
      closeSync(fd);
    }
    const torn = readEntries(this.#fd, (entry) => onEntry(readable(entry, this.#texts)));
    this.#size = fstatSync(this.#fd).size - torn;
    ftruncateSync(this.#fd, this.#size);
  }

  /** Resolves when the entry is in the file; rejects if it could not be written. */
  append(entry: JournalEntry): Promise<void> {
    if (this.#closed) return Promise.reject(new Error("the log is closed"));
    if (this.#fd !== undefined) this.#lines.push(lineOf(entry, this.#texts));
    if (this.#commit === undefined) {
      this.#commit = Promise.withResolvers();
      setImmediate(() => this.#write());
    }
    return this.#commit.promise;
  }

  close(): void {
    this.#write();
    this.#closed = true;
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #write(): void {
    const commit = this.#commit;
    if (commit === undefined) return;
    this.#commit = undefined;
    const lines = this.#lines;
    this.#lines = [];
    try {
      if (this.#fd !== undefined && lines.length > 0)
        this.#writeAll(this.#roomy(this.#fd), `${lines.join("\n")}\n`);
      commit.resolve();
    } catch (error) {
      commit.reject(error);
    }
  }

  /** Returns the log, after starting a new one if it is full. */
  #roomy(fd: number): number {
    if (this.#file === undefined || this.#size < this.#bytesAtMost) return fd;
    renameSync(this.#file, this.#file + BEFORE);
    this.#fd = openJournalFile(this.#file);
    this.#size = 0;
    closeSync(fd);
    return this.#fd;
  }

  #writeAll(fd: number, text: string): void {
    const bytes = Buffer.from(text);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      this.#size += bytes.length;
    } catch (error) {
      // The disk is full. None of this write's entries count, so a half-written line is removed before the next one.
      ftruncateSync(fd, this.#size);
      throw error;
    }
  }
}

/** Returns the line of an entry, with its text sealed if `texts` is given. */
function lineOf(entry: JournalEntry | Written, texts: TextSeal | undefined): string {
  if (!texts || entry.type !== "accepted" || entry.hex === undefined) return JSON.stringify(entry);
  const { hex, ...rest } = entry;
  return JSON.stringify({ ...rest, sealed: texts.seal(entry.id, hex) });
}

function readable(entry: Written | Acknowledged, texts: TextSeal | undefined): JournalEntry {
  if (entry.type === "acknowledged") return entry;
  const { sealed, ...rest } = entry;
  const hex = sealed === undefined ? rest.hex : texts?.unseal(entry.id, sealed);
  return hex === undefined ? { ...rest, hex: "", isLost: true } : { ...rest, hex };
}

/** Seals the plain texts in a file. A file without any is left unchanged. */
function sealFile(file: string, texts: TextSeal): void {
  if (!existsSync(file)) return;
  const from = openSync(file, "r");
  let isPlain = false;
  readEntries(from, (entry) => {
    isPlain ||= entry.type === "accepted" && entry.hex !== undefined;
  });
  if (isPlain) {
    const sealed = `${file}.sealed`;
    const to = openSync(sealed, "w", 0o600);
    readEntries(from, (entry) => writeFileSync(to, `${lineOf(entry, texts)}\n`));
    closeSync(to);
    renameSync(sealed, file);
  }
  closeSync(from);
}

function openJournalFile(file: string): number {
  return openSync(file, "a+", 0o600);
}

/** Passes on the entries of a file; returns the number of bytes of its torn last line. */
function readEntries(fd: number, onEntry: (entry: Written | Acknowledged) => void): number {
  const chunk = Buffer.allocUnsafe(1 << 20);
  let rest = Buffer.alloc(0);
  for (let at = 0; ; ) {
    const bytes = readSync(fd, chunk, 0, chunk.length, at);
    if (bytes === 0) return rest.length;
    at += bytes;
    const text = Buffer.concat([rest, chunk.subarray(0, bytes)]);
    const end = text.lastIndexOf(0x0a) + 1;
    for (const line of text.toString("utf8", 0, end).split("\n")) if (line !== "") onEntry(JSON.parse(line));
    rest = text.subarray(end);
  }
}
