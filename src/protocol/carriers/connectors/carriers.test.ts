// Tests of the connectors of carriers: Orange and MTN.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answer,
  carrierMessage,
  checkAnswers,
  opened,
  posted,
  receiptOf,
  sentBy,
  statesOf,
} from "../../../../test/carriers.ts";

const OWN = carrierMessage().id;

test("Orange: the sender number of the country is in path and body, the id is the end of resourceURL", () => {
  const { url, json, headers } = sentBy("orange", { text: 'é "x"' }, { country: "+2250000" }, "t");
  assert.equal(url, "https://api.orange.com/smsmessaging/v1/outbound/tel%3A%2B2250000/requests");
  assert.equal(headers.authorization, "Bearer t");
  assert.deepEqual(json.outboundSMSMessageRequest, {
    address: "tel:+2250707070707",
    senderAddress: "tel:+2250000",
    senderName: "BOUTIQUE",
    clientCorrelator: OWN,
    outboundSMSTextMessage: { message: 'é "x"' },
  });
  const niger = sentBy("orange", { from: "" }, { senderAddress: "+2270000" });
  assert.match(niger.url, /tel%3A%2B2270000/);
  assert.equal("senderName" in niger.json.outboundSMSMessageRequest, false);

  const token = opened("orange").tokenRequest();
  assert.equal(token?.url, "https://api.orange.com/oauth/v3/token");
  assert.match(token?.headers.authorization ?? "", /^Basic /);
});

test("Orange: answers", () => {
  const resourceURL = "https://api.orange.com/smsmessaging/v1/outbound/tel:+2250000/requests/6c2f-1";
  const error = (kind: string, messageId: string, text: string) => ({
    requestError: { [kind]: { messageId, text, variables: [] } },
  });
  checkAnswers("orange", [
    [201, { outboundSMSMessageRequest: { address: ["tel:+2250707070707"], resourceURL } }, "accepted 6c2f-1"],
    [201, "{broken", `accepted ${OWN}`],
    [
      400,
      error("serviceException", "SVC0004", "No valid addresses provided in message part"),
      "permanent invalid-number:SVC0004",
    ],
    [400, error("serviceException", "SVC0002", "Invalid senderName"), "permanent invalid-sender:SVC0002"],
    [400, { code: 25, message: "Invalid body" }, "permanent refused:25"],
    [401, { code: 42, message: "Expired credentials" }, "account bad-credentials:http-401"],
    [403, error("policyException", "POL0001", "The contract has expired"), "account contract-ended:POL0001"],
    [403, error("policyException", "POL0001", "No available units"), "account no-units:POL0001"],
    [403, error("policyException", "POL0001", "Country not allowed"), "account country-not-allowed:POL0001"],
    [403, error("policyException", "POL0002", "A policy error"), "account account-refused:POL0002"],
    [404, { code: 60, message: "Resource not found" }, "account misconfigured:60"],
    [429, "", "throttled 1000"],
    [503, "", "temporary http-503"],
  ]);
});

test("Orange: a receipt names the message by Orange's id or by ours; a reply and the units are read", () => {
  const receipt = (deliveryStatus: string) => ({
    deliveryInfoNotification: {
      callbackData: "6c2f-1",
      deliveryInfo: { address: "tel:+2250707070707", deliveryStatus },
    },
  });
  const { id, ownId, phone } = receiptOf(opened("orange"), posted(receipt("DeliveredToTerminal")));
  assert.deepEqual([id, ownId, phone], ["6c2f-1", "6c2f-1", "2250707070707"]);
  assert.deepEqual(
    statesOf("orange", receipt, [
      "DeliveredToTerminal",
      "DeliveredToNetwork",
      "DeliveryImpossible",
      "DeliveryUncertain",
      "MessageWaiting",
    ]),
    ["delivered", "sent", "undelivered", "sent", "sent"],
  );
  const inboundSMSMessage = {
    senderAddress: "tel:+2250707070707",
    destinationAddress: "+2250000",
    message: "STOP",
  };
  assert.deepEqual(
    opened("orange").receive(posted({ inboundSMSMessageNotification: { inboundSMSMessage } })).inbound,
    [{ id: undefined, from: "2250707070707", to: "2250000", text: "STOP" }],
  );
  assert.deepEqual(opened("orange").balanceOf(answer(200, [{ availableUnits: 30, country: "CIV" }])), {
    units: "30",
    unit: "SMS",
  });
});

test("MTN: v3 and v2 differ in path and in the name of our id", () => {
  const v3 = sentBy("mtn");
  assert.equal(v3.url, "https://api.mtn.com/v3/sms/messages/sms/outbound");
  assert.equal(v3.headers["x-api-key"], "the-clientId");
  assert.deepEqual(v3.json, {
    senderAddress: "BOUTIQUE",
    receiverAddress: ["2250707070707"],
    message: "Bonjour",
    clientCorrelatorId: OWN,
    serviceCode: "BOUTIQUE",
    requestDeliveryReceipt: true,
  });
  const v2 = sentBy("mtn", { receiptUrl: "" }, { version2: "yes", noKeyHeader: "yes" });
  assert.equal(v2.url, "https://api.mtn.com/v2/messages/sms/outbound");
  assert.equal(v2.headers["x-api-key"], undefined);
  assert.deepEqual(Object.keys(v2.json), ["senderAddress", "receiverAddress", "message", "clientCorrelator"]);
  assert.equal(
    opened("mtn", { longTokenPath: "yes" }).tokenRequest()?.url,
    "https://api.mtn.com/v1/oauth/access_token/accesstoken?grant_type=client_credentials",
  );
});

test("MTN: answers", () => {
  const code = (statusCode: string) => ({ statusCode, statusMessage: "…", transactionId: "t1" });
  checkAnswers("mtn", [
    [200, { ...code("0000"), data: { status: "PENDING" } }, "accepted 0191c0de-0000-7000-8000-000000000001"],
    [201, { data: { requestId: "r1" } }, "accepted r1"],
    [200, code("6001"), "account no-units:6001"],
    [200, code("5000"), "permanent refused:5000"],
    [400, code("1001"), "permanent refused:1001"],
    [401, code("4000"), "account bad-credentials:4000"],
    [403, code("4009"), "account account-refused:4009"],
    [429, code("1013"), "throttled 1000"],
    [500, code("1005"), "temporary 1005"],
    [500, code("1007"), "unknown 1007"],
    [408, { status: 408, error: "Request-Timeout" }, "unknown Request-Timeout"],
    [404, { status: 404, error: "Not Found", path: "/" }, "account misconfigured"],
    [200, "<html>", "unknown http-200"],
  ]);
});

test("MTN: both vocabularies of receipts, and replies at the same URL", () => {
  const words = [
    "DELIVERED",
    "DELIVRD",
    "DeliveredToTerminal",
    "ENROUTE",
    "EXPIRED",
    "DELETED",
    "REJECTED",
    "UNKNOWN",
  ];
  assert.deepEqual(
    statesOf("mtn", (deliveryStatus) => ({ clientCorrelatorId: OWN, deliveryStatus }), words),
    ["delivered", "delivered", "delivered", "sent", "expired", "undelivered", "rejected", "unknown"],
  );
  const { id, ownId } = receiptOf(
    opened("mtn"),
    posted({ transactionId: "t1", clientCorrelatorId: OWN, deliveryStatus: "EXPIRED" }),
  );
  assert.deepEqual([id, ownId], ["t1", OWN]);
  const old = receiptOf(opened("mtn"), posted({ transactionId: OWN, deliveryStatus: "DELIVRD" }));
  assert.equal(old.ownId, OWN);
  const reply = {
    senderAddress: "2250707070707",
    receiverAddress: "4545",
    message: "STOP",
    created: 1767225600000,
  };
  assert.deepEqual(opened("mtn").receive(posted(reply)).inbound, [
    { id: undefined, from: "2250707070707", to: "4545", text: "STOP" },
  ]);
});
