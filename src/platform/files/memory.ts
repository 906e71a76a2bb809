// What a process knows about its database, in a file for the next process of this folder.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "../secrets/secrets.ts";

/** `place`: the cluster and the database in it. `beat`: the last heartbeat whose commit was acknowledged. */
export type Memory = { place: string; number: number; beat: number };

function fileIn(folder: string): string {
  return join(folder, "incarnation.json");
}

/** Reads what an earlier process knew; undefined: nothing, or the file is invalid. */
export function readMemory(folder: string): Memory | undefined {
  try {
    const { place, number, beat } = JSON.parse(readFileSync(fileIn(folder), "utf8")) as Partial<Memory>;
    const isValid = typeof place === "string" && isWhole(number) && isWhole(beat);
    return isValid ? { place, number, beat } : undefined;
  } catch {
    return undefined;
  }
}

/** Stores what this process knows. Throws if the folder cannot be written. */
export function writeMemory(folder: string, memory: Memory): void {
  writePrivateFile(fileIn(folder), memory);
}

function isWhole(value: number | undefined): value is number {
  return Number.isSafeInteger(value);
}
