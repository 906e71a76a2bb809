// Tests of the connectors of aggregators: Twilio, Vonage, Infobip, Africa's Talking and Termii.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import {
  answer,
  carrierMessage,
  checkAnswers,
  checkStatus,
  got,
  opened,
  posted,
  receiptOf,
  sentBy,
  statesOf,
} from "../../../../test/carriers.ts";

const OWN = carrierMessage().id;
const RECEIPT_URL = carrierMessage().receiptUrl;

test("Twilio: a form with Basic, codes, signed receipts and TwiML", () => {
  const { url, headers, form } = sentBy("twilio");
  assert.equal(url, "https://api.twilio.com/2010-04-01/Accounts/the-accountSid/Messages.json");
  assert.match(headers.authorization ?? "", /^Basic /);
  assert.deepEqual(form, {
    To: "+2250707070707",
    From: "BOUTIQUE",
    Body: "Bonjour",
    StatusCallback: RECEIPT_URL,
  });
  checkAnswers("twilio", [
    [201, { sid: "SM1", status: "queued" }, "accepted SM1"],
    [400, { code: 21610, message: "stopped" }, "permanent blocked-number:21610"],
    [400, { code: 21211 }, "permanent invalid-number:21211"],
    [400, { code: 21408 }, "unserved unserved:21408"],
    [401, { code: 20003 }, "account bad-credentials:20003"],
    [429, { code: 20429 }, "throttled 3000", { "retry-after": "3" }],
  ]);
  const callback = posted(
    new URLSearchParams({
      MessageSid: "SM1",
      MessageStatus: "failed",
      ErrorCode: "30003",
      To: "+2250707070707",
    }),
  );
  const { state, error, phone } = receiptOf(opened("twilio"), callback);
  assert.deepEqual([state, error, phone], ["undelivered", "30003", "2250707070707"]);
  const signature = createHmac("sha1", "the-authToken")
    .update(`${RECEIPT_URL}ErrorCode30003MessageSidSM1MessageStatusfailedTo+2250707070707`)
    .digest("base64");
  assert.equal(
    opened("twilio").isAuthentic({ ...callback, headers: { "x-twilio-signature": signature } }),
    "yes",
  );
  assert.equal(opened("twilio").isAuthentic(callback), "no");
  const reply = opened("twilio").receive(
    posted(
      new URLSearchParams({ MessageSid: "SM2", From: "+2250707070707", To: "+15005550006", Body: "Oui" }),
    ),
  );
  assert.deepEqual(reply.inbound, [{ id: "SM2", from: "2250707070707", to: "15005550006", text: "Oui" }]);
  assert.deepEqual(reply.answer, { status: 200, contentType: "text/xml", body: "<Response/>" });
  const asked = { id: OWN, carrierId: "SM1" };
  assert.match(opened("twilio").statusRequest(asked, undefined)?.url ?? "", /\/Messages\/SM1\.json$/);
  checkStatus("twilio", asked, [
    [200, { sid: "SM1", status: "delivered" }, "delivered"],
    [200, { sid: "SM2", status: "delivered" }, "nothing"],
    [404, { status: 404 }, "nothing"],
  ]);
});

test("Vonage: the status is in the body of a 200", () => {
  const status = (word: string) => ({
    "message-count": "1",
    messages: [{ status: word, "message-id": "v1", "error-text": "…" }],
  });
  checkAnswers("vonage", [
    [200, status("0"), "accepted v1"],
    [200, status("1"), "throttled 1000"],
    [200, status("3"), "permanent refused:3"],
    [200, status("4"), "account bad-credentials:4"],
    [200, status("5"), "temporary 5"],
    [200, status("7"), "permanent blocked-number:7"],
    [200, status("9"), "account no-units:9"],
    [200, status("15"), "permanent invalid-sender:15"],
    [200, "", "unknown http-200"],
  ]);
  assert.equal(sentBy("vonage", { unicode: true }).form.type, "unicode");
  assert.equal(sentBy("vonage").form.type, undefined);
  const query = `messageId=v1&msisdn=2250707070707&to=BOUTIQUE&status=expired&err-code=9&client-ref=${OWN}&message-timestamp=2026-01-01+10%3A00%3A00`;
  for (const callback of [got(query), posted(new URLSearchParams(query))]) {
    const receipt = receiptOf(opened("vonage"), callback);
    assert.deepEqual([receipt.id, receipt.ownId, receipt.state, receipt.error], ["v1", OWN, "expired", "9"]);
    assert.equal(receipt.at?.toISOString(), "2026-01-01T10:00:00.000Z");
  }
});

test("Infobip: nested JSON, receipts in arrays", () => {
  const { json, headers } = sentBy("infobip");
  assert.equal(headers.authorization, "App the-apiKey");
  assert.deepEqual(json.messages[0].destinations, [{ to: "2250707070707", messageId: OWN }]);
  assert.equal(json.messages[0].webhooks.delivery.url, RECEIPT_URL);
  assert.equal("webhooks" in sentBy("infobip", { receiptUrl: "" }).json.messages[0], false);
  const status = (groupName: string, name: string) => ({
    messages: [{ messageId: OWN, status: { groupName, name } }],
  });
  checkAnswers("infobip", [
    [200, status("PENDING", "PENDING_ACCEPTED"), `accepted ${OWN}`],
    [200, status("REJECTED", "REJECTED_NOT_ENOUGH_CREDITS"), "account no-units:REJECTED_NOT_ENOUGH_CREDITS"],
    [200, status("REJECTED", "REJECTED_DUPLICATE_MESSAGE_ID"), `accepted ${OWN}`],
    [200, status("REJECTED", "REJECTED_SOURCE"), "permanent invalid-sender:REJECTED_SOURCE"],
    [200, status("REJECTED", "REJECTED_PREFIX_MISSING"), "permanent invalid-number:REJECTED_PREFIX_MISSING"],
    [200, status("REJECTED", "REJECTED_FLOODING_FILTER"), "permanent refused:REJECTED_FLOODING_FILTER"],
    [
      401,
      { requestError: { serviceException: { messageId: "UNAUTHORIZED" } } },
      "account bad-credentials:http-401",
    ],
    [
      400,
      { requestError: { serviceException: { messageId: "BAD_REQUEST" } } },
      "permanent refused:BAD_REQUEST",
    ],
  ]);
  const results = ["PENDING", "DELIVERED", "UNDELIVERABLE", "EXPIRED", "REJECTED"].map((groupName, at) => ({
    messageId: `m${at}`,
    to: "2250707070707",
    doneAt: "2026-01-01T00:00:00.000+0000",
    status: { groupName },
    error: { id: 5, name: "EC_ABSENT" },
  }));
  const { receipts } = opened("infobip").receive(posted({ results }));
  assert.deepEqual(
    receipts.map(({ state }) => state),
    ["sent", "delivered", "undelivered", "expired", "rejected"],
  );
  assert.deepEqual(
    [receipts[1]?.error, receipts[1]?.at?.toISOString()],
    ["EC_ABSENT", "2026-01-01T00:00:00.000Z"],
  );
  const inbound = [
    { messageId: "i1", from: "2250707070707", to: "4545", text: "Oui", receivedAt: "2026-01-01" },
  ];
  assert.deepEqual(opened("infobip").receive(posted({ results: inbound })).inbound, [
    { id: "i1", from: "2250707070707", to: "4545", text: "Oui" },
  ]);
});

test("Africa's Talking: the recipient's code decides, and no recipient is a refusal", () => {
  const { headers, form } = sentBy("africastalking");
  assert.equal(headers.apikey, "the-apiKey");
  assert.deepEqual(form, {
    username: "the-username",
    to: "+2250707070707",
    message: "Bonjour",
    from: "BOUTIQUE",
  });
  const recipient = (statusCode: number) => ({
    SMSMessageData: { Message: "Sent to 1/1", Recipients: [{ statusCode, messageId: "ATX", status: "…" }] },
  });
  const none = (Message: string) => ({ SMSMessageData: { Message, Recipients: [] } });
  checkAnswers("africastalking", [
    [201, recipient(101), "accepted ATX"],
    [201, recipient(402), "permanent invalid-sender:402"],
    [201, recipient(403), "permanent invalid-number:403"],
    [201, recipient(405), "account no-units:405"],
    [201, recipient(406), "permanent blocked-number:406"],
    [201, recipient(407), "temporary 407"],
    [201, recipient(409), "permanent blocked-number:409"],
    [201, recipient(502), "permanent refused:502"],
    [201, none("InvalidSenderId"), "permanent invalid-sender"],
    [201, none("InsufficientBalance"), "account no-units"],
    [201, none("Something else"), "permanent refused"],
    [401, "The supplied authentication is invalid", "account bad-credentials:http-401"],
  ]);
  const words = ["Success", "Sent", "Buffered", "Rejected", "Failed", "AbsentSubscriber", "Expired"];
  assert.deepEqual(
    statesOf(
      "africastalking",
      (status) => new URLSearchParams({ id: "ATX", status, phoneNumber: "+2250707070707" }),
      words,
    ),
    ["delivered", "sent", "sent", "rejected", "undelivered", "undelivered", "expired"],
  );
  const reply = posted(
    new URLSearchParams({ id: "9", from: "+2250707070707", to: "4545", text: "Oui", date: "2026-01-01" }),
  );
  assert.deepEqual(opened("africastalking").receive(reply).inbound, [
    { id: "9", from: "2250707070707", to: "4545", text: "Oui" },
  ]);
  assert.deepEqual(
    opened("africastalking").balanceOf(answer(200, { UserData: { balance: "KES 1785.50" } })),
    { units: "1785.50", unit: "KES" },
  );
});

test("Termii: ids beyond 2^53, words with explanations, signatures that are optional", () => {
  checkAnswers("termii", [
    [
      200,
      '{"code":"ok","message_id":9122821270554876574,"message":"Successfully Sent"}',
      "accepted 9122821270554876574",
    ],
    [200, { code: "ok", message_id_str: "77", message_id: 77 }, "accepted 77"],
    [200, { message: "Insufficient balance" }, "account no-units"],
    [404, { message: "ApplicationSenderId not found for applicationId" }, "permanent invalid-sender"],
    [400, { message: "Invalid phone number" }, "permanent invalid-number"],
    [401, { message: "Invalid API key" }, "account bad-credentials"],
    [422, { message: "The given data was invalid." }, "permanent refused"],
  ]);
  const receipt = (status: string) => ({
    type: "outbound",
    message_id: "77",
    receiver: "2250707070707",
    sender: "BOUTIQUE",
    status,
  });
  assert.deepEqual(
    statesOf("termii", receipt, [
      "DELIVERED",
      "DELIVERED | Message delivered to handset",
      "Message Sent",
      "Message Failed",
      "DND Active on Phone Number",
      "Expired",
    ]),
    ["delivered", "delivered", "sent", "undelivered", "rejected", "expired"],
  );
  const inbound = {
    type: "inbound",
    id: "1",
    message_id: "9",
    status: "Received",
    sender: "2250707070707",
    receiver: "4545",
    message: "Oui",
  };
  assert.deepEqual(opened("termii").receive(posted(inbound)).inbound, [
    { id: "9", from: "2250707070707", to: "4545", text: "Oui" },
  ]);
  const callback = posted(receipt("DELIVERED"));
  const signature = createHmac("sha512", "sk").update(callback.body).digest("hex");
  const isProven = (secretKey: string) =>
    opened("termii", { secretKey }).isAuthentic({
      ...callback,
      headers: { "x-termii-signature": signature },
    });
  assert.deepEqual([isProven("sk"), isProven("other"), isProven("")], ["yes", "no", "not-configured"]);
});
