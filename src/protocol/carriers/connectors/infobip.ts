// Infobip SMS API v3: www.infobip.com/docs/api/channels/sms.
import type { Connector } from "../connector.ts";
import { apiAddress } from "./fields.ts";

const GROUP = "/messages/0/status/groupName";
const NAME = "/messages/0/status/name";
const CODE = { json: [NAME, "/requestError/serviceException/messageId", "/errorCode"] };

const STATES = {
  PENDING: "sent",
  ACCEPTED: "sent",
  DELIVERED: "delivered",
  UNDELIVERABLE: "undelivered",
  EXPIRED: "expired",
  REJECTED: "rejected",
} as const;

export const infobip: Connector = {
  title: "Infobip",
  guide: {
    fr: "L’adresse de votre compte et la clé d’API sont sur la page d’accueil du portail Infobip.",
    en: "The address of your account and the API key are on the home page of Infobip’s portal.",
  },
  fields: [
    { name: "apiKey", title: { fr: "Clé d’API", en: "API key" }, secret: true },
    apiAddress("https://api.infobip.com"),
  ],
  auth: { kind: "header", name: "authorization", value: "App {{apiKey}}" },
  send: {
    method: "POST",
    url: "{{baseUrl}}/sms/3/messages",
    headers: [{ name: "accept", value: "application/json" }],
    body: {
      kind: "json",
      value: {
        messages: [
          {
            // Infobip's reference names it `sender`, working clients `from`.
            sender: { $when: "from", $value: "{{from}}" },
            from: { $when: "from", $value: "{{from}}" },
            destinations: [{ to: "{{to}}", messageId: "{{id}}" }],
            content: { text: "{{text}}" },
            webhooks: {
              $when: "receiptUrl",
              $value: {
                delivery: {
                  url: "{{receiptUrl}}",
                  intermediateReport: false,
                  contentType: "application/json",
                },
              },
            },
          },
        ],
      },
    },
  },
  text: { split: "peer" },
  idempotent: false,
  outcomes: [
    {
      when: [{ status: [[200, 299]] }, { json: GROUP, is: ["PENDING", "ACCEPTED", "DELIVERED"] }],
      is: "accepted",
      id: { json: "/messages/0/messageId" },
    },
    // The first request with this id was taken.
    { when: [{ json: NAME, is: ["REJECTED_DUPLICATE_MESSAGE_ID"] }], is: "accepted", id: "own" },
    {
      when: [
        {
          json: NAME,
          is: [
            "REJECTED_NOT_ENOUGH_CREDITS",
            "REJECTED_PREPAID_PACKAGE_EXPIRED",
            "PENDING_WAITING_DELIVERY_NO_CREDITS",
          ],
        },
      ],
      is: "account",
      trouble: "no-units",
      code: CODE,
    },
    {
      when: [{ json: NAME, is: ["REJECTED_NETWORK", "REJECTED_ROUTE_NOT_AVAILABLE"] }],
      is: "unserved",
      code: CODE,
    },
    { when: [{ json: NAME, is: ["REJECTED_SYSTEM_ERROR"] }], is: "temporary", code: CODE },
    {
      when: [{ json: NAME, is: ["REJECTED_SENDER", "REJECTED_SOURCE", "REJECTED_INVALID_SOURCE_ADDRESS"] }],
      is: "permanent",
      failure: "invalid-sender",
      code: CODE,
    },
    {
      when: [
        {
          json: NAME,
          startsWith: ["REJECTED_DESTINATION", "REJECTED_PREFIX", "REJECTED_INVALID_DESTINATION"],
        },
      ],
      is: "permanent",
      failure: "invalid-number",
      code: CODE,
    },
    {
      when: [{ json: NAME, startsWith: ["REJECTED_DND"] }],
      is: "permanent",
      failure: "blocked-number",
      code: CODE,
    },
    {
      when: [{ json: NAME, is: ["REJECTED_MESSAGE_TOO_LONG"] }],
      is: "permanent",
      failure: "invalid-text",
      code: CODE,
    },
    { when: [{ json: GROUP, is: ["REJECTED", "UNDELIVERABLE", "EXPIRED"] }], is: "permanent", code: CODE },
    { when: [{ status: [403] }], is: "account", trouble: "account-refused", code: CODE },
    { when: [{ status: [404] }], is: "account", trouble: "misconfigured", code: CODE },
    { when: [{ status: [400] }], is: "permanent", code: CODE },
  ],
  receipts: {
    format: "json",
    list: "/results",
    when: [{ json: "/status/groupName", present: true }],
    id: [{ json: "/messageId" }],
    ownId: { json: "/messageId" },
    phone: { json: "/to" },
    sender: { json: ["/sender", "/from"] },
    state: { json: "/status/groupName" },
    states: STATES,
    error: { json: ["/error/name", "/error/id"] },
    at: { source: { json: "/doneAt" }, format: "iso" },
  },
  inbound: {
    format: "json",
    list: "/results",
    from: { json: ["/sender", "/from"] },
    to: { json: ["/destination", "/to"] },
    text: { json: ["/content/0/text", "/text", "/cleanText"] },
    id: { json: "/messageId" },
  },
  // The logs of the last 48 hours. They lag behind, so a message that they do not have yet may have been taken.
  status: {
    request: {
      method: "GET",
      url: "{{baseUrl}}/sms/3/logs",
      query: [{ name: "messageId", value: "{{id}}" }],
      headers: [{ name: "accept", value: "application/json" }],
    },
    id: { json: "/results/0/messageId" },
    state: { json: "/results/0/status/groupName" },
    states: STATES,
    error: { json: ["/results/0/error/name", "/results/0/error/id"] },
    at: { source: { json: "/results/0/doneAt" }, format: "iso" },
  },
  balance: {
    request: {
      method: "GET",
      url: "{{baseUrl}}/account/1/balance",
      headers: [{ name: "accept", value: "application/json" }],
    },
    units: { json: "/balance" },
    unit: { json: "/currency" },
  },
};
