// The lines of the files in DATA_DIR: one JSON object each.
import { Type } from "typebox";

/** A text in a line. PostgreSQL allows no NUL in it. */
export const LineText = Type.String({ maxLength: 1_000, pattern: "^[^\\u0000]*$" });
/** A time that a Date can have, in milliseconds since 1970. */
export const LineMoment = Type.Integer({ minimum: 0, maximum: 8.64e15 });

export function keptText(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Parses a line; undefined: it is truncated, or was written by something else. */
export function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
