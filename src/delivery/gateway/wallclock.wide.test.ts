// A machine's clock that jumps moves nothing in a gateway: its waits are monotonic, and its decisions by the database's time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accepted, phones, rows, send, settled, site, startScripted } from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";

const HOUR_MS = 3_600_000;
const JUMPS_MS = [HOUR_MS, -HOUR_MS, -1_000];

test("S25: the wall clock jumps by an hour, and by a leap second: nothing is sent again, and no bind changes hands", async (t) => {
  const answers = Promise.withResolvers<void>();
  const operator = await startScripted(t, async (_pdu, _session, n) => {
    await answers.promise;
    return accepted(`${n}`);
  });
  const { here, operatorId } = await site(t, operator.port);
  await until(() => operator.sessions.length === 1);
  // However slow this machine is, the answers come in time. The setting needs a new session.
  const patient = { submitTimeoutS: 120 };
  assert.equal((await here.admin(`/v1/admin/operator/${operatorId}/update`, patient)).success, true);
  await until(() => operator.sessions.length === 2);
  const company = await here.company({ credits: 100 });
  const bindOf = async () => (await rows(here.app, "SELECT session_id, owned_until FROM operator_binds"))[0];
  const id = await send(company, phones(5));
  await until(() => operator.received.length === 5);
  const sessions = operator.sessions.length;
  const { session_id: session } = await bindOf();
  const dateNow = Date.now.bind(Date);
  for (const jumpMs of JUMPS_MS) {
    const jumped = t.mock.method(Date, "now", () => dateNow() + jumpMs);
    const { owned_until: before } = await bindOf();
    await until(async () => (await bindOf()).owned_until > before);
    jumped.mock.restore();
  }
  assert.equal((await bindOf()).session_id, session);
  answers.resolve();
  assert.equal((await settled(company, id)).stats.failed, 0);
  assert.deepEqual([operator.received.length, operator.sessions.length], [5, sessions]);
});
