// The file format of the acknowledgment log.
import { readFile } from "node:fs/promises";
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { keptText, LineMoment, LineText, parseLine } from "./keptlines.ts";

/** A campaign or a send of an application, a one-time password, a ledger entry, or an audit log entry. */
export const ACKNOWLEDGED_KINDS = ["campaign", "code", "credits", "change"] as const;

/** The application that sent a campaign for an account. */
const SendingApp = Type.Object({ endpointId: LineText, connectionId: LineText, externalAccountId: LineText });
export type SendingApp = Static<typeof SendingApp>;

const AcknowledgedLine = Type.Object({
  kind: Type.Enum([...ACKNOWLEDGED_KINDS]),
  /** The id in the database. */
  id: LineText,
  accountId: Type.Union([LineText, Type.Null()]),
  /** The recipients of a campaign, or the credits. */
  count: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  /** The name of a campaign, or the path of a change. */
  name: Type.Optional(LineText),
  app: Type.Optional(SendingApp),
  /** The time of its commit, in milliseconds since 1970. */
  atMs: LineMoment,
});
export type AcknowledgedLine = Static<typeof AcknowledgedLine>;

/** Something that was committed, and that may have been acknowledged to a caller. */
export type Acknowledged = Omit<AcknowledgedLine, "atMs">;

const lines = Compile(AcknowledgedLine);

export function acknowledgedText(all: readonly Acknowledged[], atMs: number): string {
  return keptText(all.map((one) => ({ atMs, ...one }) satisfies AcknowledgedLine));
}

/** Reads the lines of a file. Invalid lines, such as truncated ones, are skipped. */
export async function readAcknowledged(path: string): Promise<AcknowledgedLine[]> {
  const all = (await readFile(path, "utf8")).split("\n").map(parseLine);
  return all.filter((line) => lines.Check(line));
}
