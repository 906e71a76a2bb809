// Routing: the longest prefix first, then the priority; equals share; who is not able is passed over.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type OperatorRoute, prefixOfOperator, Routing } from "./routing.ts";
import { ANY_SENDER } from "./senderrules.ts";

const of = (id: string, prefixes: string[], priority = 0, able = true): OperatorRoute => ({
  id,
  prefixes,
  priority,
  able,
  overflowMs: null,
  isSimulated: false,
  ...ANY_SENDER,
});

const AWA = { name: "AWA", registered: [] };
const NEVER = Number.POSITIVE_INFINITY;

/** Who may take what waits for a prefix. */
function takers(routes: OperatorRoute[], prefix: string): string {
  const routing = new Routing(routes);
  return routes
    .filter(({ id }) => routing.rangeOf(id, prefix)?.fromMs === 0)
    .map(({ id }) => id)
    .join(" ");
}

test("a number has the longest prefix that any operator serves, able or not", () => {
  const routing = new Routing([of("ci", ["225"]), of("orange", ["22507", "22508"], 0, false)]);
  assert.equal(routing.prefixOf("2250701020304", new Map(), AWA), "22507");
  assert.equal(routing.prefixOf("2250501020304", new Map(), AWA), "225");
  assert.equal(routing.prefixOf("33612345678", new Map(), AWA), null);
  assert.equal(routing.prefixOf("22", new Map(), AWA), null);
  assert.equal(new Routing([]).prefixOf("2250701020304", new Map(), AWA), null);
});

test("the longest match comes before any priority, then lower values, and who is not able is passed over", () => {
  const all = of("all", ["2"], 0);
  const ci = of("ci", ["225"], 0);
  const backup = of("backup", ["22507"], 9);
  const orange = of("orange", ["22507"], 5);
  const down = (route: OperatorRoute) => ({ ...route, able: false });
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
  assert.deepEqual(new Routing(routes).allRangesOf("ci"), [{ prefix: "225", fromMs: 0, toMs: NEVER }]);
});

test("what waits too long goes to the next able operator, and back to all before it if that leaves it", () => {
  const first = { ...of("first", ["225"], 1), overflowMs: 60_000 };
  const second = { ...of("second", ["225"], 2), overflowMs: 5_000 };
  const third = of("third", ["2"], 1);
  const ranges = (routes: OperatorRoute[]) =>
    routes.map(({ id }) => {
      const range = new Routing(routes).rangeOf(id, "225");
      return range ? [range.fromMs, range.toMs] : "none";
    });
  const down = (route: OperatorRoute) => ({ ...route, able: false });
  assert.deepEqual(ranges([first, second, third]), [
    [0, 60_000],
    [60_000, 65_000],
    [65_000, NEVER],
  ]);
  const taken = (id: string) =>
    new Routing([first, second, third]).allRangesOf(id).filter(({ prefix }) => prefix === "225");
  const left = { prefix: "225", fromMs: 65_000, toMs: NEVER };
  assert.deepEqual(taken("first"), [{ prefix: "225", fromMs: 0, toMs: 60_000 }, left]);
  assert.deepEqual(taken("second")[1], { ...left, fromMs: 70_000 });
  assert.deepEqual(new Routing([first, second, third]).rangesOf("third", "225"), [left]);
  assert.deepEqual(ranges([down(first), second, third]).slice(1), [
    [0, 5_000],
    [5_000, NEVER],
  ]);
  assert.deepEqual(ranges([first, down(second), third])[2], [60_000, NEVER]);
  assert.deepEqual(ranges([first, down(second), down(third)])[0], [0, NEVER], "nobody else could take it");
  assert.deepEqual(ranges([{ ...first, overflowMs: null }, second]), [[0, NEVER], "none"]);
  assert.deepEqual(ranges([{ ...first, overflowMs: 0 }, second])[1], [0, 5_000 + NEVER]);
  const twin = { ...of("twin", ["225"], 1), overflowMs: 90_000 };
  assert.deepEqual(ranges([first, twin, third])[2], [90_000, NEVER], "the most patient of equals counts");
});

test("the simulated operator never takes what a real one serves, able or not", () => {
  const simulator = { ...of("simulator", ["2", "3"], 1_000), isSimulated: true };
  const real = { ...of("real", ["225"], 0, false), overflowMs: 1_000 };
  assert.equal(takers([simulator, real], "225"), "real");
  assert.equal(takers([simulator, real], "3"), "simulator");
  const routing = new Routing([simulator, real]);
  assert.deepEqual(
    [routing.firstOf("225"), routing.firstOf("3"), routing.firstOf("4")],
    ["real", "simulator", undefined],
  );
  assert.deepEqual(new Routing([simulator, { ...real, able: true }]).rangeOf("real", "225")?.toMs, NEVER);
});

test("a message for one operator is for that one alone, whatever the routing says", () => {
  const routing = new Routing([of("first", ["2"], 1), of("second", ["3"], 2, false)]);
  const prefix = prefixOfOperator("second");
  assert.deepEqual(routing.rangeOf("second", prefix), { prefix, fromMs: 0, toMs: NEVER });
  assert.equal(routing.rangeOf("first", prefix), undefined);
  assert.equal(routing.firstOf(prefix), "second");
});

test("the operator of a ported number is a step before those of its prefix, whatever its priority", () => {
  const seven = { ...of("seven", ["22507"]), overflowMs: 5_000 };
  const five = { ...of("five", ["22505", "225"], 9), overflowMs: 60_000 };
  const ported = new Map([
    ["2250701020304", "five"],
    ["33612345678", "five"],
    ["2250701020305", "gone"],
  ]);
  const routing = new Routing([seven, five]);
  const prefix = routing.prefixOf("2250701020304", ported, AWA)!;
  assert.equal(prefix, "=five:22507");
  assert.deepEqual(routing.rangeOf("five", prefix), { prefix, fromMs: 0, toMs: 60_000 });
  assert.deepEqual(routing.rangeOf("seven", prefix), { prefix, fromMs: 60_000, toMs: NEVER });
  assert.equal(takers([seven, { ...five, able: false }], prefix), "seven five");
  assert.equal(takers([seven], prefix), "seven", "what waits when its operator is deleted");
  assert.equal(routing.firstOf(prefix), "five");
  assert.equal(new Routing([seven]).firstOf(prefix), "seven");
  assert.equal(routing.firstOf(prefixOfOperator("five")), "five");
  assert.equal(routing.prefixOf("2250701020305", ported, AWA), "22507");
  assert.equal(routing.prefixOf("33612345678", ported, AWA), "=five:", "nobody serves the prefix");
  assert.deepEqual(routing.rangeOf("five", "=five:")?.toMs, NEVER);
  assert.equal(routing.rangeOf("seven", "=five:"), undefined);
  const simulator = { ...of("simulator", ["2"], 1_000), isSimulated: true };
  assert.equal(takers([simulator, five], "=five:225"), "five");
  assert.equal(takers([simulator], "=simulator:2"), "simulator");
});

test("a sender goes first where it is registered, and elsewhere as each operator says", () => {
  const first = of("first", ["225"], 1);
  const second = { ...of("second", ["225"], 2), overflowMs: 60_000 };
  const third = of("third", ["225"], 3);
  const to = (phone: string, routes: OperatorRoute[], registered: string[] = [], name = "AWA") => {
    const routing = new Routing(routes);
    const prefix = routing.prefixOf(phone, new Map(), { name, registered })!;
    const shown = routing.refuses(prefix) ? "refused" : takers(routes, prefix);
    return [prefix, shown, routing.senderAt(shown, prefix, name)].join(" ");
  };
  const CI = "2250701020304";
  const on = (route: OperatorRoute, senderPolicy: OperatorRoute["senderPolicy"], defaultSender = "INFO") => ({
    ...route,
    senderPolicy,
    defaultSender,
  });
  assert.equal(to(CI, [first, second]), "225 first AWA", "no operator has a rule");
  assert.equal(to(CI, [first, second], ["second 225"]), "225+second second AWA", "it is preferred");
  assert.equal(to(CI, [first, second], ["second 221"]), "225 first AWA", "in another country only");
  assert.equal(to(CI, [first, second], ["gone 225"]), "225 first AWA", "the operator is gone");
  assert.equal(to(CI, [on(first, "next"), second]), "225+ second AWA");
  assert.equal(to(CI, [on(first, "next"), second], ["first 225"]), "225+first first AWA");
  assert.equal(to(CI, [on(first, "default"), second]), "225+ first INFO");
  assert.equal(to(CI, [on(first, "default"), second], ["first 225"]), "225+first first AWA");
  assert.equal(to(CI, [on(first, "refuse"), second]), "225+ refused AWA");
  assert.equal(to(CI, [on(first, "refuse"), second], ["third 225", "second 225"]), "225+second second AWA");
  assert.equal(to(CI, [on(first, "next"), on(second, "refuse"), third]), "225+ refused AWA");
  assert.equal(to(CI, [on(first, "next"), on(second, "next")]), "225+ refused AWA", "no operator is left");
  assert.equal(to(CI, [first, on(second, "refuse")]), "225+ first AWA", "the first one takes it");
  assert.equal(to(CI, [on(first, "refuse")], [], "INFO"), "225+first first INFO", "the operator's own name");
  assert.equal(to("33612345678", [on(first, "refuse"), of("fr", ["33"])]), "33 fr AWA", "a rule elsewhere");
  const routes = [on(first, "next"), on(second, "default"), on(third, "refuse")];
  const routing = new Routing(routes);
  assert.equal(routing.rangeOf("third", "225+second"), undefined, "it never takes what it would refuse");
});
