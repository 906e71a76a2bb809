// Vonage SMS API: developer.vonage.com/api-errors/sms. Answers have the status 200 even if they refuse.
import type { Connector } from "../connector.ts";
import { apiAddress } from "./fields.ts";

const STATUS = "/messages/0/status";
const CODE = { json: STATUS };

export const vonage: Connector = {
  title: "Vonage SMS API",
  guide: {
    fr: "La clé et le secret sont dans « API settings » du tableau de bord Vonage.",
    en: "The key and the secret are under “API settings” of Vonage’s dashboard.",
  },
  fields: [
    { name: "apiKey", title: { fr: "Clé d’API", en: "API key" } },
    { name: "apiSecret", title: { fr: "Secret d’API", en: "API secret" }, secret: true },
    apiAddress("https://rest.nexmo.com"),
  ],
  account: "{{apiKey}}",
  auth: { kind: "none" },
  send: {
    method: "POST",
    url: "{{baseUrl}}/sms/json",
    body: {
      kind: "form",
      fields: [
        { name: "api_key", value: "{{apiKey}}" },
        { name: "api_secret", value: "{{apiSecret}}" },
        { name: "from", value: "{{from}}" },
        { name: "to", value: "{{to}}" },
        { name: "text", value: "{{text}}" },
        { name: "type", value: "unicode", when: "unicode" },
        { name: "client-ref", value: "{{id}}" },
        { name: "status-report-req", value: "1", when: "receiptUrl" },
        { name: "callback", value: "{{receiptUrl}}", when: "receiptUrl" },
      ],
    },
  },
  text: { split: "peer" },
  idempotent: false,
  outcomes: [
    { when: [{ json: STATUS, is: ["0"] }], is: "accepted", id: { json: "/messages/0/message-id" } },
    { when: [{ json: STATUS, is: ["1", "10"] }], is: "throttled", waitS: 1, code: CODE },
    { when: [{ json: STATUS, is: ["5"] }], is: "temporary", code: CODE },
    { when: [{ json: STATUS, is: ["4"] }], is: "account", trouble: "bad-credentials", code: CODE },
    { when: [{ json: STATUS, is: ["8", "11"] }], is: "account", trouble: "account-refused", code: CODE },
    { when: [{ json: STATUS, is: ["9"] }], is: "account", trouble: "no-units", code: CODE },
    { when: [{ json: STATUS, is: ["7"] }], is: "permanent", failure: "blocked-number", code: CODE },
    { when: [{ json: STATUS, is: ["12"] }], is: "permanent", failure: "invalid-text", code: CODE },
    { when: [{ json: STATUS, is: ["15"] }], is: "permanent", failure: "invalid-sender", code: CODE },
    { when: [{ json: STATUS, present: true }], is: "permanent", code: CODE },
  ],
  receipts: {
    format: "auto",
    when: [{ json: "/status", present: true }],
    id: [{ json: "/messageId" }],
    ownId: { json: "/client-ref" },
    phone: { json: "/msisdn" },
    sender: { json: "/to" },
    state: { json: "/status" },
    states: {
      delivered: "delivered",
      accepted: "sent",
      buffered: "sent",
      submitted: "sent",
      expired: "expired",
      failed: "undelivered",
      rejected: "rejected",
      unknown: "unknown",
    },
    error: { json: "/err-code" },
    at: { source: { json: "/message-timestamp" }, format: "iso" },
  },
  inbound: {
    format: "auto",
    from: { json: "/msisdn" },
    to: { json: "/to" },
    text: { json: "/text" },
    id: { json: "/messageId" },
  },
  balance: {
    request: {
      method: "GET",
      url: "{{baseUrl}}/account/get-balance",
      query: [
        { name: "api_key", value: "{{apiKey}}" },
        { name: "api_secret", value: "{{apiSecret}}" },
      ],
    },
    units: { json: "/value" },
    unit: "EUR",
  },
};
