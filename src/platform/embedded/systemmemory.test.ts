// What is made of the memory of a machine, small and large.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allocatorSettings,
  compareMemory,
  databaseCacheMib,
  inboxMessages,
  systemMemoryBytes,
} from "./systemmemory.ts";

const MIB = 2 ** 20;

test("PostgreSQL's cache is an eighth of the memory, 64 MiB at least and 1 GiB at most", () => {
  const sizes = [300, 512, 1_024, 4_096, 24_576].map((mib) => databaseCacheMib(mib * MIB));
  assert.deepEqual(sizes, [64, 64, 128, 512, 1_024]);
});

test("the inbox of the simulated handsets takes an eighth of the memory at most", () => {
  assert.equal(inboxMessages(512_000_000), 53_333);
  assert.equal(inboxMessages(4_800_000_000), 500_000);
});

test("PostgreSQL gives memory back to a small machine at once, and to a large one as it does by itself", () => {
  assert.deepEqual(Object.keys(allocatorSettings(1_024 * MIB)), [
    "MALLOC_TRIM_THRESHOLD_",
    "MALLOC_MMAP_THRESHOLD_",
  ]);
  assert.deepEqual(allocatorSettings(2_048 * MIB), {});
});

test("a machine has enough memory or not, with the embedded database and without", () => {
  const both = (mb: number) =>
    [true, false].map((withDatabase) => compareMemory({ withDatabase }, mb * 1_000_000).isEnough);
  assert.deepEqual([300, 512, 1_000].map(both), [
    [false, false],
    [false, true],
    [true, true],
  ]);
  assert.ok(systemMemoryBytes() > 0);
});
