// Messages expire while no gateway has them, whatever is wrong with others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addOperator, assertBalanced, phones, rows, send, statusesOf } from "../../../../test/sending.ts";
import { testService } from "../../../../test/testservice.ts";
import { expireMessages } from "./expire.ts";

test("a batch that cannot be settled holds up no other, and is told of until it can", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"]), simulator: false } });
  await addOperator(here, 1);
  const company = await here.company({ credits: 100 });
  const [wrong, right] = [await send(company, phones(3)), await send(company, phones(4, "22505"))];
  await rows(here.app, "UPDATE batches SET expires_at = now() - interval '1 second'");
  await rows(
    here.app,
    "UPDATE batches SET expires_at = now() - interval '1 hour', held = 1 WHERE send_id = $1",
    [wrong],
  );
  await assert.rejects(expireMessages(here.app), /a batch is not as it was/);
  const statuses = () => Promise.all([wrong, right].map((id) => statusesOf(company, id)));
  assert.deepEqual(await statuses(), [Array(3).fill("QUEUED"), Array(4).fill("EXPIRED")]);
  await rows(here.app, "UPDATE batches SET held = 3 WHERE send_id = $1", [wrong]);
  await expireMessages(here.app);
  assert.deepEqual((await statuses())[0], Array(3).fill("EXPIRED"));
  assert.equal((await assertBalanced(here)).held, 0);
});
