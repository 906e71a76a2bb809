// What was surely not sent when the database went back in time is sent, and nothing else, where each gateway reports all.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { copyDatabase } from "../../test/database.ts";
import {
  accepted,
  addOperator,
  assertBalanced,
  NEVER,
  phones,
  rows,
  type Scope,
  send,
  settled,
  stacked,
  startBeside,
  startScripted,
  statusesOf,
} from "../../test/sending.ts";
import { until, type World, world } from "../../test/world.ts";

const readOf = async (here: World) => (await here.admin("/v1/admin/recovery/read")).data;
const decide = (here: World) => here.admin("/v1/admin/recovery/unknown", { submittedOnly: true });

/**
 * Two campaigns wait when a copy of the database is made. Then a gateway comes of which the copy does not know, whose
 * operator accepts three messages, gets two more, and answers those only when it is opened.
 */
async function restoring(t: Scope) {
  let isOpen = false;
  const operator = await startScripted(t, (_pdu, _session, n) =>
    isOpen || n <= 3 ? accepted(`m${n}`) : NEVER,
  );
  const scope = stacked(t);
  const here = await world(scope, { config: { roles: new Set(["api"]), simulator: false } });
  await addOperator(here, operator.port, { window: 2 });
  const company = await here.company({ credits: 100 });
  const campaigns = [await send(company, phones(2, "22505")), await send(company, phones(8, "22507"))];
  const restore = await copyDatabase(here.ownerUrl);
  const gateway = await startBeside(scope, here, ["gateway", "worker"]);
  await until(() => operator.received.length === 5);
  // The process that stays must have heard of the gateway, which the copy has not.
  const heard = "SELECT FROM nodes WHERE node = $1 AND seen_at > $2";
  const beats = async () => {
    const [{ since }] = await rows(here.app, "SELECT now() AS since");
    await until(async () => (await rows(here.app, heard, [here.app.database.node, since])).length > 0);
  };
  return {
    ...{ here, operator, company, campaigns, restore, gateway, beats },
    open() {
      isOpen = true;
    },
    submitted: operator.received.map(({ destinationAddr }) => destinationAddr),
  };
}

suite("what was submitted when the database went back in time", { concurrency: true }, () => {
  test("M20: only that is of unknown fate, and the rest is sent", async (t) => {
    const { here, operator, company, campaigns, restore, gateway, submitted, open } = await restoring(t);
    await restore();
    const held = await until(async () => {
      const data = await readOf(here);
      return data?.gateways?.length > 0 && data.gateways[0].reported !== "NOTHING" && data;
    });
    const { node } = gateway.app.database;
    assert.deepEqual(
      [held.state, held.messages, held.gateways],
      ["HELD", 10, [{ node, host: held.gateways[0].host, reported: "ALL" }]],
    );
    const during = await send(company, "2250709090909");
    open();
    const { data } = await decide(here);
    assert.deepEqual([data.decision, data.submittedOnly, data.messages], ["UNKNOWN", true, 10]);
    await settled(company, during);
    const statuses = await until(async () => {
      const all = (await Promise.all(campaigns.map((id) => statusesOf(company, id)))).flat();
      return !all.includes("QUEUED") && all;
    });
    assert.equal(statuses.filter((status) => status === "UNKNOWN").length, submitted.length);
    const received = operator.received.map(({ destinationAddr }) => destinationAddr);
    assert.equal(received.length, 11);
    assert.equal(new Set(received).size, 11, "nobody got a message twice");
    await assertBalanced(here);
    const [left] = await rows(here.app, "SELECT count(*)::int AS count FROM submitted_messages");
    assert.equal(left!.count, submitted.length);
  });

  test("M20: it is no choice where a gateway has not reported all: one that only another process knows, or whose files are gone", async (t) => {
    const { here, restore, gateway, beats } = await restoring(t);
    await beats();
    await beats();
    await rm(join(gateway.app.config.dataDir, "submitted"), { recursive: true });
    await restore();
    const held = await until(async () => {
      const data = await readOf(here);
      return data?.gateways?.length > 0 && data;
    });
    assert.deepEqual(
      [held.gateways[0].node, held.gateways[0].reported],
      [gateway.app.database.node, "NOTHING"],
    );
    const refused = await decide(here);
    assert.deepEqual([refused.error, refused.details![0]!.field], ["conflict", "submittedOnly"]);
    assert.equal((await readOf(here)).state, "HELD");
    assert.equal((await here.admin("/v1/admin/recovery/unknown")).data.submittedOnly, false);
  });
});
