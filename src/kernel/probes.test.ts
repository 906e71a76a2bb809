// The probes: a process is ready while its database answers and each of its parts can work.
import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../test/world.ts";
import { addReadiness } from "./probes.ts";

test("a process is not ready while a part of it cannot work, and says which", async (t) => {
  const { app, url } = await world(t, { config: { roles: new Set(["api"]) } });
  const ask = async () => {
    const response = await fetch(`${url}/readyz`);
    return [response.status, await response.json()];
  };
  assert.deepEqual(await ask(), [200, { status: "ready" }]);
  let reason: string | undefined = "the part is broken";
  const remove = addReadiness(app, () => reason);
  assert.deepEqual(await ask(), [503, { status: "not ready", reasons: ["the part is broken"] }]);
  reason = undefined;
  assert.deepEqual(await ask(), [200, { status: "ready" }]);
  reason = "it is gone";
  remove();
  assert.deepEqual(await ask(), [200, { status: "ready" }]);
});
