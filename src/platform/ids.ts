// Identifiers: 24 lowercase hex characters, ordered by time of creation.
import { randomFillSync } from "node:crypto";
import { nowMs } from "./clock.ts";

const random = Buffer.alloc(8192);
let used = random.length;

const TIME_DIGITS = 12;

/** Returns when an identifier was created, in milliseconds since 1970. */
export function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, TIME_DIGITS), 16);
}

/**
 * Returns a new identifier: 12 hex characters of milliseconds since 1970, then 12 random ones (48 bits). Ids are
 * ordered by time, so that new rows are adjacent in an index. An id is not a secret.
 */
export function newId(atMs = nowMs()): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  const tail = random.toString("hex", used, used + 6);
  used += 6;
  if (used + 6 > random.length) used = random.length;
  return atMs.toString(16).padStart(TIME_DIGITS, "0") + tail;
}

/** Returns the lowest identifier of a time, in milliseconds since 1970: it bounds the ids of a range of time. */
export function lowestId(atMs: number): string {
  return atMs.toString(16).padStart(TIME_DIGITS, "0") + "0".repeat(TIME_DIGITS);
}
