// What a process remembers of its database. A file keeps it for the next process of this folder.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "./secrets.ts";

/** `place`: the cluster and the database in it. `beat`: the last one whose commit was acknowledged. */
export type Memory = { place: string; number: number; beat: number };

function fileIn(folder: string): string {
  return join(folder, "incarnation.json");
}

/** Reads what an earlier process remembered; undefined: nothing. A file that says nothing clear is no memory. */
export function readMemory(folder: string): Memory | undefined {
  try {
    const { place, number, beat } = JSON.parse(readFileSync(fileIn(folder), "utf8")) as Partial<Memory>;
    if (typeof place !== "string" || !Number.isSafeInteger(number) || !Number.isSafeInteger(beat))
      return undefined;
    return { place, number: number!, beat: beat! };
  } catch {
    return undefined;
  }
}

/** Keeps what this process remembers. Throws where the folder cannot be written. */
export function writeMemory(folder: string, memory: Memory): void {
  writePrivateFile(fileIn(folder), memory);
}
