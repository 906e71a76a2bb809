// The simulated MTN, over its socket: tokens, checks of a message, repeats, subscriptions, receipts, handsets.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { listenForCallbacks, postJson, startCarrier } from "../../../../test/httpcarriers.ts";
import type { HttpCarrier, HttpCarrierOptions } from "./server.ts";

const PHONE = "2250500009999";

function startMtn(t: TestContext, options: Partial<HttpCarrierOptions> = {}): Promise<HttpCarrier> {
  return startCarrier(t, { kind: "mtn", systemId: "key", password: "secret", ...options });
}

async function tokenOf({ url }: HttpCarrier, { secret = "secret", grant = "client_credentials" } = {}) {
  const response = await fetch(`${url}/v1/oauth/access_token?grant_type=${grant}`, {
    method: "POST",
    body: new URLSearchParams({ client_id: "key", client_secret: secret }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

/** Calls with a fresh token. */
async function call(mtn: HttpCarrier, path: string, value: unknown, method = "POST", headers = {}) {
  const { access_token } = (await tokenOf(mtn)).body;
  const response = await fetch(`${mtn.url}/v3/sms/messages/sms${path}`, {
    method,
    headers: { Authorization: `Bearer ${access_token}`, "Content-Type": "application/json", ...headers },
    body: JSON.stringify(value),
  });
  const body = (await response.json()) as {
    statusCode: string;
    transactionId: string;
    data?: Record<string, string>;
  };
  return { status: response.status, code: body.statusCode, id: body.transactionId, data: body.data };
}

const MESSAGE = {
  senderAddress: "ATUMPAN",
  receiverAddress: [PHONE],
  message: "à demain",
  clientCorrelatorId: "m1",
  serviceCode: "98765",
  requestDeliveryReceipt: true,
};

const send = (mtn: HttpCarrier, more: object = {}, headers = {}) =>
  call(mtn, "/outbound", { ...MESSAGE, ...more }, "POST", headers);

test("a token has its seconds as a text, and needs the secret and the grant", async (t) => {
  const mtn = await startMtn(t);
  const { status, body } = await tokenOf(mtn);
  assert.deepEqual([status, body.token_type, body.expires_in], [200, "BearerToken", "3599"]);
  const wrong = await tokenOf(mtn, { secret: "guess" });
  assert.deepEqual([wrong.status, wrong.body.statusCode], [401, "4000"]);
  assert.equal((await tokenOf(mtn, { grant: "password" })).status, 400);
});

test("a message is answered 0000 and PENDING with a transaction id", async (t) => {
  const mtn = await startMtn(t);
  const { status, code, id, data } = await send(mtn, {}, { "x-api-key": "key" });
  assert.deepEqual([status, code, data], [200, "0000", { status: "PENDING" }]);
  const [message] = mtn.inbox({ phone: PHONE });
  assert.deepEqual([message?.id, message?.from, message?.text], [id, "ATUMPAN", "à demain"]);
});

test("a mandatory field that is missing, a long correlator and a bad receiver are 5000", async (t) => {
  const mtn = await startMtn(t);
  for (const more of [
    { message: undefined },
    { serviceCode: undefined },
    { clientCorrelatorId: undefined },
    { clientCorrelatorId: "x".repeat(37) },
    { receiverAddress: PHONE },
    { receiverAddress: [`+${PHONE}`] },
    { receiverAddress: [PHONE, PHONE] },
    { receiverAddress: ["2250500000001"] },
  ]) {
    const { status, code } = await send(mtn, more);
    assert.deepEqual([status, code], [400, "5000"], JSON.stringify(more));
  }
  assert.equal(mtn.stats().accepted, 0);
});

test("a wrong token and a wrong x-api-key are 4000, the rate is 1013, an error in a 200 is 1005", async (t) => {
  const mtn = await startMtn(t, { ratePerSecond: 1 });
  const guess = { Authorization: "Bearer guess" };
  for (const headers of [guess, { "x-api-key": "guess" }]) {
    const { status, code } = await send(mtn, {}, headers);
    assert.deepEqual([status, code], [401, "4000"]);
  }
  mtn.faults["error-in-200"] = 1;
  const inside = await send(mtn);
  assert.deepEqual([inside.status, inside.code], [200, "1005"]);
  mtn.faults["error-in-200"] = 0;
  await send(mtn);
  const throttled = await send(mtn);
  assert.deepEqual([throttled.status, throttled.code, mtn.stats().throttled], [429, "1013", 1]);
});

test("a correlator that was used before is accepted again and counted, or refused", async (t) => {
  const accepting = await startMtn(t);
  for (const _ of [1, 2]) assert.equal((await send(accepting)).code, "0000");
  assert.equal(accepting.stats().duplicates, 1);
  const refusing = await startMtn(t, { duplicates: "reject" });
  assert.equal((await send(refusing)).code, "0000");
  assert.equal((await send(refusing)).code, "5000");
  assert.deepEqual([refusing.stats().accepted, refusing.stats().absorbed], [1, 1]);
});

for (const [vocabulary, id, ...words] of [
  ["v3", "clientCorrelatorId", "DELIVERED", "UNDELIVERED", "EXPIRED", "UNKNOWN"],
  ["wire", "transactionId", "DELIVRD", "DeliveryImpossible", "EXPIRED", "DeliveryUncertain"],
] as const) {
  test(`receipts in the words ${vocabulary} have the id in ${id}`, async (t) => {
    const client = await listenForCallbacks(t);
    const mtn = await startMtn(t, { receiptUrl: client.url, vocabulary });
    await send(mtn, { requestDeliveryReceipt: false });
    for (const [i, digits] of ["1234", "0002", "0006", "0008"].entries()) {
      const answer = await send(mtn, {
        receiverAddress: [`225050000${digits}`],
        clientCorrelatorId: digits,
      });
      const receipt = await client.nextJson<Record<string, string>>();
      assert.deepEqual(
        [receipt[id], receipt.deliveryStatus, receipt.receiverAddress],
        [vocabulary === "v3" ? digits : answer.id, words[i], `225050000${digits}`],
      );
    }
  });
}

test("a subscription says where receipts and messages of handsets go, until it is changed or deleted", async (t) => {
  const [reports, inbound] = [await listenForCallbacks(t), await listenForCallbacks(t)];
  const mtn = await startMtn(t);
  const subscription = { serviceCode: "98765", callbackUrl: inbound.url, targetSystem: "atumpan" };
  assert.equal((await call(mtn, "/subscription", { serviceCode: "98765" })).code, "5000");
  const { data } = await call(mtn, "/subscription", { ...subscription, deliveryReportUrl: reports.url });
  const path = `/subscription/${data?.subscriptionId}`;
  const taken = await call(mtn, "/subscription", subscription);
  assert.deepEqual([taken.status, taken.code], [403, "4004"]);

  await send(mtn);
  assert.partialDeepStrictEqual(await reports.nextJson(), { clientCorrelatorId: "m1" });
  await mtn.reply({ from: PHONE, to: "98765", text: "OUI" });
  const { created, ...message } = await inbound.nextJson<Record<string, unknown>>();
  assert.deepEqual(message, { senderAddress: PHONE, receiverAddress: "98765", message: "OUI" });
  assert.equal(typeof created, "number");

  assert.equal((await call(mtn, path, { deliveryReportUrl: inbound.url }, "PATCH")).code, "0000");
  await send(mtn, { clientCorrelatorId: "m2" });
  assert.partialDeepStrictEqual(await inbound.nextJson(), { clientCorrelatorId: "m2" });
  assert.equal((await call(mtn, path, {}, "DELETE")).data?.subscriptionId, data?.subscriptionId);
  assert.equal((await call(mtn, path, {}, "DELETE")).status, 404);
  assert.equal((await postJson(`${mtn.url}/elsewhere`, {})).status, 404);
});
