// Works that cannot be sliced: one at a time, and what is paid does not wait behind what is not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../test/world.ts";
import { openLog } from "./log.ts";
import { runUndivided } from "./slices.ts";

test("A2: works of a lane run in their order, paid ones ahead of unpaid ones that came before, and a failed one stops nobody", async (t) => {
  const { app } = await world(t, { config: { roles: new Set(["api"] as const) }, log: openLog("silent") });
  const order: string[] = [];
  const run = (lane: "paid" | "unpaid", name: string) =>
    runUndivided(app, lane, () => {
      order.push(name);
      if (name === "second") throw new Error("broken");
    });
  const unpaid = ["first", "second", "third"].map((name) => run("unpaid", name));
  const paid = run("paid", "paid");
  const [one, two, three] = await Promise.allSettled(unpaid);
  await paid;
  assert.deepEqual([one!.status, two!.status, three!.status], ["fulfilled", "rejected", "fulfilled"]);
  assert.ok(order.indexOf("paid") < order.indexOf("second"), `${order}`);
  assert.deepEqual(
    order.filter((name) => name !== "paid"),
    ["first", "second", "third"],
  );
});
