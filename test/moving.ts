// For tests of binds that move: two gateways beside each other, and which of them has what.
import assert from "node:assert/strict";
import { assertBalanced, rows, type Scope, type ScriptedOperator, stacked, startBeside } from "./sending.ts";
import { type TestService, testService, until } from "./testservice.ts";

/** The binds that are bound, and who has them. */
export const BOUND =
  "SELECT number, node, session_id FROM operator_binds WHERE state = 'BOUND' ORDER BY number";

/** The processes that have the binds, by number, once all are bound. */
export async function ownersOf(here: TestService, binds: number): Promise<string[]> {
  const found = await until(async () => {
    const bound = await rows(here.app, BOUND);
    return bound.length === binds && bound;
  });
  return found.map(({ node }) => node);
}

/** Two gateways. The first one has the only bind of the operator at `port`, or they share its binds. */
export async function pair(
  t: Scope,
  port: number,
  settings: { binds?: number; submitTimeoutS?: number } = {},
) {
  const scope = stacked(t);
  const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false } });
  const { data } = await here.admin("/v1/admin/operator/create", {
    ...{ name: "operator", host: "127.0.0.1", port, systemId: "atumpan", password: "drum" },
    ...{ prefixes: ["225"], window: 10, ...settings },
  });
  const { binds, id: operatorId } = data as { binds: number; id: string };
  const gateway = await startBeside(scope, here, ["gateway"]);
  const one = gateway.app.database.node;
  await ownersOf(here, binds);
  const other = await startBeside(scope, here, ["gateway"]);
  const two = other.app.database.node;
  const shared = async () => (await ownersOf(here, binds)).filter((node) => node === two).length;
  await until(async () => (await shared()) === Math.floor(binds / 2));
  const move = (body: object = {}) => here.admin(`/v1/admin/operator/${operatorId}/move`, body);
  return { here, operatorId, move, one, two, other };
}

/** Waits until both gateways have counted each other twice more, and looked at their shares by that. */
export async function countedTwice(here: TestService): Promise<void> {
  const seen = async () => {
    const found = await rows(here.app, "SELECT seen_at FROM gateways");
    return found.map(({ seen_at: at }: { seen_at: Date }) => at.getTime());
  };
  for (let n = 0; n < 2; n++) {
    const before = Math.max(...(await seen()));
    await until(async () => (await seen()).every((at) => at > before));
  }
}

export async function everythingOnce(
  here: TestService,
  operator: ScriptedOperator,
  wanted: readonly string[],
) {
  const reached = operator.received.map((pdu) => pdu.destinationAddr);
  assert.deepEqual(reached.toSorted(), wanted.toSorted());
  assert.equal((await assertBalanced(here)).held, 0);
}
