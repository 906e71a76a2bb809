// Helpers for tests with several operators: simulated ones, and a test service that has them in an order.
import assert from "node:assert/strict";
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from "../src/delivery/simulator/simulator.ts";
import type { Scope } from "./sending.ts";
import { type TestService, testService, until } from "./testservice.ts";

/** An operator that ends with `t`. */
export async function simulate(t: Scope, options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator(options);
  t.after(() => simulator.stop());
  return simulator;
}

/**
 * A test service with these operators, in the order in which they come first. Each is made when the one before it is able:
 * the look at the table that binds it sees that.
 */
export async function testServiceWith(
  t: Scope,
  operators: { port: number; [field: string]: unknown }[],
  quarantineMs = 1_000,
) {
  const here = await testService(t, { config: { simulator: false }, settings: { quarantineMs } });
  const ids: string[] = [];
  for (const [i, operator] of operators.entries()) {
    const answer = await here.admin("/v1/admin/operator/create", {
      name: `operator ${i + 1}`,
      host: "127.0.0.1",
      systemId: "atumpan",
      password: "drum",
      prefixes: ["225"],
      priority: i,
      ...operator,
    });
    assert.equal(answer.success, true, JSON.stringify(answer));
    ids.push(answer.data.id);
    await ableIs(here, answer.data.id, true);
  }
  return { here, ids };
}

/** Waits until an operator is able, or is not. */
export function ableIs(here: TestService, id: string, able: boolean) {
  return until(async () => {
    const { data } = await here.admin(`/v1/admin/operator/${id}`);
    return data.able === able;
  });
}

/** The numbers that got messages over a simulated operator, the newest first. */
export const receivedBy = (simulator: Simulator) => simulator.inbox({ limit: 100_000 }).map(({ to }) => to);
