// What the doctor tells of a cluster of Patroni, by answers as Patroni 3.0.2 gives them. docs/operations.md asks a real one.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { examinePatroni } from "./patroni.ts";

const leader = { name: "db1", role: "leader", state: "running", timeline: 3 };
const standby = { name: "db2", role: "sync_standby", state: "running", timeline: 3, lag: 0 };

const seen = (secondsAgo: number) => ({ state: "running", dcs_last_seen: Date.now() / 1000 - secondsAgo });

/** What the doctor says of a cluster whose Patroni answers so. */
async function found(cluster: object, status: object = seen(4)): Promise<string[]> {
  const server = createServer(({ url }, response) =>
    response.end(JSON.stringify(url === "/cluster" ? cluster : status)),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const findings = await examinePatroni(`http://127.0.0.1:${port}`);
  server.close();
  return findings.map(({ level, said }) => `${level}: ${said}`);
}

test("it is told who takes over if the primary falls, and what keeps it from that", async () => {
  assert.deepEqual(await found({ members: [leader, standby] }), [
    "ok: db1 is the leader, and db2 takes over if it fails",
  ]);
  assert.deepEqual(await found({ members: [leader, { ...standby, role: "replica" }], pause: true }), [
    "warn: it is paused, so no standby takes over",
    "wrong: no standby can take over if db1 fails",
  ]);
  assert.deepEqual(await found({ members: [leader, { ...standby, state: "starting", timeline: 2 }] }), [
    "wrong: db2 is starting on timeline 2",
  ]);
  assert.deepEqual(await found({ members: [{ ...leader, role: "replica" }] }), [
    "wrong: the cluster has no leader, so no server accepts writes",
  ]);
});

test("a Patroni that does not reach etcd is reported, whatever it remembers of its cluster", async () => {
  const remembered = "ok: db1 is the leader, and db2 takes over if it fails";
  const [lost, ...rest] = await found({ members: [leader, standby] }, seen(40));
  assert.match(lost!, /^wrong: http.* last reached etcd 40 s ago: no failover is possible meanwhile$/);
  assert.deepEqual(rest, []);
  const failsafe = { ...seen(8), failsafe_mode_is_active: true };
  assert.match((await found({ members: [leader, standby] }, failsafe))[0]!, /etcd 8 s ago/);
  assert.deepEqual(await found({ members: [leader, standby] }, seen(9)), [remembered]);
});

test("where no Patroni answers, each address is reported with the reason", async () => {
  assert.match((await found({ error: "none" })).join(), /^wrong: .*this is not an answer from Patroni$/);
  const nobody = await examinePatroni("http://127.0.0.1:1, nowhere");
  assert.deepEqual(
    nobody.map(({ level }) => level),
    ["wrong", "wrong"],
  );
});
