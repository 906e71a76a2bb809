// The memory that this process may use, of the machine or its container, and the sizes derived from it.
import { totalmem } from "node:os";

const MB = 1_000_000;
const MIB = 2 ** 20;

/**
 * With less memory in the machine or its container, the kernel kills a process during a large campaign
 * (docs/operations.md, Sizes).
 */
const NEEDED_MB = {
  // With 768 MB the service, its embedded database and the simulated operator delivered 200,000 messages and took 598
  // MB at most; with 640 MB a process was killed at 300,000 (`npm run bench:memory`, 2 cores, 2026-11-27).
  withDatabase: 768,
  // The largest, an api that accepts campaigns, has taken 381 MB (`npm run bench:sizes`, 2 cores, 2026-11-27).
  alone: 400,
};

// An eighth of the memory is PostgreSQL's cache. With 512 MB of memory and a cache of 256 MiB the kernel killed the
// service at 100,000 messages, with 64 MiB it did not (2026-11-27). With 1 GiB, creating 100 known contacts among a
// million takes 1.3 to 1.6 times what it does among a thousand, with 256 MiB 1.8 (2 cores, 2026-11-22).
const CACHE_SHARE = 8;
const CACHE_MIB = { least: 64, most: 1_024 };

// The inbox of simulated handsets takes an eighth of the memory at most: up to twice the messages that must be kept.
const INBOX_SHARE = 8;
const INBOX_BYTES_A_MESSAGE = 2 * 600;

// Below this size PostgreSQL's processes return memory to the system after each large statement. glibc otherwise keeps
// up to 64 MiB in each. With 640 MB of memory and 200,000 messages the kernel killed a process in two runs of two
// without it, and in none of two with it, of which one was not finished (2026-11-27).
const SMALL_MIB = 2_048;
const GIVE_BACK = { MALLOC_TRIM_THRESHOLD_: "131072", MALLOC_MMAP_THRESHOLD_: "131072" };

/** In bytes. */
export function systemMemoryBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/** Returns the memory and what one process needs, in MB; `withDatabase` if it also runs the embedded database. */
export function compareMemory(
  { withDatabase }: { withDatabase: boolean },
  bytes = systemMemoryBytes(),
): { hasMb: number; needsMb: number; isEnough: boolean } {
  const [hasMb, needsMb] = [Math.floor(bytes / MB), NEEDED_MB[withDatabase ? "withDatabase" : "alone"]];
  return { hasMb, needsMb, isEnough: hasMb >= needsMb };
}

/** The size of PostgreSQL's own cache, in MiB. */
export function databaseCacheMib(bytes = systemMemoryBytes()): number {
  return Math.max(CACHE_MIB.least, Math.min(CACHE_MIB.most, Math.floor(bytes / CACHE_SHARE / MIB)));
}

/** Returns environment variables of PostgreSQL that configure glibc's malloc (mallopt(3)). */
export function allocatorSettings(bytes = systemMemoryBytes()): Readonly<Record<string, string>> {
  return bytes < SMALL_MIB * MIB ? GIVE_BACK : {};
}

/** The number of messages that the simulated handsets keep for reading. */
export function inboxMessages(bytes = systemMemoryBytes()): number {
  return Math.floor(bytes / INBOX_SHARE / INBOX_BYTES_A_MESSAGE);
}
