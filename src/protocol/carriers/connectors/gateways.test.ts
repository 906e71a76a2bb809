// Tests of the connectors of other gateways and of phones: Kannel, Jasmin, Atumpan and SMSGate.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import {
  answer,
  carrierMessage,
  checkAnswers,
  checkStatus,
  got,
  NOW_MS,
  opened,
  posted,
  receiptOf,
  sentBy,
  statesOf,
} from "../../../../test/carriers.ts";

const OWN = carrierMessage().id;
const RECEIPT_URL = carrierMessage().receiptUrl;

test("Kannel: a GET whose receipts come to our URL with our id", () => {
  const { form } = sentBy("kannel", { text: "été €", leftMs: 3_600_000 });
  assert.deepEqual(form, {
    username: "the-username",
    password: "the-password",
    to: "2250707070707",
    from: "BOUTIQUE",
    text: "été €",
    charset: "UTF-8",
    coding: "0",
    validity: "60",
    "dlr-mask": "31",
    "dlr-url": `${RECEIPT_URL}?id=${OWN}&state=%d&phone=%p&sender=%P`,
  });
  assert.equal(sentBy("kannel", { unicode: true }, { plus: "yes" }).form.coding, "2");
  assert.equal(sentBy("kannel", {}, { plus: "yes" }).form.to, "+2250707070707");
  checkAnswers("kannel", [
    [202, "0: Accepted for delivery", `accepted ${OWN}`],
    [202, "3: Queued for later delivery", `accepted ${OWN}`],
    [202, "Sent. Message splits: 2", `accepted ${OWN}`],
    [202, "Something else", "unknown http-202"],
    [403, "Authorization failed for sendsms", "account bad-credentials"],
    [403, "Not routable. Do not try again.", "unserved unserved"],
    [400, "Missing receiver number, rejected", "permanent invalid-number"],
    [400, "Sender missing and no global set, rejected", "permanent invalid-sender"],
    [400, "Number(s) has/have been denied by white- and/or black-lists.", "permanent blocked-number"],
    [404, "Unknown request.", "account misconfigured"],
    [503, "Temporal failure, try again later.", "temporary http-503"],
  ]);
  const states = ["1", "2", "4", "8", "16"].map(
    (state) => receiptOf(opened("kannel"), got(`id=${OWN}&state=${state}&phone=%2B2250707070707`)).state,
  );
  assert.deepEqual(states, ["delivered", "undelivered", "sent", "sent", "rejected"]);
  assert.deepEqual(
    opened("kannel").receive(got("id=k1&from=%2B2250707070707&to=4545&text=Oui+merci")).inbound,
    [{ id: "k1", from: "2250707070707", to: "4545", text: "Oui merci" }],
  );
  const textOf = (more: string) =>
    opened("kannel").receive(got(`id=k1&from=%2B2250707070707&to=4545&text=${more}`)).inbound[0]?.text;
  assert.equal(textOf("%C3%89t%C3%A9+%2B1&coding=0"), "Été +1");
  for (const coding of ["&coding=2", ""])
    assert.equal(textOf(`%00S%00T%00O%00P%00+%00%2B%00%EA%D8%3D%DE%00${coding}`), "STOP +ê😀");
  assert.equal(textOf("%C3%89t%C3%A9"), "Été");
});

test("Jasmin: Unicode as hexadecimal, the quoted id, and ACK/Jasmin", () => {
  assert.equal(sentBy("jasmin", { text: "été" }).form.content, "été");
  const { form } = sentBy("jasmin", { text: "ê😀", unicode: true });
  assert.deepEqual([form.content, form["hex-content"], form.coding], [undefined, "00EAD83DDE00", "8"]);
  checkAnswers("jasmin", [
    [200, 'Success "07033084-5cfd-4812-90a4-e4d24ffb6e3d"', "accepted 07033084-5cfd-4812-90a4-e4d24ffb6e3d"],
    [403, 'Error "Authentication failure for username:x"', "account bad-credentials"],
    [403, 'Error "Cannot charge submit_sm, check RouterPB log file for details"', "account no-units"],
    [403, 'Error "User throughput exceeded"', "throttled 1000"],
    [400, 'Error "Authorization failed for user [x] (Cannot send MT messages)."', "account account-refused"],
    [
      400,
      'Error "Authorization failed for user [x] (Long content is not authorized)."',
      "permanent invalid-text",
    ],
    [
      400,
      'Error "Authorization failed for user [x] (Hex content not authorized)."',
      "permanent invalid-text",
    ],
    [
      400,
      'Error "Authorization failed for user [x] (Setting source address is not authorized)."',
      "permanent invalid-sender",
    ],
    [400, 'Error "Argument [to] has an invalid value: [x]."', "permanent invalid-number"],
    [412, 'Error "No route found"', "temporary http-412"],
    [
      500,
      'Error "Cannot send submit_sm, check SMPPClientManagerPB log file for details"',
      "temporary http-500",
    ],
  ]);
  const receipt = new URLSearchParams({
    id: "j1",
    level: "2",
    message_status: "UNDELIV",
    err: "013",
    donedate: "2601011030",
  });
  const { state, error, at } = receiptOf(opened("jasmin"), posted(receipt));
  assert.deepEqual([state, error, at?.toISOString()], ["undelivered", "013", "2026-01-01T10:30:59.000Z"]);
  assert.deepEqual(
    statesOf("jasmin", (message_status) => new URLSearchParams({ id: "j1", message_status }), [
      "ESME_ROK",
      "ESME_RINVDSTADR",
      "DELIVRD",
    ]),
    ["sent", "rejected", "delivered"],
  );
  const reply = { id: "j2", from: "2250707070707", to: "4545", content: "?" };
  const { inbound, answer: given } = opened("jasmin").receive(
    posted(new URLSearchParams({ ...reply, coding: "8", binary: "00ea" })),
  );
  assert.deepEqual(inbound, [{ id: "j2", from: "2250707070707", to: "4545", text: "ê" }]);
  assert.equal(given.body, "ACK/Jasmin");
});

test("Jasmin: octets of a reply in each coding, which Jasmin writes as an octet", () => {
  const textOf = (coding: string, binary: string, content = "%EF%BF%BD") => {
    const form = `id=j3&from=2250707070707&to=4545&content=${content}&coding=${coding}&binary=${binary}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return opened("jasmin").receive(posted(form, headers)).inbound[0]?.text;
  };
  for (const coding of ["%00", "0", "240", "%F1"])
    assert.equal(textOf(coding, "05742008001b65"), "ét ò@€", coding);
  for (const coding of ["%08", "8"]) assert.equal(textOf(coding, "00530054004f0050d83dde00"), "STOP😀");
  for (const coding of ["%03", "3", "1"]) assert.equal(textOf(coding, "41525245ca54"), "ARREÊT");
  // Latin-1 and UTF-8 under the coding of GSM-7.
  assert.equal(textOf("%00", "e974e9"), "été");
  assert.equal(textOf("%00", "c3a974c3a9"), "été");
  // Octets that are absent or broken.
  for (const binary of ["", "5", "zz"]) assert.equal(textOf("%00", binary, "STOP"), "STOP");
});

test("Atumpan: a campaign of one contact, idempotent on our id, with signed webhooks", () => {
  const connector = opened("atumpan");
  assert.ok(connector.isIdempotent);
  assert.deepEqual(sentBy("atumpan").json, {
    apiKey: "the-apiKey",
    companyId: "the-companyId",
    type: "SMS",
    contacts: [{ phone: "+2250707070707" }],
    text: "Bonjour",
    senderId: "BOUTIQUE",
    callbackData: OWN,
    idempotencyKey: OWN,
  });
  const failed = (error: string) => ({ success: false, data: null, error });
  const created = (blockedContacts: object[]) => ({
    success: true,
    data: { campaignId: "c1", blockedContacts },
  });
  checkAnswers("atumpan", [
    [200, created([]), "accepted c1"],
    [200, created([{ code: "opted-out" }]), "permanent blocked-number"],
    [400, failed("insufficient-credits"), "account no-units:insufficient-credits"],
    [400, failed("sender-not-accepted"), "permanent invalid-sender:sender-not-accepted"],
    [400, failed("message-too-long"), "permanent invalid-text:message-too-long"],
    [401, failed("not-authenticated"), "account bad-credentials:not-authenticated"],
    [429, failed("too-many-requests"), "throttled 9000", { "retry-after": "9" }],
    [500, failed("server-error"), "temporary server-error"],
  ]);
  const event = (type: string, data: object) =>
    posted({ id: "e1", type, timestamp: "2026-01-01T00:00:00.000Z", data });
  const delivered = {
    campaignId: "c1",
    callbackData: OWN,
    phone: "2250707070707",
    status: "DELIVERED",
    error: null,
  };
  const { id, ownId, state } = receiptOf(
    connector,
    event("message.delivered", { ...delivered, deliveredAt: "2026-01-01T00:00:00.000Z" }),
  );
  assert.deepEqual([id, ownId, state], ["c1", OWN, "delivered"]);
  const received = { messageId: "m1", from: "2250707070707", to: "98765", text: "Oui" };
  assert.deepEqual(connector.receive(event("message.received", received)).inbound, [
    { id: "m1", from: "2250707070707", to: "98765", text: "Oui" },
  ]);
  assert.equal(connector.receive(event("credit.low", { balance: 3 })).ignored, 1);
  assert.deepEqual(connector.balanceOf(answer(200, { success: true, data: 480 })), {
    units: "480",
    unit: "credits",
  });
});

test("SMSGate: a phone on the local network or by the cloud, idempotent on our id, with signed webhooks", () => {
  const local = sentBy("smsgate", { leftMs: 90_000 }, { simNumber: "2" });
  assert.equal(local.url, "http://carrier.example:8080/message");
  assert.deepEqual(local.json, {
    id: OWN,
    textMessage: { text: "Bonjour" },
    phoneNumbers: ["+2250707070707"],
    withDeliveryReport: true,
    simNumber: 2,
    ttl: 90,
  });
  const cloud = sentBy("smsgate", {}, { baseUrl: "https://api.sms-gate.app/3rdparty/v1", cloud: "yes" });
  assert.equal(cloud.url, "https://api.sms-gate.app/3rdparty/v1/messages");
  checkAnswers("smsgate", [
    [202, { id: OWN, state: "Pending", recipients: [] }, `accepted ${OWN}`],
    [409, { message: "duplicate id" }, `accepted ${OWN}`],
    [400, { message: "invalid phone number" }, "permanent invalid-number"],
    [401, "", "account bad-credentials:http-401"],
    [503, { error: "QueueLimitExceeded", message: "queue limits exceeded" }, "throttled 60000"],
    [503, "", "temporary http-503"],
  ]);
  const event = (name: string, payload: object) => posted({ deviceId: "d", event: name, id: "w1", payload });
  const failed = event("sms:failed", {
    messageId: OWN,
    recipient: "+2250707070707",
    reason: "RESULT_ERROR_NO_SERVICE",
    failedAt: "2026-01-01T07:00:00.000+07:00",
  });
  const { state, phone, error, at } = receiptOf(opened("smsgate"), failed);
  assert.deepEqual(
    [state, phone, error, at?.toISOString()],
    ["undelivered", "2250707070707", "RESULT_ERROR_NO_SERVICE", "2026-01-01T00:00:00.000Z"],
  );
  const received = event("sms:received", {
    messageId: "x",
    message: "Oui",
    sender: "+2250707070707",
    recipient: null,
  });
  assert.deepEqual(opened("smsgate").receive(received).inbound, [
    { id: "w1", from: "2250707070707", to: "", text: "Oui" },
  ]);
  assert.equal(opened("smsgate").receive(event("system:ping", {})).ignored, 1);

  const timestamp = String(NOW_MS / 1000);
  const signature = createHmac("sha256", "sk").update(failed.body).update(timestamp).digest("hex");
  const headers = { "x-signature": signature, "x-timestamp": timestamp };
  assert.equal(opened("smsgate", { signingKey: "sk" }).isAuthentic({ ...failed, headers }), "yes");
  assert.equal(opened("smsgate").isAuthentic({ ...failed, headers }), "not-configured");
  checkStatus("smsgate", { id: OWN, carrierId: "" }, [
    [200, { id: OWN, state: "Delivered", recipients: [] }, "delivered"],
    [200, { id: OWN, state: "Pending", recipients: [] }, "sent"],
    [404, { message: "not found" }, "nothing"],
  ]);
});
