// Prints the bytes that the link state machine allocates for each message, from the queue to its committed outcome.
// `budget.wide.test.ts` runs it in a process without compilers (`ALLOCATING`): optimized code allocates less, and how soon
// it is ready depends on the machine. The young generation holds all that is allocated, so nothing is collected meanwhile.
import assert from "node:assert/strict";
import { getHeapStatistics } from "node:v8";
import type { HeldBatch } from "../src/delivery/sends/queue/batches.ts";
import { batchOf, beating } from "./linkmachine.ts";

const WINDOW = 100;
const CYCLES = { warm: 20, counted: 100 };

const { commit, committed, answer, writes } = beating({ window: WINDOW });
const batches = Array.from({ length: CYCLES.warm + CYCLES.counted }, (_, at): HeldBatch => {
  return { ...batchOf(Array.from({ length: WINDOW }, () => ({}))), id: `batch${at}` };
});

/** Takes a batch of 100 messages, commits its intent, writes it, and settles its answers. */
function send(batch: HeldBatch): void {
  commit(1_000);
  committed([batch]);
  commit(1_000);
  committed();
  assert.equal(writes.length, WINDOW);
  for (let at = 0; at < WINDOW; at++) answer(at);
  assert.equal(commit(1_000).outcomes.length, WINDOW);
  committed();
  writes.length = 0;
}

for (const batch of batches.slice(0, CYCLES.warm)) send(batch);
const before = getHeapStatistics().used_heap_size;
for (const batch of batches.slice(CYCLES.warm)) send(batch);
const bytes = getHeapStatistics().used_heap_size - before;
console.log(Math.round(bytes / (CYCLES.counted * WINDOW)));
