// The probes: a process is ready while its database answers and each of its parts can work; so is each of its roles.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cutDatabase } from "../../../test/database.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import { openLog } from "../log.ts";
import { addReadiness } from "./probes.ts";

async function ask({ url }: TestService, query = ""): Promise<[number, unknown]> {
  const response = await fetch(`${url}/readyz${query}`);
  return [response.status, await response.json()];
}

test("a process is not ready while a part of it cannot work, and says which", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"]) } });
  const ready = [200, { status: "ready", roles: { api: "ready" } }];
  const broken = (reason: string) => [
    503,
    { status: "not ready", roles: { api: "not ready" }, reasons: [reason] },
  ];
  assert.deepEqual(await ask(here), ready);
  let reason: string | undefined = "the part is broken";
  const remove = addReadiness(here.app, () => reason);
  assert.deepEqual(await ask(here), broken("the part is broken"));
  reason = undefined;
  assert.deepEqual(await ask(here), ready);
  reason = "it is gone";
  remove();
  assert.deepEqual(await ask(here), ready);
});

test("a part that one role needs does not count for the others, and each role is asked for by its name", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api", "worker"]) } });
  addReadiness(here.app, () => "the jobs hang", "worker");
  const reasons = ["the jobs hang"];
  const roles = { api: "ready", worker: "not ready" };
  assert.deepEqual(await ask(here), [503, { status: "not ready", roles, reasons }]);
  assert.deepEqual(await ask(here, "?role=api"), [200, { status: "ready", roles: { api: "ready" } }]);
  assert.deepEqual(await ask(here, "?role=worker"), [
    503,
    { status: "not ready", roles: { worker: "not ready" }, reasons },
  ]);
  assert.deepEqual(await ask(here, "?role=gateway"), [
    503,
    {
      status: "not ready",
      roles: { gateway: "not ready" },
      reasons: ["this process does not have the role"],
    },
  ]);
  const unknown = [400, { status: "unknown role", roles: ["api", "worker", "gateway"] }];
  assert.deepEqual(await ask(here, "?role=apis"), unknown);
  assert.deepEqual(await ask(here, "?role=api&role=worker"), unknown);
});

test("no role is ready without the database", async (t) => {
  const here = await testService(t, { log: openLog("silent") });
  const restore = await cutDatabase(here.ownerUrl);
  const roles = { api: "not ready", worker: "not ready", gateway: "not ready" };
  const [, listed] = await until(async () => {
    const answer = await ask(here);
    return answer[0] === 503 && answer;
  });
  assert.deepEqual((listed as { roles: unknown }).roles, roles);
  assert.equal((await ask(here, "?role=api"))[0], 503);
  await restore();
  await until(async () => (await ask(here))[0] === 200);
});
