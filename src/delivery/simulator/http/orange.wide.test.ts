// The simulated Orange, over its socket: tokens, checks of a message, the contract, receipts and customer replies.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { listenForCallbacks, postJson, startCarrier, untilCounted } from "../../../../test/httpcarriers.ts";
import type { HttpCarrier, HttpCarrierOptions } from "./server.ts";

const PHONE = "2250700009999";
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

type Options = Partial<HttpCarrierOptions>;

function startOrange(t: TestContext, options: Options = {}): Promise<HttpCarrier> {
  return startCarrier(t, { kind: "orange", systemId: "app", password: "secret", ...options });
}

async function tokenOf({ url }: HttpCarrier, password = "secret", grant = "client_credentials") {
  const basic = Buffer.from(`app:${password}`).toString("base64");
  const response = await fetch(`${url}/oauth/v3/token`, {
    method: "POST",
    headers: { Authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: grant }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

type Sent = { to?: string; sender?: string; more?: object; token?: string };

/** Sends a message with a token of its own, unless one is given. */
async function send(carrier: HttpCarrier, { to = PHONE, sender = "tel:+2250000", more, token }: Sent = {}) {
  const bearer = token ?? (await tokenOf(carrier)).body.access_token;
  const url = `${carrier.url}/smsmessaging/v1/outbound/${encodeURIComponent(sender)}/requests`;
  const outboundSMSMessageRequest = {
    address: `tel:+${to}`,
    senderAddress: sender,
    senderName: "ATUMPAN",
    outboundSMSTextMessage: { message: "à demain" },
    ...more,
  };
  const answer = await postJson(url, { outboundSMSMessageRequest }, { Authorization: `Bearer ${bearer}` });
  const { outboundSMSMessageRequest: echo, requestError, ...platform } = answer.body;
  const { serviceException, policyException } = (requestError ?? {}) as Record<string, { messageId: string }>;
  const { resourceURL = "", ...echoed } = (echo ?? {}) as { resourceURL?: string };
  const id = resourceURL.split("/").at(-1);
  const error = serviceException?.messageId ?? policyException?.messageId;
  return { status: answer.status, resourceURL, id, echoed, error, platform };
}

test("a token has an hour as a text, and needs the client's secret and grant", async (t) => {
  const orange = await startOrange(t);
  const { status, body } = await tokenOf(orange);
  assert.deepEqual([status, body.token_type, body.expires_in], [200, "Bearer", "3600"]);
  const wrong = await tokenOf(orange, "guess");
  assert.deepEqual([wrong.status, wrong.body.error], [401, "invalid_client"]);
  assert.match(wrong.body.error_description ?? "", /Basic /, "the error echoes the header");
  assert.equal((await tokenOf(orange, "secret", "password")).body.error, "unsupported_grant_type");
  orange.faults["token-down"] = 1;
  const down = await fetch(`${orange.url}/oauth/v3/token`, { method: "POST" });
  assert.deepEqual([down.status, down.headers.get("Content-Type")], [503, "text/html"]);
});

test("a message is echoed with its address as a list, and its id is the end of resourceURL", async (t) => {
  const orange = await startOrange(t);
  const { status, id, resourceURL, echoed } = await send(orange, { more: { clientCorrelator: "m1" } });
  assert.equal(status, 201);
  assert.match(id ?? "", UUID);
  assert.equal(resourceURL, `https://api.orange.com/smsmessaging/v1/outbound/tel:+2250000/requests/${id}`);
  assert.deepEqual(echoed, {
    address: [`tel:+${PHONE}`],
    senderAddress: "tel:+2250000",
    senderName: "ATUMPAN",
    outboundSMSTextMessage: { message: "à demain" },
    clientCorrelator: "m1",
  });
  const [message] = orange.inbox();
  assert.deepEqual([message?.id, message?.from, message?.text], [id, "ATUMPAN", "à demain"]);
});

test("an unknown and an expired token are refused by the platform, before the API", async (t) => {
  const orange = await startOrange(t, { tokenLifeMs: 0 });
  const unknown = await send(orange, { token: "guess" });
  assert.deepEqual([unknown.status, unknown.platform.code], [401, 41]);
  const expired = await send(orange);
  assert.deepEqual([expired.status, expired.platform.code], [401, 42]);
  assert.deepEqual([orange.stats().unauthorized, orange.stats().tokens], [2, 1]);
});

test("another country, a landline, several addresses and a bad name are refused by the API", async (t) => {
  const orange = await startOrange(t);
  const addressed = { status: 400, error: "SVC0004" };
  assert.partialDeepStrictEqual(await send(orange, { to: "221770000000" }), addressed);
  assert.partialDeepStrictEqual(await send(orange, { to: "2252722440000" }), addressed);
  assert.partialDeepStrictEqual(await send(orange, { to: "2250700000001" }), addressed);
  const two = { address: [`tel:+${PHONE}`, "tel:+2250700009998"] };
  assert.partialDeepStrictEqual(await send(orange, { more: two }), addressed);
  for (const more of [
    { senderName: "TWELVE CHARS" },
    { senderAddress: "tel:+2210000" },
    { outboundSMSTextMessage: { message: "" } },
  ])
    assert.partialDeepStrictEqual(await send(orange, { more }), { status: 400, error: "SVC0002" });
  assert.deepEqual([orange.stats().accepted, orange.stats().refused], [0, 7]);
});

test("a wrong sender address is accepted and swallowed: no handset, no receipt, and the log says so", async (t) => {
  const client = await listenForCallbacks(t);
  const orange = await startOrange(t, { receiptUrl: client.url });
  const swallowed = await send(orange, { sender: "tel:+2250001" });
  assert.equal(swallowed.status, 201);
  const { id } = await send(orange);
  assert.ok((await client.next()).body.includes(id ?? "none"), "the first receipt is that of the second one");
  assert.deepEqual(
    orange.accepted().map((entry) => [entry.id, entry.http?.isSwallowed]),
    [
      [swallowed.id, true],
      [id, undefined],
    ],
  );
  assert.deepEqual([orange.inbox().length, orange.stats().swallowed], [1, 1]);
});

test("a contract without units, or that has ended, is a policy error; the contract says so", async (t) => {
  const contractOf = async (orange: HttpCarrier) => {
    const { access_token } = (await tokenOf(orange)).body;
    const headers = { Authorization: `Bearer ${access_token}` };
    const response = await fetch(`${orange.url}/sms/admin/v1/contracts`, { headers });
    const [contract] = (await response.json()) as Record<string, unknown>[];
    return [response.status, contract?.country, contract?.availableUnits, contract?.status];
  };
  const poor = await startOrange(t, { units: 1 });
  assert.equal((await send(poor)).status, 201);
  assert.partialDeepStrictEqual(await send(poor), { status: 403, error: "POL0001" });
  assert.deepEqual(await contractOf(poor), [200, "CIV", 0, "ACTIVE"]);
  const ended = await startOrange(t, { contractEnded: true, country: "221" });
  const given = { to: "221770000000", sender: "tel:+2210000" };
  assert.partialDeepStrictEqual(await send(ended, given), { status: 403, error: "POL0001" });
  assert.deepEqual(await contractOf(ended), [200, "SEN", 1_000_000, "EXPIRED"]);
});

test("above the rate it answers 429, and a path that does not exist is code 60", async (t) => {
  const orange = await startOrange(t, { ratePerSecond: 1 });
  const token = (await tokenOf(orange)).body.access_token ?? "";
  assert.deepEqual(
    [(await send(orange, { token })).status, (await send(orange, { token })).status],
    [201, 429],
  );
  assert.deepEqual(
    [(await postJson(`${orange.url}/smsmessaging/v1/outbound`, {})).body.code, orange.stats().throttled],
    [60, 1],
  );
});

for (const [digits, ...words] of [
  ["0002", "DeliveryImpossible"],
  ["0006", "DeliveryImpossible"],
  ["0007", "DeliveryImpossible", "DeliveredToTerminal"],
  ["0008", "DeliveryUncertain"],
  ["0009", "DeliveredToNetwork", "DeliveredToTerminal"],
  ["1234", "DeliveredToTerminal"],
] as const) {
  test(`${digits}: receipts ${words.join(", then ")} with the id of resourceURL`, async (t) => {
    const client = await listenForCallbacks(t);
    const orange = await startOrange(t, { receiptUrl: client.url });
    const { id } = await send(orange, { to: `225070000${digits}` });
    for (const deliveryStatus of words)
      assert.deepEqual(await client.nextJson(), {
        deliveryInfoNotification: {
          callbackData: id,
          deliveryInfo: { address: `tel:+225070000${digits}`, deliveryStatus },
        },
      });
    await untilCounted(orange, ({ receiptsAcknowledged }) => receiptsAcknowledged === 1);
  });
}

test("receipts may carry the client's correlator, and a customer replies", async (t) => {
  const client = await listenForCallbacks(t);
  const orange = await startOrange(t, {
    receiptUrl: client.url,
    inboundUrl: client.url,
    correlator: "client",
  });
  await send(orange, { more: { clientCorrelator: "m1" } });
  assert.partialDeepStrictEqual(await client.nextJson(), {
    deliveryInfoNotification: { callbackData: "m1" },
  });
  await orange.reply({ from: PHONE, to: "98765", text: "OUI" });
  const inbound = { senderAddress: `tel:+${PHONE}`, destinationAddress: "98765", message: "OUI" };
  assert.partialDeepStrictEqual(await client.nextJson(), {
    inboundSMSMessageNotification: { inboundSMSMessage: inbound },
  });
});
