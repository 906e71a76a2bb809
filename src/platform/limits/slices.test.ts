// Slices: works take turns, and between two slices everything that has arrived is handled.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, Socket } from "node:net";
import { test } from "node:test";
import { testService } from "../../../test/testservice.ts";
import { openLog } from "../log.ts";
import type { Runtime } from "../runtime.ts";
import { nextSlice, runUndivided, type Urgency } from "./slices.ts";

/** A runtime of its own: slices need nothing of it. */
const newRuntime = () => ({}) as Runtime;

const SLICES = 20;

async function work(
  app: Runtime,
  done: (slice: number) => void,
  urgency: Urgency = "foreground",
): Promise<void> {
  for (let slice = 1; slice <= SLICES; slice++) {
    await nextSlice(app, urgency);
    done(slice);
  }
}

test("works of one process take turns, slice by slice", async () => {
  const app = newRuntime();
  const order: string[] = [];
  await Promise.all(["a", "b", "c"].map((name) => work(app, () => order.push(name))));
  assert.equal(order.join(""), "abc".repeat(SLICES));
});

test("between two slices, whatever number of works there is, node reads what has arrived", async (t) => {
  const app = newRuntime();
  const server = createServer((socket) => socket.on("error", () => {}).pipe(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => void server.close());
  const socket = new Socket().setNoDelay();
  socket.connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  // Each echo is asked for when the one before has come.
  let echoes = 0;
  socket.on("data", () => {
    echoes++;
    socket.write("x");
  });
  socket.write("x");
  const seen: number[] = [];
  await Promise.all([1, 2, 3].map(() => work(app, () => seen.push(echoes))));
  socket.destroy();
  // An echo takes two turns of the event loop, or three.
  assert.ok(seen.at(-1)! >= SLICES / 2, `${seen}`);
});

test("a patient work rests before each slice, and others go on meanwhile", async () => {
  const app = newRuntime();
  const order: string[] = [];
  const patient = work(app, () => order.push("p"), "background");
  await work(app, () => order.push("b"));
  await patient;
  assert.deepEqual(order.length, 2 * SLICES);
  // A rest is a timer: all slices of the other fit into the first rests.
  assert.ok(order.lastIndexOf("b") < order.lastIndexOf("p"), order.join(""));
});

test("A2: works of a lane run in their order, paid ones ahead of unpaid ones that came before, and a failed one stops nobody", async (t) => {
  const { app } = await testService(t, {
    config: { roles: new Set(["api"] as const) },
    log: openLog("silent"),
  });
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
