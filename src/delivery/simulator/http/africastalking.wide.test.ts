// The simulated Africa's Talking, over its socket: the key, checks of a message, codes, the balance, receipts, replies.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { listenForCallbacks, startCarrier, untilCounted } from "../../../../test/httpcarriers.ts";
import type { HttpCarrier, HttpCarrierOptions } from "./server.ts";

const PHONE = "2250700009999";
const ID = /^ATXid_[\da-f]{32}$/;

type Recipient = { statusCode: number; number: string; status: string; cost: string; messageId: string };

function start(t: TestContext, options: Partial<HttpCarrierOptions> = {}): Promise<HttpCarrier> {
  return startCarrier(t, { kind: "africastalking", systemId: "shop", password: "atsk_1", ...options });
}

/** Sends a message; `fields` replaces or, with undefined, leaves out fields of the form. */
async function send(
  { url }: HttpCarrier,
  fields: Record<string, string | undefined> = {},
  headers: Record<string, string> = {},
) {
  const form = { username: "shop", to: `+${PHONE}`, message: "à demain", from: "ATUMPAN", ...fields };
  const given = Object.entries(form).filter((field): field is [string, string] => field[1] !== undefined);
  const response = await fetch(`${url}/version1/messaging`, {
    method: "POST",
    headers: { apiKey: "atsk_1", Accept: "application/json", ...headers },
    body: new URLSearchParams(given),
  });
  const text = await response.text();
  const isJson = response.headers.get("Content-Type") === "application/json";
  const {
    Message: message = text,
    Recipients: recipients = [],
  }: { Message?: string; Recipients?: Recipient[] } = isJson ? JSON.parse(text).SMSMessageData : {};
  return { status: response.status, message, recipients, recipient: recipients[0] };
}

async function balanceOf({ url }: HttpCarrier, username = "shop") {
  const headers = { apiKey: "atsk_1", Accept: "application/json" };
  const response = await fetch(`${url}/version1/user?username=${username}`, { headers });
  return [response.status, await response.text()];
}

test("a message is answered 201 with one recipient, its code, its cost and an id", async (t) => {
  const carrier = await start(t);
  const { status, message, recipients } = await send(carrier);
  assert.deepEqual([status, message], [201, "Sent to 1/1 Total Cost: XOF 20.0000"]);
  const [{ messageId, ...recipient } = { messageId: "" }] = recipients;
  assert.match(messageId, ID);
  assert.deepEqual(
    [recipients.length, recipient],
    [1, { statusCode: 101, number: `+${PHONE}`, status: "Success", cost: "XOF 20.0000" }],
  );
  const long = await send(carrier, { message: "é".repeat(200), from: undefined });
  assert.equal(long.recipient?.cost, "XOF 40.0000");
  assert.deepEqual(
    carrier.inbox().map((one) => [one.id, one.from, one.text.length]),
    [
      [long.recipient?.messageId, "AFRICASTKNG", 200],
      [messageId, "ATUMPAN", 8],
    ],
  );
});

test("a wrong key or username is 401 with a text, and a client that does not ask for JSON is noticed", async (t) => {
  const carrier = await start(t);
  const denied = { status: 401, message: "The supplied authentication is invalid", recipients: [] };
  assert.partialDeepStrictEqual(await send(carrier, {}, { apiKey: "atsk_2" }), denied);
  assert.partialDeepStrictEqual(await send(carrier, { username: "sandbox" }), denied);
  assert.partialDeepStrictEqual(await send(carrier, { username: undefined }), denied);
  assert.deepEqual(await balanceOf(carrier, "sandbox"), [401, denied.message]);
  assert.equal((await send(carrier, {}, { Accept: "*/*" })).status, 406);
  const { accepted, unauthorized, refused } = carrier.stats();
  assert.deepEqual([accepted, unauthorized, refused], [0, 4, 1]);
});

test("a field that is missing is 400, and a path that does not exist is 404", async (t) => {
  const carrier = await start(t);
  for (const fields of [{ to: undefined }, { message: "" }, { to: `+${PHONE},+2250700009998` }])
    assert.equal((await send(carrier, fields)).status, 400, JSON.stringify(fields));
  assert.equal((await fetch(`${carrier.url}/version1/messaging`)).status, 404);
  assert.equal((await fetch(`${carrier.url}/version2/messaging`, { method: "POST" })).status, 404);
});

test("a sender that is not registered rejects the request: 201 without recipients", async (t) => {
  const carrier = await start(t, { senderId: "ATUMPAN" });
  const unknown = { status: 201, message: "InvalidSenderId", recipients: [] };
  assert.partialDeepStrictEqual(await send(carrier, { from: "SOMEBODY" }), unknown);
  assert.partialDeepStrictEqual(await send(await start(t), { from: "TWELVE CHARS" }), unknown);
  assert.equal((await send(carrier)).recipient?.statusCode, 101);
  assert.deepEqual([carrier.stats().accepted, carrier.stats().refused], [1, 1]);
});

test("a recipient is rejected in a 201, with its code and without an id", async (t) => {
  const carrier = await start(t);
  for (const [to, statusCode, status] of [
    ["0700009999", 403, "InvalidPhoneNumber"],
    ["+2250700000001", 403, "InvalidPhoneNumber"],
    ["+2252722440000", 404, "UnsupportedNumberType"],
    ["+2250700000401", 401, "RiskHold"],
    ["+2250700000406", 406, "UserInBlacklist"],
    ["+2250700000409", 409, "DoNotDisturbRejection"],
    ["+2250700000502", 502, "RejectedByGateway"],
  ] as const) {
    const answer = await send(carrier, { to });
    assert.deepEqual([answer.status, answer.message], [201, "Sent to 0/1 Total Cost: 0"]);
    const rejected = { statusCode, number: to, status, cost: "0", messageId: "None" };
    assert.deepEqual(answer.recipients, [rejected]);
  }
  carrier.faults["error-in-200"] = 1;
  assert.equal((await send(carrier)).recipient?.status, "InternalServerError");
  assert.deepEqual([carrier.stats().accepted, carrier.stats().refused], [0, 8]);
});

test("the balance pays for parts, and without it a recipient is 405", async (t) => {
  const carrier = await start(t, { units: 3 });
  assert.deepEqual(await balanceOf(carrier), [200, '{"UserData":{"balance":"XOF 60.0000"}}']);
  assert.equal((await send(carrier, { message: "é".repeat(200) })).recipient?.statusCode, 101);
  const { recipient } = await send(carrier, { message: "é".repeat(201) });
  assert.deepEqual([recipient?.statusCode, recipient?.status], [405, "InsufficientBalance"]);
  assert.deepEqual(await balanceOf(carrier), [200, '{"UserData":{"balance":"XOF 20.0000"}}']);
});

test("above the rate it answers 429, and a text to 0004 is throttled twice", async (t) => {
  const slow = await start(t, { ratePerSecond: 1 });
  assert.deepEqual([(await send(slow)).status, (await send(slow)).status], [201, 429]);
  const carrier = await start(t);
  const statuses = [];
  for (const _ of [1, 2, 3]) statuses.push((await send(carrier, { to: "+2250700000004" })).status);
  assert.deepEqual([...statuses, carrier.stats().throttled], [429, 429, 201, 2]);
});

for (const [digits, ...words] of [
  ["0002", "Failed"],
  ["0006", "Expired"],
  ["0007", "Failed", "Success"],
  ["0009", "Sent", "Success"],
  ["1234", "Success"],
] as const) {
  test(`${digits}: receipts ${words.join(", then ")} as a form`, async (t) => {
    const client = await listenForCallbacks(t);
    const carrier = await start(t, { receiptUrl: client.url });
    const { recipient } = await send(carrier, { to: `+225070000${digits}` });
    for (const status of words) {
      const { headers, body } = await client.next();
      assert.equal(headers["content-type"], "application/x-www-form-urlencoded");
      assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), {
        id: recipient?.messageId,
        status,
        phoneNumber: `+225070000${digits}`,
        networkCode: "61203",
        retryCount: "0",
        ...(status === "Failed" && { failureReason: "DeliveryFailure" }),
      });
    }
    await untilCounted(carrier, ({ receiptsAcknowledged }) => receiptsAcknowledged === 1);
  });
}

test("0003 and 0008 have no receipt, because there is no word for an unknown state", async (t) => {
  const client = await listenForCallbacks(t);
  const carrier = await start(t, { receiptUrl: client.url });
  for (const digits of ["0003", "0008"]) await send(carrier, { to: `+225070000${digits}` });
  const { recipient } = await send(carrier);
  const form = new URLSearchParams((await client.next()).body);
  assert.equal(form.get("id"), recipient?.messageId);
  assert.equal(carrier.stats().accepted, 3);
});

test("a handset's message is a form with a date, and somebody else's receipt does not know the path", async (t) => {
  const client = await listenForCallbacks(t);
  const carrier = await start(t, { receiptUrl: client.url, inboundUrl: client.url, faults: { forged: 1 } });
  await carrier.reply({ from: PHONE, to: "98765", text: "OUI & merci" });
  const { date, id, ...message } = Object.fromEntries(new URLSearchParams((await client.next()).body));
  assert.deepEqual(message, { from: `+${PHONE}`, to: "98765", text: "OUI & merci" });
  assert.match(date ?? "", /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.ok(id);
  await send(carrier);
  await untilCounted(carrier, ({ receiptsAcknowledged }) => receiptsAcknowledged === 1);
  const { forged, forgedTaken } = carrier.stats();
  assert.deepEqual([forged, forgedTaken], [1, 0]);
});
