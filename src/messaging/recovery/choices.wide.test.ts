// What is decided while sending is held: no phone gets a message twice where it is known what was submitted, whatever happens
// before the decision is carried out, and whoever waits for a person or for its time.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { changeServer, copyDatabase } from "../../../test/database.ts";
import {
  accepted,
  addOperator,
  assertBalanced,
  NEVER,
  phones,
  rows,
  type Scope,
  type ScriptedOperator,
  send,
  settled,
  stacked,
  startBeside,
  startScripted,
  statusesOf,
  waitingMessages,
} from "../../../test/sending.ts";
import { type Company, type TestService, testService, until } from "../../../test/testservice.ts";
import { expireMessages } from "../../delivery/sends/settlement/expire.ts";
import { runDueCampaigns } from "../campaigns/due.ts";

const READ = "/v1/admin/recovery/read";
const UNKNOWN = "/v1/admin/recovery/unknown";
const KNOWN = { submittedOnly: true };
/** A promotion goes on after 10 s where processes vouch for it, each of which looks four times a second. */
const VOUCHED_MS = 14_000;

type Site = { here: TestService; scope: Scope; operator: ScriptedOperator; company: Company };
type Options = Parameters<typeof testService>[1];

/** An interface whose operator accepts everything that a gateway sends, once there is one. */
async function site(t: Scope, options: Options = {}): Promise<Site> {
  const operator = await startScripted(t, (_pdu, _session, n) => accepted(`m${n}`));
  const scope = stacked(t);
  const config = { roles: new Set(["api"] as const), simulator: false, ...options.config };
  const here = await testService(scope, { ...options, config });
  await addOperator(here, operator.port);
  return { here, scope, operator, company: await here.company({ credits: 10_000 }) };
}

const readOf = async (here: TestService) => (await here.admin(READ)).data;
const isNormal = (here: TestService) => until(async () => (await readOf(here))?.state === "NORMAL");

/** Waits until each gateway has reported all that it had submitted. */
const allReported = (here: TestService) =>
  until(async () => {
    const data = await readOf(here);
    const gateways: { reported: string }[] = data?.gateways ?? [];
    return gateways.length > 0 && gateways.every(({ reported }) => reported === "ALL") && data;
  });

/** Waits until one gateway of the time before is known at least. */
const gatewayKnown = (here: TestService) =>
  until(async () => {
    const data = await readOf(here);
    return data?.gateways?.length > 0 && data;
  });

const phonesOf = ({ received }: ScriptedOperator) => received.map(({ destinationAddr }) => destinationAddr);

function assertOnce(operator: ScriptedOperator): void {
  const all = phonesOf(operator);
  const seen = new Set<string>();
  assert.deepEqual(
    all.filter((phone) => seen.size === seen.add(phone).size),
    [],
    "nobody got a message twice",
  );
}

/** Another server takes over, which has everything. Resolves once sending goes on, or surely does not. */
async function takeOver(here: TestService) {
  const { incarnation } = await readOf(here);
  await changeServer(here.ownerUrl);
  return until(async () => {
    const data = await readOf(here);
    if (!(data?.incarnation > incarnation)) return undefined;
    const isOver = Date.now() - Date.parse(data.heldAt) > VOUCHED_MS;
    return (data.state !== "HELD" || isOver) && data;
  });
}

/** A campaign to four people that was sent after the copy that is restored. */
async function restored(t: Scope) {
  const at = await site(t);
  const { here, scope, operator, company } = at;
  const campaign = await send(company, phones(4));
  const restore = await copyDatabase(here.ownerUrl);
  await startBeside(scope, here, ["gateway"]);
  await settled(company, campaign);
  assert.equal(operator.received.length, 4);
  await restore();
  await allReported(here);
  return { ...at, campaign };
}

/** A campaign to four people that runs at this time after a copy, which is restored. */
async function restoredAfterRun(t: Scope, next: string) {
  const at = await site(t);
  const { here, scope, operator, company } = at;
  const scheduled = { type: "SCHEDULED", scheduledDate: "2027-01-04T09:00:00Z" };
  const { data } = await company.call("/v1/campaign/create", {
    ...{ contacts: phones(4), text: "Bonjour", ...scheduled },
  });
  await rows(here.app, `UPDATE campaigns SET next_at = ${next} WHERE id = $1`, [data.id]);
  const [{ next_at: nextAt }] = await rows(here.app, "SELECT next_at FROM campaigns WHERE id = $1", [
    data.id,
  ]);
  const beaten = "SELECT FROM incarnations WHERE beat_at > least($1, now())";
  await until(async () => (await rows(here.app, beaten, [nextAt])).length > 0);
  const restore = await copyDatabase(here.ownerUrl);
  await startBeside(scope, here, ["gateway", "worker"]);
  await until(() => operator.received.length === 4);
  await restore();
  await allReported(here);
  const isPast = async () =>
    (await rows(here.app, "SELECT FROM campaigns WHERE id = $1 AND next_at IS NULL", [data.id])).length > 0;
  return { ...at, isPast };
}

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
  const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false } });
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
    submitted: phonesOf(operator),
  };
}

suite("what is decided while sending is held", { concurrency: 4 }, () => {
  test("M20: only what was submitted is of unknown fate, and the rest is sent", async (t) => {
    const { here, operator, company, campaigns, restore, gateway, submitted, open } = await restoring(t);
    await restore();
    const held = await allReported(here);
    const { node } = gateway.app.database;
    assert.deepEqual(
      [held.state, held.messages, held.gateways],
      ["HELD", 10, [{ node, host: held.gateways[0].host, reported: "ALL" }]],
    );
    const during = await send(company, "2250709090909");
    open();
    const { data } = await here.admin(UNKNOWN, KNOWN);
    assert.deepEqual([data.decision, data.submittedOnly, data.messages], ["UNKNOWN", true, 10]);
    await settled(company, during);
    const statuses = await until(async () => {
      const all = (await Promise.all(campaigns.map((id) => statusesOf(company, id)))).flat();
      return !all.includes("QUEUED") && all;
    });
    assert.equal(statuses.filter((status) => status === "UNKNOWN").length, submitted.length);
    assert.equal(operator.received.length, 11);
    assertOnce(operator);
    await assertBalanced(here);
    const [left] = await rows(here.app, "SELECT count(*)::int AS count FROM submitted_messages");
    assert.equal(left!.count, submitted.length);
  });

  test("M20: `submittedOnly` is no choice where a gateway has not reported all: one that only another process knows, or whose files are gone", async (t) => {
    const { here, restore, gateway, beats } = await restoring(t);
    await beats();
    await beats();
    await rm(join(gateway.app.config.dataDir, "submitted"), { recursive: true });
    await restore();
    const held = await gatewayKnown(here);
    assert.deepEqual(
      [held.gateways[0].node, held.gateways[0].reported],
      [gateway.app.database.node, "NOTHING"],
    );
    const refused = await here.admin(UNKNOWN, KNOWN);
    assert.deepEqual([refused.error, refused.details![0]!.field], ["conflict", "submittedOnly"]);
    assert.equal((await readOf(here)).state, "HELD");
    assert.equal((await here.admin(UNKNOWN)).data.submittedOnly, false);
  });

  test("M20: a gateway that had not reported is still missed after another server takes over", async (t) => {
    const { here, scope, company } = await site(t);
    await send(company, phones(4));
    const lost = await startBeside(scope, here, ["gateway"]);
    const restore = await copyDatabase(here.ownerUrl);
    await lost.stop();
    await rm(join(lost.app.config.dataDir, "submitted"), { recursive: true });
    await restore();
    const held = await gatewayKnown(here);
    const { node } = lost.app.database;
    assert.deepEqual([held.gateways[0].node, held.gateways[0].reported], [node, "NOTHING"]);
    // As an hour later, with the interface on another disk.
    await rows(here.app, "DELETE FROM nodes WHERE node = $1", [node]);
    await rm(join(here.app.config.dataDir, "submitted"), { recursive: true, force: true });
    await startBeside(scope, here, ["gateway", "worker"]);
    const { gateways } = await takeOver(here);
    assert.ok(
      gateways.some((one: { node: string; reported: string }) => one.node === node && one.reported !== "ALL"),
    );
    const refused = await here.admin(UNKNOWN, KNOWN);
    assert.deepEqual([refused.error, refused.details![0]!.field], ["conflict", "submittedOnly"]);
  });

  test("M20: what a person had released is not sent by a second release", async (t) => {
    const { here, scope, operator, company } = await site(t, {
      config: { holdFirstCampaigns: 3 },
      limits: { peopleBeforeReview: 2 },
    });
    const campaign = await send(company, phones(4));
    const kept = await send(company, phones(3, "22505"));
    const restore = await copyDatabase(here.ownerUrl);
    await startBeside(scope, here, ["gateway", "worker"]);
    const release = async (id: string) => {
      const { companyId } = company;
      const answer = await here.admin(`/v1/admin/campaign/${id}/release`, { companyId });
      assert.equal(answer.success, true, JSON.stringify(answer));
    };
    await release(campaign);
    await settled(company, campaign);
    await restore();
    await allReported(here);
    assert.equal((await here.admin(UNKNOWN, KNOWN)).success, true);
    await isNormal(here);
    await release(campaign);
    await release(kept);
    await until(() => operator.received.length >= 7);
    await settled(company, kept);
    assertOnce(operator);
    await assertBalanced(here);
  });

  test("M20: a campaign that was due before the last sign of life, and had not run by then, is not run again", async (t) => {
    const { here, operator, company, isPast } = await restoredAfterRun(t, "now()");
    assert.equal((await here.admin(UNKNOWN, KNOWN)).success, true);
    await isNormal(here);
    await until(isPast);
    await settled(company, await send(company, "2250709090909"));
    assertOnce(operator);
  });

  test("M20: a worker that had just begun when the database was restored runs no campaign and expires no message", async (t) => {
    const { here, operator, company, isPast } = await restoredAfterRun(t, "now()");
    const waiting = await send(company, "2250709090909");
    await rows(here.app, "UPDATE batches SET expires_at = now(), doubtful = true WHERE account_id = $1", [
      company.companyId,
    ]);
    await runDueCampaigns(here.app, null);
    await expireMessages(here.app);
    assert.equal(await isPast(), false);
    assert.deepEqual(await statusesOf(company, waiting), ["QUEUED"]);
    assert.equal((await here.admin(UNKNOWN, KNOWN)).success, true);
    await isNormal(here);
    await until(isPast);
    await settled(company, waiting);
    assertOnce(operator);
  });

  test("M20: a time beside `submittedOnly` is refused, and a campaign that ran after the copy is not run again", async (t) => {
    const { here, operator, company, isPast } = await restoredAfterRun(t, "now() + interval '5 seconds'");
    const { heldAt } = await readOf(here);
    const refused = await here.admin(UNKNOWN, { ...KNOWN, since: heldAt });
    assert.deepEqual([refused.error, refused.details![0]!.field], ["invalid-request", "since"]);
    assert.equal((await here.admin(UNKNOWN, KNOWN)).success, true);
    await isNormal(here);
    await until(isPast);
    await settled(company, await send(company, "2250709090909"));
    assertOnce(operator);
  });

  test("M20: who decides otherwise than was decided hears it, and who decides the same gets the same answer", async (t) => {
    const { here } = await restored(t);
    const { data } = await here.admin(UNKNOWN, KNOWN);
    assert.equal(data.submittedOnly, true);
    assert.deepEqual((await here.admin(UNKNOWN, KNOWN)).data.decidedAt, data.decidedAt);
    assert.equal((await here.admin(UNKNOWN)).error, "conflict");
  });

  test("M20: another server that takes over while sending is held does not let it go on by itself", async (t) => {
    const { here, operator } = await restored(t);
    const { state, reason } = await takeOver(here);
    assert.deepEqual([state, reason], ["HELD", "PROMOTED"]);
    assertOnce(operator);
  });

  test("M20: another server that takes over while the decision is carried out holds sending again", async (t) => {
    // There is no worker yet, so nothing of it is carried out.
    const { here, scope, operator } = await restored(t);
    const { lastSeenAt } = await readOf(here);
    assert.equal((await here.admin(UNKNOWN, KNOWN)).data.state, "SETTLING");
    const held = await takeOver(here);
    assert.deepEqual([held.state, held.decision, held.lastSeenAt], ["HELD", null, lastSeenAt]);
    await startBeside(scope, here, ["worker"]);
    await allReported(here);
    assert.equal((await here.admin(UNKNOWN, KNOWN)).success, true);
    await isNormal(here);
    await until(async () => (await waitingMessages(here.app)).every(({ unknown }) => unknown));
    assertOnce(operator);
  });

  test("M20: a large campaign of which the rest is queued by steps after the copy goes out to each once", async (t) => {
    let isOpen = false;
    const operator = await startScripted(t, (_pdu, _session, n) =>
      isOpen || n <= 10_300 ? accepted(`m${n}`) : NEVER,
    );
    const scope = stacked(t);
    const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false } });
    await addOperator(here, operator.port);
    const company = await here.company({ credits: 100_000 });
    const all = phones(10_500);
    const { data: group } = await company.call("/v1/group/create", { name: "Clients" });
    for (let from = 0; from < all.length; from += 5_000) {
      const { data: made } = await company.call("/v1/contact/create", {
        contacts: all.slice(from, from + 5_000),
      });
      const contactIds = made.map(({ id }: { id: string }) => id);
      await company.call(`/v1/group/${group.id}/contacts/add`, { contactIds });
    }
    const { data } = await company.call("/v1/campaign/create", { groupsIds: [group.id], text: "Bonjour" });
    assert.equal(data.contactCount, 10_500);
    const restore = await copyDatabase(here.ownerUrl);
    await startBeside(scope, here, ["gateway", "worker"]);
    await until(() => operator.received.length > 10_300);
    await restore();
    await allReported(here);
    isOpen = true;
    assert.equal((await here.admin(UNKNOWN, KNOWN)).data.messages, 10_500);
    await isNormal(here);
    await until(async () => (await waitingMessages(here.app)).every(({ unknown }) => unknown));
    assert.equal(operator.received.length, 10_500);
    assertOnce(operator);
    await assertBalanced(here);
  });
});
