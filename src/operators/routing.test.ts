// Routing: the longest prefix first, then the priority; equals share; who is not able is passed over.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Route, Routing } from "./routing.ts";

const of = (id: string, prefixes: string[], priority = 0, able = true): Route => ({
  id,
  prefixes,
  priority,
  able,
});

/** Who may take what waits for a prefix. */
function takers(routes: Route[], prefix: string): string {
  const routing = new Routing(routes);
  return routes
    .filter(({ id }) => routing.mayTake(id, prefix))
    .map(({ id }) => id)
    .join(" ");
}

test("a number has the longest prefix that any operator serves, able or not", () => {
  const routing = new Routing([of("ci", ["225"]), of("orange", ["22507", "22508"], 0, false)]);
  assert.equal(routing.prefixOf("2250701020304"), "22507");
  assert.equal(routing.prefixOf("2250501020304"), "225");
  assert.equal(routing.prefixOf("33612345678"), null);
  assert.equal(routing.prefixOf("22"), null);
  assert.equal(new Routing([]).prefixOf("2250701020304"), null);
});

test("the longest match comes before any priority, then lower values, and who is not able is passed over", () => {
  const all = of("all", ["2"], 0);
  const ci = of("ci", ["225"], 0);
  const backup = of("backup", ["22507"], 9);
  const orange = of("orange", ["22507"], 5);
  const down = (route: Route) => ({ ...route, able: false });
  assert.equal(takers([all, ci, backup, orange], "22507"), "orange");
  // Whoever asks is able, whatever its row says: the row may be half a second old.
  assert.equal(takers([all, ci, backup, down(orange)], "22507"), "backup orange");
  assert.equal(takers([all, ci, down(backup), down(orange)], "22507"), "ci backup orange");
  assert.equal(takers([all, ci, backup, orange], "225"), "ci");
  assert.equal(takers([all, down(ci), backup, orange], "225"), "all ci");
});

test("equals share, and one of them that is not able leaves all to the other", () => {
  const [a, b, c] = [of("a", ["225"], 1), of("b", ["225"], 1), of("c", ["225"], 2)];
  assert.equal(takers([a, b, c], "225"), "a b");
  assert.equal(takers([{ ...a, able: false }, b, c], "225"), "a b");
  assert.equal(takers([{ ...a, able: false }, { ...b, able: false }, c], "225"), "a b c");
});

test("a prefix that nobody serves any more falls to whoever serves a shorter one, and else to nobody", () => {
  const routes = [of("ci", ["225"]), of("fr", ["33"])];
  assert.equal(takers(routes, "22507"), "ci");
  assert.equal(takers(routes, "2"), "");
  assert.deepEqual(new Routing(routes).takenBy("ci"), ["225"]);
});
