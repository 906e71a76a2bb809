// Webhooks of companies: each event that a company chose reaches its receiver once and signed, and no other one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { acceptedSender, application, dataOf, provision } from "../../../test/applications.ts";
import { answerStatus, type Receiver, startReceiver } from "../../../test/receiver.ts";
import { rows } from "../../../test/sending.ts";
import { type Company, type TestService, testService, until } from "../../../test/testservice.ts";
import { runDueCampaigns } from "../../messaging/campaigns/due.ts";
import { tellLowBalances } from "../../messaging/notices/notices.ts";
import { COMPANY_EVENTS } from "./events.ts";
import { forgetOldDeliveries } from "./webhooks.ts";

const QUARTER_MS = 900_000;

type Scope = Parameters<typeof testService>[0];
type Told = { id: string; type: string; timestamp: string; data: Record<string, unknown> };
type Made = { id: string; secret: string };

const HERE = { config: { webhookAllowCidrs: ["127.0.0.0/8"] } };
/** Numbers of the simulated operator: it delivers to the first, and refuses the second. */
const REACHED = "2250700001000";
const FAILING = "2250700000001";

async function listening(t: Scope, events: readonly string[] = COMPANY_EVENTS) {
  const here = await testService(t, HERE);
  const company = await here.company({ credits: 100 });
  const receiver = await startReceiver(t);
  const made = await webhook(company, receiver, events);
  return { here, company, receiver, made };
}

function webhook(company: Company, { url }: Receiver, events: readonly string[]): Promise<Made> {
  return dataOf(company.call("/v1/company/webhook/create", { url, events }));
}

/** What came, in a fixed order, each verified by its signature. */
function toldTo({ received }: Receiver, { secret }: Made): Told[] {
  const verified = received.map(({ body, headers }) => new Webhook(secret).verify(body, headers) as Told);
  return verified.sort((a, b) => (a.type < b.type ? -1 : 1));
}

/** Waits for these events, and says whether nothing else came. */
async function requireTold(receiver: Receiver, made: Made, types: readonly string[]): Promise<Told[]> {
  await until(() => receiver.received.length >= types.length);
  const told = toldTo(receiver, made);
  assert.deepEqual(
    told.map(({ type }) => type),
    [...types].sort(),
  );
  return told;
}

/** The deliveries that the database has for a webhook, whether they went out or not. */
async function kept({ app }: TestService, { id }: Made): Promise<string[]> {
  const found = await rows(app, "SELECT type FROM webhook_deliveries WHERE endpoint_id = $1", [id]);
  return found.map(({ type }) => type as string).sort();
}

const send = (company: Company, contacts: string[], more: object = {}) =>
  dataOf(company.call("/v1/campaign/create", { text: "Bonjour", contacts, ...more }));

test("a campaign to one person is told with its callbackData, signed and once", async (t) => {
  const { company, receiver, made, here } = await listening(t);
  const { id } = await send(company, [REACHED], { callbackData: "commande-42" });
  const [completed, delivered] = await requireTold(receiver, made, [
    "campaign.completed",
    "message.delivered",
  ]);
  const about = { campaignId: id, callbackData: "commande-42" };
  assert.deepEqual(completed!.data, { ...about, status: "SENT", total: 1, sent: 1, failed: 0 });
  const { deliveredAt, ...rest } = delivered!.data;
  const fate = { status: "DELIVERED", error: null, errorReason: null };
  assert.deepEqual(rest, { ...about, messageId: `${id}-1`, phone: REACHED, ...fate });
  assert.ok(Date.parse(deliveredAt as string));
  assert.deepEqual(await kept(here, made), ["campaign.completed", "message.delivered"]);
});

test("a campaign to several is told by message and as a whole, without callbackData where none was given", async (t) => {
  const { company, receiver, made } = await listening(t);
  const { id } = await send(company, [REACHED, FAILING]);
  const types = ["campaign.completed", "message.delivered", "message.failed"];
  const told = await requireTold(receiver, made, types);
  for (const { data } of told) assert.ok(data.campaignId === id && !("callbackData" in data));
});

test("a webhook hears of what it chose alone, and each of several of what it chose", async (t) => {
  const { here, company, receiver, made } = await listening(t, ["campaign.completed"]);
  const other = await startReceiver(t);
  const second = await webhook(company, other, ["message.delivered", "campaign.completed"]);
  await send(company, [REACHED]);
  await requireTold(other, second, ["campaign.completed", "message.delivered"]);
  await requireTold(receiver, made, ["campaign.completed"]);
  const [{ id }] = toldTo(receiver, made) as [Told];
  assert.ok(toldTo(other, second).some((event) => event.id === id, "one event has one id at all of them"));
  assert.deepEqual(await kept(here, made), ["campaign.completed"]);
});

test("the runs of a scheduled campaign are told with its callbackData", async (t) => {
  const { here, company, receiver, made } = await listening(t, ["message.delivered"]);
  const at = new Date(Math.ceil(Date.now() / QUARTER_MS + 1) * QUARTER_MS);
  const { id } = await send(company, [REACHED], {
    ...{ type: "SCHEDULED", scheduledDate: at.toISOString(), callbackData: "rappel" },
  });
  await runDueCampaigns(here.app, new Date(at.getTime() + 1_000));
  const [{ data }] = (await requireTold(receiver, made, ["message.delivered"])) as [Told];
  assert.deepEqual([data.campaignId, data.callbackData], [id, "rappel"]);
});

test("a company hears of what an application sends for it, beside the application", async (t) => {
  const { here, company, receiver, made } = await listening(t, ["message.delivered"]);
  await acceptedSender(here, company, "BOUTIQUE");
  const its = await startReceiver(t);
  const app = await application(here, { webhookUrl: its.url });
  for (const hasWebhook of [true, false]) {
    receiver.received.length = 0;
    const sender = hasWebhook ? app : await application(here);
    const asked = { defaultSenderId: "BOUTIQUE" };
    const account = `client-${hasWebhook}`;
    const { connectionId, connectionToken } = await dataOf(provision(sender, company, account, asked));
    for (let sends = 1; sends <= 2; sends++) {
      const sent = { connectionToken, message: "Bonjour", contacts: [REACHED], callbackData: "c-7" };
      const { campaignId } = await dataOf(here.call("/v1/third-party-app/sms/send", sent));
      await until(() => receiver.received.length === sends);
      const found = toldTo(receiver, made).find(({ data }) => data.campaignId === campaignId)!;
      assert.deepEqual([found.data.connectionId, found.data.callbackData], [connectionId, "c-7"]);
    }
  }
  const heard = () =>
    its.received
      .map(({ body }) => JSON.parse(body) as Told)
      .filter(({ type }) => type === "message.delivered");
  await until(() => heard().length === 2);
  assert.ok(heard().every(({ data }) => data.callbackData === "c-7"));
});

test("a one-time password is told by its token, never with its code", async (t) => {
  const { company, receiver, made, here } = await listening(t);
  const asked = { phoneNumber: REACHED, callbackData: "connexion-9" };
  const { token } = await dataOf(company.call("/v1/auth/otp/get", asked));
  const [{ data }] = (await requireTold(receiver, made, ["message.delivered"])) as [Told];
  assert.deepEqual([data.token, data.callbackData, data.phone], [token, "connexion-9", REACHED]);
  assert.deepEqual(Object.keys(data).sort(), [
    ...["callbackData", "deliveredAt", "error", "errorReason", "messageId", "phone", "status", "token"],
  ]);
  assert.deepEqual(await kept(here, made), ["message.delivered"]);
});

test("an opt-out is told once, by whom it comes", async (t) => {
  const { here, company, receiver, made } = await listening(t, ["optout.created"]);
  for (let i = 0; i < 2; i++) await dataOf(company.call("/v1/optout/create", { phone: REACHED }));
  await requireTold(receiver, made, ["optout.created"]);
  await acceptedSender(here, company, "BOUTIQUE");
  const other = "2250700002000";
  await send(company, [other], { senderId: "BOUTIQUE" });
  const reply = { from: other, to: "BOUTIQUE", text: "STOP", adminKey: here.adminKey };
  for (let i = 0; i < 2; i++) await here.call("/v1/admin/simulator/reply", reply);
  const told = await requireTold(receiver, made, ["optout.created", "optout.created"]);
  const sources = told.map(({ data }) => [data.phone, data.source]).sort();
  assert.deepEqual(sources, [
    [REACHED, "COMPANY"],
    [other, "HANDSET"],
  ]);
  assert.equal((await kept(here, made)).length, 2);
});

test("a low balance is told once, when its owner is", async (t) => {
  const { here, company, receiver, made } = await listening(t, ["credit.low"]);
  const { signal } = new AbortController();
  await dataOf(company.call("/v1/company/update", { lowBalance: 500 }));
  await Promise.all([1, 2].map(() => tellLowBalances(here.app, signal)));
  const [{ data }] = (await requireTold(receiver, made, ["credit.low"])) as [Told];
  assert.deepEqual(data, { balance: 100, lowBalance: 500 });
  await tellLowBalances(here.app, signal);
  assert.deepEqual(await kept(here, made), ["credit.low"]);
});

test("what becomes of a sender is told, with the reason", async (t) => {
  const { here, company, receiver, made } = await listening(t, ["sender.accepted", "sender.refused"]);
  const ask = (name: string) => dataOf(company.call("/v1/sender/create", { name, description: "Le nôtre" }));
  const [good, bad] = [await ask("BOUTIQUE"), await ask("BANQUE")];
  const admin = (path: string, body: object = {}) => here.call(path, { adminKey: here.adminKey, ...body });
  for (let i = 0; i < 2; i++) {
    await dataOf(admin(`/v1/admin/sender/${good.id}/accept`));
    await dataOf(admin(`/v1/admin/sender/${bad.id}/refuse`, { reason: "Le nom d'une banque" }));
  }
  const [accepted, refused] = await requireTold(receiver, made, ["sender.accepted", "sender.refused"]);
  assert.deepEqual(accepted!.data, { senderId: good.id, name: "BOUTIQUE", status: "ACCEPTED" });
  const reason = "Le nom d'une banque";
  assert.deepEqual(refused!.data, { senderId: bad.id, name: "BANQUE", status: "REFUSED", reason });
  assert.equal((await kept(here, made)).length, 2);
});

test("who chose no events of sends has no row for a send to one person, and a paused webhook none either", async (t) => {
  const { here, company, made } = await listening(t, ["credit.low"]);
  const isListened = async () => {
    const { id } = await send(company, [REACHED]);
    return (await rows(here.app, "SELECT FROM sends WHERE id = $1", [id])).length > 0;
  };
  const change = (body: object) => dataOf(company.call(`/v1/company/webhook/${made.id}/update`, body));
  assert.equal(await isListened(), false);
  await change({ events: ["message.failed"] });
  assert.equal(await isListened(), true);
  const paused = await change({ enabled: false });
  assert.deepEqual([paused.enabled, paused.disabledReason], [false, "PAUSED"]);
  assert.equal(await isListened(), false);
  const again = await change({ enabled: true });
  assert.deepEqual([again.enabled, again.disabledReason, again.disabledAt], [true, null, null]);
  assert.equal(await isListened(), true);
  await dataOf(company.call(`/v1/company/webhook/${made.id}/delete`));
  assert.equal(await isListened(), false);
});

test("a webhook is listed, read, tested, replayed, given another secret and deleted", async (t) => {
  const { here, company, receiver, made } = await listening(t, ["message.failed", "message.failed"]);
  const at = (path: string, body: object = {}) =>
    dataOf(company.call(`/v1/company/webhook/${made.id}${path}`, body));
  assert.match(made.secret, /^whsec_/);
  const read = await at("");
  assert.deepEqual([read.url, read.events, read.enabled], [receiver.url, ["message.failed"], true]);
  assert.ok(!("secret" in read));
  assert.deepEqual(await dataOf(company.call("/v1/company/webhook/list")), [read]);
  const { id } = await at("/test");
  await requireTold(receiver, made, ["webhook.test"]);
  const delivered = await until(async () =>
    (await dataOf(company.call(`/v1/company/webhook/${made.id}/deliveries`))).find(
      (d: Told & { status: string }) => d.status === "DELIVERED",
    ),
  );
  assert.equal(delivered.id, id);
  assert.equal((await at(`/${id}`)).payload.type, "webhook.test");
  await dataOf(company.call(`/v1/company/webhook/${made.id}/${id}/replay`));
  await until(() => receiver.received.length === 2);
  assert.equal(toldTo(receiver, made)[1]!.id, id);
  const { secret } = await dataOf(company.call(`/v1/company/webhook/${made.id}/rotate-secret`));
  assert.notEqual(secret, made.secret);
  await at("/test");
  await until(() => receiver.received.length === 3);
  assert.equal(toldTo(receiver, { ...made, secret: made.secret }).length, 3);
  new Webhook(secret).verify(receiver.received[2]!.body, receiver.received[2]!.headers);
  assert.deepEqual(await at("/delete"), { count: 1 });
  for (const path of ["", "/test", "/deliveries", `/${id}`, `/${id}/replay`, "/delete", "/rotate-secret"])
    assert.equal((await company.call(`/v1/company/webhook/${made.id}${path}`)).error, "not-found", path);
  assert.deepEqual(await dataOf(company.call("/v1/company/webhook/list")), []);
  await forgetOldDeliveries(here.app, new AbortController().signal);
  for (const [table, column] of [
    ["webhook_endpoints", "id"],
    ["webhook_deliveries", "endpoint_id"],
  ])
    assert.deepEqual(await rows(here.app, `SELECT FROM ${table} WHERE ${column} = $1`, [made.id]), []);
});

test("bad events, addresses and too many webhooks are refused, and another company finds nothing", async (t) => {
  const { here, company, receiver, made } = await listening(t);
  const create = (body: object) => company.call("/v1/company/webhook/create", body);
  for (const events of [[], ["message.sent"], ["webhook.test"], "message.failed"]) {
    const refused = await create({ url: receiver.url, events });
    assert.equal(refused.error, "invalid-request");
    assert.match(refused.details![0]!.field, /^events/);
  }
  const hidden = await create({ url: "https://10.0.0.1/", events: ["message.failed"] });
  assert.deepEqual([hidden.error, hidden.details![0]!.field], ["invalid-request", "url"]);
  for (let i = 1; i < here.app.config.limits.quotas.webhooks; i++)
    await dataOf(create({ url: receiver.url, events: ["credit.low"] }));
  assert.equal((await create({ url: receiver.url, events: ["credit.low"] })).error, "conflict");
  const other = await here.company();
  for (const path of ["", "/update", "/test", "/deliveries", "/delete", "/rotate-secret", "/x", "/x/replay"])
    assert.equal((await other.call(`/v1/company/webhook/${made.id}${path}`)).error, "not-found", path);
  await send(other, [], {}).catch(() => {});
  const long = await company.call("/v1/campaign/create", {
    ...{ text: "Bonjour", contacts: [REACHED], callbackData: "x".repeat(201) },
  });
  assert.equal(long.error, "invalid-request");
});

test("nobody hears of what another company sends", async (t) => {
  const { here, receiver, made } = await listening(t);
  const other = await here.company({ credits: 10 });
  const its = await startReceiver(t);
  const own = await webhook(other, its, ["message.delivered"]);
  await send(other, [REACHED]);
  await requireTold(its, own, ["message.delivered"]);
  assert.equal(receiver.received.length, 0);
  assert.deepEqual(await kept(here, made), []);
});

test("after an answer 410 a webhook is disabled, its company told, and an address enables it again", async (t) => {
  const here = await testService(t, HERE);
  const company = await here.company({ credits: 100 });
  const gone = await startReceiver(t, answerStatus(410));
  const made = await webhook(company, gone, ["credit.low"]);
  const read = () => dataOf(company.call(`/v1/company/webhook/${made.id}`));
  await dataOf(company.call(`/v1/company/webhook/${made.id}/test`));
  const disabled = await until(async () => ((await read()).enabled ? undefined : read()));
  assert.equal(disabled.disabledReason, "GONE");
  assert.equal((await company.call(`/v1/company/webhook/${made.id}/test`)).error, "conflict");
  const untold = "SELECT FROM webhook_endpoints WHERE id = $1 AND tell_owner_at IS NOT NULL";
  await until(async () => (await rows(here.app, untold, [made.id])).length === 0);
  const receiver = await startReceiver(t);
  const moved = await dataOf(company.call(`/v1/company/webhook/${made.id}/update`, { url: receiver.url }));
  assert.deepEqual([moved.enabled, moved.disabledReason], [true, null]);
  await dataOf(company.call(`/v1/company/webhook/${made.id}/test`));
  await until(() => receiver.received.length > 0);
});

test("a person who is erased is erased from all that the company's webhooks were told", async (t) => {
  const { here, company, receiver, made } = await listening(t);
  await send(company, [REACHED]);
  await requireTold(receiver, made, ["campaign.completed", "message.delivered"]);
  await dataOf(company.call("/v1/optout/create", { phone: REACHED }));
  await until(() => receiver.received.length === 3);
  const naming = "SELECT FROM webhook_deliveries WHERE endpoint_id = $1 AND data::text LIKE '%' || $2 || '%'";
  assert.equal((await rows(here.app, naming, [made.id, REACHED])).length, 2);
  await dataOf(company.call("/v1/contact/erase", { phone: REACHED }));
  await until(async () => (await rows(here.app, naming, [made.id, REACHED])).length === 0);
});
