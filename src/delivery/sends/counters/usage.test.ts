// What kinds of messages cost the sending: no statement and no row more, and two characters for each send in a batch.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rows } from "../../../../test/sending.ts";
import { testService } from "../../../../test/testservice.ts";
import { KINDS, type NewMessage, pack, unpack } from "../queue/packed.ts";
import { CounterDeltas } from "./deltas.ts";

const MESSAGE: NewMessage = {
  ...{ accountId: "a", poolId: "a", holdId: "h", sendId: "s", counting: 1, kind: null, number: 1 },
  ...{ phone: "2250700000010", sender: "AWA", body: "Bonjour", segments: 1, price: 1, reference: 1 },
};

test("a transaction that settles messages of all kinds notes them in one row by one statement", async (t) => {
  const { app } = await testService(t, { config: { roles: new Set(["api"] as const), simulator: false } });
  const line = { accountId: "a", sendId: null, operatorId: "o", status: "SENT", error: null, quarter: null };
  const lines = new CounterDeltas();
  for (const kind of [...KINDS, null, ...KINDS]) lines.add({ ...line, kind }, 1, 1);
  const statements = await app.database.transaction(async (tx) => {
    let count = 0;
    const run: typeof tx.run = (...given) => {
      count++;
      return tx.run(...given);
    };
    await lines.write({ run } as typeof tx);
    return count;
  });
  assert.equal(statements, 1);
  assert.deepEqual(await rows(app, "SELECT kinds, counts FROM tallies"), [
    { kinds: [...KINDS, null], counts: [2, 2, 2, 1] },
  ]);
});

test("a batch carries the kind of each send in two characters, and one of an earlier version carries none", () => {
  const without = pack([MESSAGE, { ...MESSAGE, number: 2 }]);
  for (const kind of KINDS) {
    const text = pack([
      { ...MESSAGE, kind },
      { ...MESSAGE, kind, number: 2 },
    ]);
    assert.equal(text.length, without.length + 2);
    const read = unpack({ id: "b", messages: text, first: 1, size: 2, withdrawn: null });
    assert.deepEqual(
      read.map((message) => message.kind),
      [kind, kind],
    );
  }
  const [old] = unpack({ id: "b", messages: without, first: 1, size: 1, withdrawn: null });
  assert.equal(old!.kind, null);
});
