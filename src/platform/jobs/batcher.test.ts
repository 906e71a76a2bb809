// Gathering: every item is answered once, in order, and those that wait share a run.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { batcher, batchLookUps } from "./batcher.ts";

test("items of one turn of the event loop run together, and items that come during a run wait for the next", async () => {
  const groups: number[][] = [];
  const gates: (() => void)[] = [];
  const double = batcher<number, number>({
    max: 3,
    async run(items) {
      groups.push(items);
      await new Promise<void>((resolve) => gates.push(resolve));
      return items.map((item) => item * 2);
    },
  });
  const answers = Promise.all([1, 2, 3, 4, 5].map(double));
  assert.deepEqual(groups, []);
  await new Promise(setImmediate);
  assert.deepEqual(groups, [[1, 2, 3]]);
  const late = double(6);
  for (let run = 0; run < 2; run++) {
    gates.shift()!();
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
  assert.deepEqual(await answers, [2, 4, 6, 8, 10]);
  assert.equal(await late, 12);
  assert.deepEqual(groups, [
    [1, 2, 3],
    [4, 5, 6],
  ]);
});

test("every item gets its own answer or error in any order of arrival, and no group is too large", async () => {
  const outcome = fc.constantFrom("answer", "error", "throw", "short");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ outcome, afterTurns: fc.nat(5) }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom(undefined, 1, 3, 20),
      async (items, max, keys) => {
        const keyOf = (i: number) => String(i % keys!);
        const underWay = new Set<number>();
        const ran: number[] = [];
        const run = async (group: number[]) => {
          assert.ok(group.length >= 1 && group.length <= max);
          ran.push(...group);
          const beside = [...underWay];
          assert.ok(beside.length === 0 || keys, "without keys one group runs at a time");
          assert.ok(
            !beside.some((other) => group.some((i) => keyOf(i) === keyOf(other))),
            "one key at a time",
          );
          for (const i of group) underWay.add(i);
          await new Promise(setImmediate);
          for (const i of group) underWay.delete(i);
          if (group.some((i) => items[i]!.outcome === "throw")) throw new Error("thrown");
          const results = group.map((i) => (items[i]!.outcome === "error" ? new Error(`error ${i}`) : i));
          return group.some((i) => items[i]!.outcome === "short") ? results.slice(1) : results;
        };
        const ask = batcher<number, number>({
          max,
          run,
          ...(keys && { beside: { keyOf, isAllowed: () => true } }),
        });
        const settled = await Promise.allSettled(
          items.map(async ({ afterTurns }, i) => {
            for (let turn = 0; turn < afterTurns; turn++) await new Promise(setImmediate);
            return ask(i);
          }),
        );
        assert.deepEqual(
          [...ran].sort((a, b) => a - b),
          items.map((_, i) => i),
          "each ran once",
        );
        for (const [i, result] of settled.entries()) {
          if (result.status === "fulfilled") assert.equal(result.value, i);
          else assert.match(result.reason.message, new RegExp(`^(thrown|error ${i}|a gathered run .*)$`));
          if (items[i]!.outcome !== "answer") assert.equal(result.status, "rejected");
        }
      },
    ),
  );
});

test("two groups run at once where they share no key, the second with eight items or more", async () => {
  const groups: string[][] = [];
  const ends: (() => void)[] = [];
  let isAllowed = false;
  const send = batcher<string, string>({
    max: 10,
    beside: { keyOf: (item) => item[0]!, isAllowed: () => isAllowed },
    async run(items) {
      groups.push(items);
      await new Promise<void>((resolve) => ends.push(resolve));
      return items;
    },
  });
  const turn = async () => {
    for (let i = 0; i < 3; i++) await new Promise(setImmediate);
  };
  const sent: Promise<string>[] = [];
  const ask = (...items: string[]) => sent.push(...items.map(send));
  ask("a1");
  await turn();
  ask("a2", ..."bcdefgh");
  await turn();
  assert.deepEqual(groups, [["a1"]], "seven do not run beside it");
  ask("i");
  await turn();
  assert.equal(groups.length, 1, "nor do eight where it is not allowed");
  isAllowed = true;
  ask("a3");
  await turn();
  assert.deepEqual(groups.slice(1), [[..."bcdefghi"]], "eight do, without the second of the same key");
  ask(..."jklmnopq");
  await turn();
  assert.equal(groups.length, 2, "a third group waits");
  ends[0]!();
  await turn();
  assert.deepEqual(groups.slice(2), [["a2", "a3", ..."jklmnopq"]]);
  for (const end of ends) end();
  assert.deepEqual((await Promise.all(sent)).sort(), ["a1", "a2", "a3", ..."bcdefghijklmnopq"]);
});

test("a look-up that many ask for at the same time is read once, and answers each of them", async () => {
  const read: string[][] = [];
  const lookUp = batchLookUps<string, { letter: string }>(async (keys) => {
    read.push(keys);
    return keys.flatMap((key, i) => (key === "none" ? [] : [{ position: i + 1, letter: key[0]! }]));
  });
  const answers = await Promise.all(["b", "none", "a", "b", "none"].map(lookUp));
  assert.deepEqual(read, [["b", "none", "a"]]);
  assert.deepEqual(answers, [{ letter: "b" }, null, { letter: "a" }, { letter: "b" }, null]);
});
