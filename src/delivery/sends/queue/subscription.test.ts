// Watched sends: each event is emitted once, in the transaction that makes it happen, whatever befalls the gateway.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { QUOTAS } from "../../../../test/fixtures.ts";
import { inLongRuns, inShortRuns } from "../../../../test/length.ts";
import { startProcess } from "../../../../test/process.ts";
import { type Endpoint, type Hooks, hooks, startReceiver } from "../../../../test/receiver.ts";
import {
  accepted,
  addOperator,
  allAre,
  assertBalanced,
  deliverReceipt,
  phones,
  rows,
  send,
  settled,
  startBeside,
  startScripted,
  statusesOf,
  waitingMessages,
} from "../../../../test/sending.ts";
import { type Company, until } from "../../../../test/testservice.ts";
import { acceptRequests } from "../../../messaging/campaigns/accept.ts";
import { requestOf } from "../../../messaging/campaigns/campaigns.ts";
import { termsOf } from "../../../messaging/campaigns/pricing.ts";
import { Refusal } from "../../../platform/http/refusals.ts";
import { STATUS, type SubmitSm } from "../../../protocol/smpp/pdu.ts";
import { startSimulator } from "../../simulator/simulator.ts";
import { expireMessages } from "../settlement/expire.ts";
import { moveMessages } from "../settlement/settle.ts";
import { finishUnqueued, leaveUnqueued } from "./steps.ts";

const PHONE = "2250700001000";
const REFUSED = "2250700000001";
const UNDELIVERED = "2250700000002";
const EXPIRED = "2250700000006";
const NOBODY = "http://127.0.0.1:9/hook";

type SentEvent = { type: string; data: Record<string, unknown> };

function aboutOf(id: string) {
  return { connectionId: "c1", externalAccountId: "boutique-7", campaignId: id };
}

/** Makes a campaign as an application does: the endpoint is told what becomes of it. */
async function sendWatched(
  h: Hooks,
  company: Company,
  endpoint: Pick<Endpoint, "id">,
  to: readonly string[],
  more: object = {},
): Promise<string> {
  const { companyId, userId } = company;
  const caller = {
    companyId,
    userId,
    country: "CI",
    countries: null,
    language: "fr",
    senderLimit: 0,
    isPartner: false,
    quotas: QUOTAS,
  } as const;
  const input = { text: "Bonjour", contacts: to, groupsIds: [], type: "SMS" } as const;
  const draft = await requestOf(h.app, caller, input);
  const subscription = {
    endpointId: endpoint.id,
    listenerId: null,
    language: "en" as const,
    about: { ...aboutOf(draft.id), ...more },
  };
  const terms = await termsOf(h.app);
  const [made] = await h.app.database.transaction((tx) =>
    acceptRequests(h.app, tx, [{ ...draft, subscription }], terms),
  );
  if (made instanceof Refusal) throw made;
  return draft.id;
}

/** The events that the database has for an endpoint, in a fixed order. */
async function eventsSentTo(h: Hooks, endpoint: Endpoint): Promise<SentEvent[]> {
  const text =
    "SELECT type, data FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY type, data->>'phone'";
  return ((await rows(h.app, text, [endpoint.id])) as SentEvent[]).map(withoutTime);
}

/** The event without its time of delivery, which only `message.delivered` has, and without the id of its message. */
function withoutTime({ type, data: { deliveredAt, messageId, ...data } }: SentEvent): SentEvent {
  assert.equal(typeof messageId, type.startsWith("message.") ? "string" : "undefined");
  assert.equal(typeof deliveredAt, type === "message.delivered" ? "string" : "undefined");
  return { type, data };
}

const OUT_OF_REACH =
  "The operator accepted the message but could not deliver it: number out of service, phone unreachable or barred.";
/** By error, in the language of the watch. */
const REASONS: Record<string, string> = {
  ESME_RINVDSTADR: "The operator does not know this number or does not serve it.",
  "000": OUT_OF_REACH,
  "001": OUT_OF_REACH,
  "002": "The operator accepted the message but did not reach the phone in time.",
  expired: "No operator accepted the message within its validity period.",
  "unknown-outcome":
    "The session was lost before the operator answered, and the operator reported nothing afterwards: the message may have arrived.",
};

function message(id: string, phone: string, status: string, error: string | null = null): SentEvent {
  const type = status === "DELIVERED" ? "message.delivered" : "message.failed";
  const errorReason = error === null ? null : REASONS[error];
  return { type, data: { ...aboutOf(id), phone, status, error, errorReason } };
}

function end(id: string, sent: number, failed: number): SentEvent {
  const [type, status] = sent > 0 ? ["campaign.completed", "SENT"] : ["campaign.failed", "FAILED"];
  return { type: type!, data: { ...aboutOf(id), status, total: sent + failed, sent, failed } };
}

/** Asserts that each of these phones has one event, and that the send has one. */
async function assertEachOnce(h: Hooks, endpoint: Endpoint, to: readonly string[]): Promise<SentEvent[]> {
  const events = await eventsSentTo(h, endpoint);
  const ofMessages = events.filter(({ type }) => type.startsWith("message."));
  assert.deepEqual(ofMessages.map(({ data }) => data.phone).sort(), to.toSorted());
  assert.equal(events.length, to.length + 1);
  return events;
}

suite("watched sends", { concurrency: 4 }, () => {
  test(
    "W01 W16: each final message has one signed event, and the end of the send has one",
    inShortRuns,
    async (t) => {
      const h = await hooks(t);
      const simulator = await startSimulator();
      h.scope.after(() => simulator.stop());
      await addOperator(h.here, simulator.port);
      await startBeside(h.scope, h.here, ["gateway"]);
      h.deliver();
      const receiver = await startReceiver(h.scope);
      const endpoint = await h.endpoint(receiver.url);
      const company = await h.here.company({ credits: 100 });
      const to = [PHONE, REFUSED, UNDELIVERED, EXPIRED];
      const unwatched = [await send(company, to), await send(company, PHONE), await send(company, REFUSED)];
      const id = await sendWatched(h, company, endpoint, to);
      const single = await sendWatched(h, company, endpoint, [PHONE]);
      const refused = await sendWatched(h, company, endpoint, [REFUSED]);
      const expected = [
        message(id, PHONE, "DELIVERED"),
        message(id, REFUSED, "REJECTED", "ESME_RINVDSTADR"),
        message(id, UNDELIVERED, "UNDELIVERED", "001"),
        message(id, EXPIRED, "EXPIRED", "002"),
        end(id, 3, 1),
        message(single, PHONE, "DELIVERED"),
        end(single, 1, 0),
        message(refused, REFUSED, "REJECTED", "ESME_RINVDSTADR"),
        end(refused, 0, 1),
      ];
      await until(() => receiver.received.length === expected.length);
      const received = receiver.received.map(({ headers, body }) => {
        return withoutTime(new Webhook(endpoint.secret).verify(body, headers) as SentEvent);
      });
      assert.deepEqual(new Set(received.map(textOf)), new Set(expected.map(textOf)));
      await until(async () => !(await statusesOf(company, unwatched[0]!)).includes("SENT"));
      await allAre("DELIVERED", company, unwatched[1]!);
      for (const [campaign, status] of [
        [id, "SENT"],
        [single, "SENT"],
        [refused, "FAILED"],
      ] as const)
        assert.equal((await company.call(`/v1/campaign/${campaign}`)).data.status, status);
      const all = await rows(h.app, "SELECT endpoint_id FROM webhook_deliveries");
      assert.equal(all.length, expected.length, "a send that nobody watches tells nothing");
      await assertBalanced(h.here);
    },
  );

  test(
    "D01 D03: each message has one event, made by its first receipt, even if receipts come early, twice or contradict",
    inShortRuns,
    async (t) => {
      const h = await hooks(t);
      const operator = await startScripted(h.scope, async (pdu, session, n) => {
        // The receipt of the first message comes before the answer.
        if (n === 1) await deliverReceipt(session, pdu, "A1");
        return accepted(`A${n}`);
      });
      await addOperator(h.here, operator.port);
      await startBeside(h.scope, h.here, ["gateway"]);
      const endpoint = await h.endpoint(NOBODY);
      const company = await h.here.company({ credits: 10 });
      const to = phones(3);
      const id = await sendWatched(h, company, endpoint, to);
      await settled(company, id);
      assert.deepEqual((await eventsSentTo(h, endpoint))[0], end(id, 3, 0), "before its last receipt");
      const [session] = operator.sessions;
      const [first, second, third] = operator.received as [SubmitSm, SubmitSm, SubmitSm];
      const tell = (pdu: SubmitSm, as: string, state: Parameters<typeof deliverReceipt>[3]) =>
        deliverReceipt(session!, pdu, as, state);
      const answers = [
        tell(second, "A2", "DELIVERED"),
        tell(second, "A2", "DELIVERED"),
        tell(third, "A3", "UNDELIVERED"),
        tell(first, "A1", "UNDELIVERED"),
      ];
      assert.deepEqual(new Set(await Promise.all(answers)), new Set([STATUS.ESME_ROK]));
      for (const state of ["UNDELIVERED", "ENROUTE", "DELIVERED"] as const)
        for (const [i, pdu] of operator.received.entries()) await tell(pdu, `A${i + 1}`, state);
      assert.deepEqual(await eventsSentTo(h, endpoint), [
        end(id, 3, 0),
        message(id, first.destinationAddr, "DELIVERED"),
        message(id, second.destinationAddr, "DELIVERED"),
        message(id, third.destinationAddr, "UNDELIVERED", "000"),
      ]);
    },
  );

  test(
    "W16: each event is emitted exactly once despite SIGKILLs of the gateway and dropped sessions",
    inLongRuns,
    async (t) => {
      const h = await hooks(t);
      const simulator = await startSimulator({
        latencyMs: 30,
        receiptDelayMs: 20,
        faults: { dropAfterAccept: 70 },
      });
      h.scope.after(() => simulator.stop());
      await addOperator(h.here, simulator.port, { window: 20 });
      const environment = {
        DATABASE_URL: h.here.databaseUrl,
        MASTER_KEY: h.app.config.keys!.masterKey,
        ADMIN_KEY: h.here.adminKey,
        ROLES: "gateway",
      };
      const startGateway = () => startProcess(environment, { settings: { quarantineMs: 3_000 } });
      let gateway = await startGateway();
      h.scope.after(() => gateway.end("SIGKILL"));
      const endpoint = await h.endpoint(NOBODY);
      const company = await h.here.company({ credits: 1_000 });
      const to = [...phones(400), REFUSED, UNDELIVERED, EXPIRED];
      const id = await sendWatched(h, company, endpoint, to);
      for (const reached of [60, 200]) {
        await until(() => simulator.stats().accepted >= reached);
        await gateway.end("SIGKILL");
        gateway = await startGateway();
      }
      const { stats } = await settled(company, id);
      await until(async () => (await eventsSentTo(h, endpoint)).length === to.length + 1);
      const events = await assertEachOnce(h, endpoint, to);
      const [last] = events;
      assert.deepEqual(last, end(id, 402, 1));
      assert.equal(events.filter(({ type }) => type === "message.delivered").length, 400);
      assert.ok(simulator.stats().binds > 2, `${simulator.stats().binds} binds`);
      assert.equal(stats.total, 403);
      await assertBalanced(h.here);
    },
  );

  test(
    "a message that expires in the queue or is of unknown fate fails, and its event is emitted once",
    inShortRuns,
    async (t) => {
      const h = await hooks(t);
      await addOperator(h.here, 9);
      const endpoint = await h.endpoint(NOBODY);
      const company = await h.here.company({ credits: 100 });
      const to = phones(3);
      const id = await sendWatched(h, company, endpoint, to);
      const single = await sendWatched(h, company, endpoint, [PHONE]);
      const elsewhere = await sendWatched(h, company, { id: "gone" }, to);
      const lost = (await waitingMessages(h.app)).find(({ sendId }) => sendId === single)!;
      await rows(h.app, "UPDATE batches SET intent = size WHERE id = $1", [lost.batchId]);
      const move = { message: lost, fate: "unknown", waitMs: null, expireMs: null } as const;
      await h.app.database.transaction((tx) => moveMessages(tx, [move]));
      await rows(h.app, "UPDATE batches SET expires_at = now()");
      await Promise.all([expireMessages(h.app), expireMessages(h.app)]);
      await settled(company, id);
      await settled(company, elsewhere);
      await expireMessages(h.app);
      const expected = [
        ...to.map((phone) => message(id, phone, "EXPIRED", "expired")),
        end(id, 0, 3),
        message(single, PHONE, "UNKNOWN", "unknown-outcome"),
        end(single, 0, 1),
      ];
      assert.deepEqual(new Set((await eventsSentTo(h, endpoint)).map(textOf)), new Set(expected.map(textOf)));
      const all = await rows(h.app, "SELECT FROM webhook_deliveries");
      assert.equal(
        all.length,
        expected.length,
        "what has no endpoint tells nobody, and is settled all the same",
      );
    },
  );

  test(
    "a cancel before or during sending: canceled messages have failed, and the send has its end event",
    inShortRuns,
    async (t) => {
      const h = await hooks(t);
      const endpoint = await h.endpoint(NOBODY);
      const company = await h.here.company({ credits: 1_000 });
      const simulator = await startSimulator({ latencyMs: 30 });
      h.scope.after(() => simulator.stop());
      await addOperator(h.here, simulator.port, { window: 10 });
      for (const to of [phones(3), [PHONE]]) {
        const id = await sendWatched(h, company, endpoint, to);
        assert.equal((await company.call(`/v1/campaign/${id}/cancel`)).success, true);
        await settled(company, id);
        const expected = [...to.map((phone) => message(id, phone, "CANCELED")), end(id, 0, to.length)];
        const events = (await eventsSentTo(h, endpoint)).filter(({ data }) => data.campaignId === id);
        assert.deepEqual(new Set(events.map(textOf)), new Set(expected.map(textOf)));
        assert.equal(events.length, expected.length);
      }
      await startBeside(h.scope, h.here, ["gateway"]);
      const to = phones(300);
      const other = await h.endpoint(NOBODY);
      const id = await sendWatched(h, company, other, to);
      await until(() => simulator.stats().accepted >= 20);
      assert.equal((await company.call(`/v1/campaign/${id}/cancel`)).success, true);
      await settled(company, id);
      await until(async () => (await eventsSentTo(h, other)).length === to.length + 1);
      const events = await assertEachOnce(h, other, to);
      const sent = events.filter(({ type }) => type === "message.delivered").length;
      assert.ok(sent >= 20 && sent < 300, `${sent} of 300 sent`);
      assert.deepEqual(events[0], end(id, sent, 300 - sent));
    },
  );

  test(
    "a send that is queued in steps ends once, whether its last step comes before or after its messages",
    inShortRuns,
    async (t) => {
      const h = await hooks(t);
      await addOperator(h.here, 9);
      const endpoint = await h.endpoint(NOBODY);
      const company = await h.here.company({ credits: 100 });
      const to = phones(3);
      const expire = async () => {
        await rows(h.app, "UPDATE batches SET expires_at = now()");
        await expireMessages(h.app);
      };
      const ends = async (id: string) =>
        (await eventsSentTo(h, endpoint)).filter(
          ({ type, data }) => type.startsWith("campaign.") && data.campaignId === id,
        );
      for (const order of ["messages first", "last step first"]) {
        const id = await sendWatched(h, company, endpoint, to);
        const rest = {
          id,
          accountId: company.companyId,
          campaignId: id,
          poolId: company.companyId,
          remaining: 2,
          nextNumber: 4,
          cursor: "",
        };
        // The state after two more people were counted and nobody was found.
        await rows(h.app, "UPDATE holds SET total = 5 WHERE id = $1", [id]);
        await h.app.database.transaction((tx) => leaveUnqueued(tx, rest));
        const step = () => h.app.database.transaction((tx) => finishUnqueued(tx, rest));
        const [first, last] = order === "messages first" ? [expire, step] : [step, expire];
        await first();
        assert.deepEqual(await ends(id), [], order);
        await last();
        assert.deepEqual(await ends(id), [end(id, 0, 3)], order);
      }
    },
  );

  test(
    "a description of a send that is longer than its limit is refused before anything is queued",
    inShortRuns,
    async (t) => {
      const h = await hooks(t);
      await addOperator(h.here, 9);
      const endpoint = await h.endpoint(NOBODY);
      const company = await h.here.company({ credits: 10 });
      const sending = sendWatched(h, company, endpoint, [PHONE], { externalAccountId: "x".repeat(2_100) });
      await assert.rejects(sending, /characters/);
      assert.deepEqual(await waitingMessages(h.app), []);
    },
  );
});

function textOf(events: SentEvent): string {
  return JSON.stringify(events);
}
