// The file format of the submission log.
import { readFile } from "node:fs/promises";
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { LineMoment, LineText, parseLine } from "./keptlines.ts";

/** A process with the role of a gateway. */
const Gateway = Type.Object({ node: LineText, host: LineText });
export type Gateway = Static<typeof Gateway>;

/** The first line of a file: its process, and what is missing in all files of that process. */
const Begin = Type.Object({
  ...Gateway.properties,
  isGateway: Type.Boolean(),
  pid: Type.Integer(),
  /** When the process began, by the kernel's clock: another one may get its number. Empty: not known. */
  start: LineText,
  /** The start of the machine's kernel: files of an earlier start may have lost their ends. Empty: not known. */
  boot: LineText,
  /** When the last line of the file before was written; null: this is the first one. */
  followsMs: Type.Union([LineMoment, Type.Null()]),
  /** Before this time something could not be written. */
  wholeSinceMs: LineMoment,
  /** All files of the folder that ended before this time are deleted. */
  deletedUntilMs: LineMoment,
  /** The content of this file was removed, because something could not be written. */
  isEmptied: Type.Boolean(),
});

/** The other gateways that the process knew, from then on. */
const KnownGateways = Type.Object({ atMs: LineMoment, gateways: Type.Array(Gateway) });
/** Messages of one send: digests of their phones. */
const Submitted = Type.Object({ atMs: LineMoment, sendId: LineText, phones: Type.Array(LineText) });
/** The last line of a process that ended in order. */
const End = Type.Object({ atMs: LineMoment, isEnd: Type.Literal(true) });

export type Begin = Static<typeof Begin>;
export type KnownGateways = Static<typeof KnownGateways>;
export type Submitted = Static<typeof Submitted>;
export type SubmittedLine = Begin | KnownGateways | Submitted | Static<typeof End>;

const [begins, knowns, submitteds, ends] = [
  Compile(Begin),
  Compile(KnownGateways),
  Compile(Submitted),
  Compile(End),
];

/** The content of a file. */
export type SubmittedFile = {
  /** Undefined: even the first line could not be written. */
  begin: Begin | undefined;
  known: KnownGateways[];
  submitted: Submitted[];
  isEnded: boolean;
  /** When the last line was written; undefined: there is none. */
  lastMs: number | undefined;
  /** A line in the middle is invalid: something else wrote here. */
  isSpoiled: boolean;
};

/** Reads a file. A truncated last line is ignored: its messages were not submitted. */
export async function readSubmitted(path: string): Promise<SubmittedFile> {
  const file = noFile();
  const lines = (await readFile(path, "utf8")).split("\n").slice(0, -1);
  for (const [number, text] of lines.entries()) take(file, number, parseLine(text));
  return file;
}

/** Returns the content of an unreadable file. */
export function noFile(): SubmittedFile {
  const nothing = { begin: undefined, lastMs: undefined, isEnded: false, isSpoiled: false };
  return { ...nothing, known: [], submitted: [] };
}

function take(file: SubmittedFile, number: number, line: unknown): void {
  if (number === 0 && begins.Check(line)) {
    file.begin = line;
    return;
  }
  if (submitteds.Check(line)) file.submitted.push(line);
  else if (knowns.Check(line)) file.known.push(line);
  else if (ends.Check(line)) file.isEnded = true;
  else {
    file.isSpoiled = true;
    return;
  }
  file.lastMs = line.atMs;
}
