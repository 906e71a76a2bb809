// The lines in which a process keeps what it has submitted to operators.
import { readFile } from "node:fs/promises";
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { LineMoment, LineText, parseLine } from "./keptlines.ts";

/** A process with the role of a gateway. */
const Gateway = Type.Object({ node: LineText, host: LineText });
export type Gateway = Static<typeof Gateway>;

/** The first line of a file: whose it is, and what is in no file of that process. */
const Begin = Type.Object({
  ...Gateway.properties,
  isGateway: Type.Boolean(),
  pid: Type.Integer(),
  /** When the process began, by the kernel's clock: another one may get its number. Empty: not known. */
  start: LineText,
  /** The start of the machine's kernel: what was written before another one may have lost its end. Empty: not known. */
  boot: LineText,
  /** When the last line of the file before was written; null: this is the first one. */
  followsMs: Type.Union([LineMoment, Type.Null()]),
  /** Before this moment something could not be written. */
  wholeSinceMs: LineMoment,
  /** All files of the folder are gone that ended before this moment. */
  deletedUntilMs: LineMoment,
  /** What stood here is gone, because something could not be written. */
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

/** What a file says. */
export type SubmittedFile = {
  /** Undefined: there is none, since not even that could be written. */
  begin: Begin | undefined;
  known: KnownGateways[];
  submitted: Submitted[];
  isEnded: boolean;
  /** When the last line was written; undefined: there is none. */
  lastMs: number | undefined;
  /** A line in its midst is none of these: something else wrote here. */
  isSpoiled: boolean;
};

/** Reads a file. A last line that is torn says nothing: what it would have named was not submitted. */
export async function readSubmitted(path: string): Promise<SubmittedFile> {
  const file = noFile();
  const lines = (await readFile(path, "utf8")).split("\n").slice(0, -1);
  for (const [number, text] of lines.entries()) take(file, number, parseLine(text));
  return file;
}

/** What a file says that cannot be read. */
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
