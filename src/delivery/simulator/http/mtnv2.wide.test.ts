// The simulated MTN of v2, over its socket: both answers, checks of a message, status, subscriptions, receipts.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { listenForCallbacks, startCarrier } from "../../../../test/httpcarriers.ts";
import type { HttpCarrier, HttpCarrierOptions } from "./server.ts";

const PHONE = "2250500009999";

function startMtn(t: TestContext, options: Partial<HttpCarrierOptions> = {}): Promise<HttpCarrier> {
  return startCarrier(t, { kind: "mtn", api: "v2", systemId: "key", password: "secret", ...options });
}

type Answer = { statusCode: string; transactionId: string; data?: Record<string, unknown>; _link?: object };

/** Calls with a fresh token. */
async function call({ url }: HttpCarrier, path: string, value?: unknown, method = "POST") {
  const token = await fetch(`${url}/v1/oauth/access_token?grant_type=client_credentials`, {
    method: "POST",
    body: new URLSearchParams({ client_id: "key", client_secret: "secret" }),
  });
  const { access_token } = (await token.json()) as Record<string, string>;
  const response = await fetch(`${url}/v2/messages/sms/outbound${path}`, {
    method,
    headers: { Authorization: `Bearer ${access_token}`, "Content-Type": "application/json" },
    ...(value !== undefined && { body: JSON.stringify(value) }),
  });
  return { status: response.status, ...((await response.json()) as Answer) };
}

const MESSAGE = {
  senderAddress: "ATUMPAN",
  receiverAddress: [PHONE],
  message: "à demain",
  clientCorrelator: "m1",
};

const send = (mtn: HttpCarrier, more: object = {}) => call(mtn, "", { ...MESSAGE, ...more });

test("a message is answered 201 with a request id, the correlator and a link", async (t) => {
  const mtn = await startMtn(t);
  const { status, statusCode, data, _link } = await send(mtn);
  const [message] = mtn.inbox({ phone: PHONE });
  assert.deepEqual([message?.from, message?.text], ["ATUMPAN", "à demain"]);
  assert.deepEqual([status, statusCode], [201, "0000"]);
  assert.deepEqual(data, { requestId: message?.id, clientCorrelator: "m1" });
  const href = `https://api.mtn.com/v2/messages/sms/outbound/ATUMPAN/${message?.id}`;
  assert.deepEqual(_link, { self: { href } });
});

test("a migrated country answers 200 in the form of v3, and returns the correlator as transaction id", async (t) => {
  const mtn = await startMtn(t, { api: "v2-migrated" });
  const { status, transactionId, data } = await send(mtn);
  assert.deepEqual([status, transactionId, data], [200, "m1", { status: "PENDING" }]);
  const without = await send(mtn, { clientCorrelator: undefined });
  assert.equal(without.transactionId, mtn.inbox()[0]?.id);
});

test("a missing field, a long text, a long correlator and a bad receiver are 5000; v3 has another path", async (t) => {
  const mtn = await startMtn(t);
  for (const more of [
    { message: undefined },
    { senderAddress: "" },
    { message: "é".repeat(161) },
    { clientCorrelator: "x".repeat(37) },
    { receiverAddress: [PHONE, PHONE] },
    { receiverAddress: ["2250500000001"] },
  ]) {
    const { status, statusCode } = await send(mtn, more);
    assert.deepEqual([status, statusCode], [400, "5000"], JSON.stringify(more));
  }
  assert.equal((await fetch(`${mtn.url}/v3/sms/messages/sms/outbound`, { method: "POST" })).status, 404);
  assert.equal((await fetch(`${mtn.url}/v2/messages/sms/outbound`, { method: "POST" })).status, 401);
  assert.equal(mtn.stats().accepted, 0);
});

test("the status of a message can be queried, whatever its receipt did", async (t) => {
  const mtn = await startMtn(t);
  const { data } = await send(mtn, { receiverAddress: ["2250500000002"] });
  const path = `/ATUMPAN/${data?.requestId}/deliveryStatus`;
  assert.partialDeepStrictEqual(await call(mtn, path, undefined, "GET"), {
    status: 200,
    data: {
      requestId: data?.requestId,
      clientCorrelator: "m1",
      deliveryStatus: [{ receiverAddress: "2250500000002", status: "DeliveryImpossible" }],
    },
  });
  assert.equal((await call(mtn, "/ATUMPAN/nobody/deliveryStatus", undefined, "GET")).status, 404);
});

for (const [api, vocabulary, ...words] of [
  ["v2", "v2", "DeliveredToTerminal", "DeliveryImpossible", "DeliveryImpossible", "DeliveryUncertain"],
  ["v2-migrated", "wire", "DELIVRD", "DeliveryImpossible", "EXPIRED", "DeliveryUncertain"],
] as const) {
  test(`receipts of ${api} in the words ${vocabulary} have the transaction id of the answer`, async (t) => {
    const client = await listenForCallbacks(t);
    const mtn = await startMtn(t, { api, vocabulary, receiptUrl: client.url });
    for (const [i, digits] of ["1234", "0002", "0006", "0008"].entries()) {
      const receiverAddress = [`225050000${digits}`];
      const { transactionId } = await send(mtn, { receiverAddress, clientCorrelator: digits });
      assert.partialDeepStrictEqual(await client.nextJson(), {
        transactionId,
        deliveryStatus: words[i],
        receiverAddress: receiverAddress[0],
      });
    }
  });
}

test("a subscription of a sender says where its receipts go, until it is deleted", async (t) => {
  const [first, second] = [await listenForCallbacks(t), await listenForCallbacks(t)];
  const mtn = await startMtn(t, { receiptUrl: first.url, inboundUrl: first.url });
  assert.equal((await call(mtn, "/ATUMPAN/subscription", { notifyUrl: second.url })).status, 400);
  const subscription = { notifyUrl: second.url, targetSystem: "atumpan" };
  const { status, data } = await call(mtn, "/ATUMPAN/subscription", subscription);
  assert.equal(status, 201);
  const { transactionId } = await send(mtn);
  assert.partialDeepStrictEqual(await second.nextJson(), { transactionId });
  const path = `/ATUMPAN/subscription/${data?.subscriptionId}`;
  assert.equal((await call(mtn, path, undefined, "DELETE")).status, 200);
  assert.equal((await call(mtn, path, undefined, "DELETE")).status, 404);
  const after = await send(mtn, { clientCorrelator: "m2" });
  assert.partialDeepStrictEqual(await first.nextJson(), { transactionId: after.transactionId });
  await mtn.reply({ from: PHONE, to: "98765", text: "OUI" });
  const message = { senderAddress: PHONE, receiverAddress: "98765", message: "OUI" };
  assert.partialDeepStrictEqual(await first.nextJson(), message);
});
