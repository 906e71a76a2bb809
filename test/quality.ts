// Helpers for tests of the quality of routes: operators with prefixes of their own, and what is counted of them.
import assert from "node:assert/strict";
import type { SimulatorOptions } from "../src/delivery/simulator/simulator.ts";
import { dataOf } from "./applications.ts";
import { ableIs, simulate } from "./operators.ts";
import type { Scope } from "./sending.ts";
import { type TestService, until } from "./testservice.ts";

/** Adds a simulated operator for these prefixes, and waits until it is able. */
export async function addRoute(
  here: TestService,
  t: Scope,
  name: string,
  prefixes: string[],
  options: SimulatorOptions = {},
) {
  const simulator = await simulate(t, options);
  const account = { host: "127.0.0.1", port: simulator.port, systemId: "atumpan", password: "drum" };
  const { id } = await dataOf(here.admin("/v1/admin/operator/create", { name, prefixes, ...account }));
  await ableIs(here, id, true);
  return { id: id as string, name, simulator };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into figures of every shape
type Figures = any;

export async function qualityOf(here: TestService, id: string, wanted: object = {}): Promise<Figures> {
  return dataOf(here.admin(`/v1/admin/operator/${id}/quality`, wanted));
}

/** Waits until an operator has these counts in total. A process adds what it counted after some seconds. */
export async function countedAre(here: TestService, id: string, expected: object): Promise<Figures> {
  const pick = (totals: Figures) =>
    Object.fromEntries(Object.keys(expected).map((name) => [name, totals[name]]));
  let totals: Figures;
  await until(async () => {
    ({ totals } = await qualityOf(here, id));
    return JSON.stringify(pick(totals)) === JSON.stringify(expected);
  }, 30_000).catch(() => {});
  assert.deepEqual(pick(totals), expected);
  return totals;
}
