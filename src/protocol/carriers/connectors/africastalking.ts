// Africa's Talking SMS API, version 1: developers.africastalking.com, and working clients for codes and receipts.
import type { Connector } from "../connector.ts";
import { apiAddress } from "./fields.ts";

const RECIPIENT = "/SMSMessageData/Recipients/0/statusCode";
const MESSAGE = "/SMSMessageData/Message";
const CODE = { json: RECIPIENT };

export const africastalking: Connector = {
  title: "Africa’s Talking",
  guide: {
    fr: "Le nom d’utilisateur est celui de l’application, la clé d’API est dans ses paramètres. Pour le bac à sable : utilisateur sandbox, adresse https://api.sandbox.africastalking.com. Donnez l’adresse des accusés de réception dans « SMS callback URLs ».",
    en: "The username is that of the application, the API key is in its settings. For the sandbox: username sandbox, address https://api.sandbox.africastalking.com. Enter the address for delivery receipts under “SMS callback URLs”.",
  },
  fields: [
    { name: "username", title: { fr: "Nom d’utilisateur", en: "Username" } },
    { name: "apiKey", title: { fr: "Clé d’API", en: "API key" }, secret: true },
    apiAddress("https://api.africastalking.com"),
  ],
  account: "{{username}}",
  auth: { kind: "header", name: "apiKey", value: "{{apiKey}}" },
  send: {
    method: "POST",
    url: "{{baseUrl}}/version1/messaging",
    headers: [{ name: "accept", value: "application/json" }],
    body: {
      kind: "form",
      fields: [
        { name: "username", value: "{{username}}" },
        { name: "to", value: "{{toPlus}}" },
        { name: "message", value: "{{text}}" },
        { name: "from", value: "{{from}}", when: "from" },
      ],
    },
  },
  text: { split: "peer" },
  idempotent: false,
  outcomes: [
    {
      when: [{ status: [[200, 299]] }, { json: RECIPIENT, is: ["100", "101", "102"] }],
      is: "accepted",
      id: { json: "/SMSMessageData/Recipients/0/messageId" },
    },
    { when: [{ json: RECIPIENT, is: ["402"] }], is: "permanent", failure: "invalid-sender", code: CODE },
    {
      when: [{ json: RECIPIENT, is: ["403", "404"] }],
      is: "permanent",
      failure: "invalid-number",
      code: CODE,
    },
    { when: [{ json: RECIPIENT, is: ["405"] }], is: "account", trouble: "no-units", code: CODE },
    {
      when: [{ json: RECIPIENT, is: ["406", "409"] }],
      is: "permanent",
      failure: "blocked-number",
      code: CODE,
    },
    { when: [{ json: RECIPIENT, is: ["407", "500", "501"] }], is: "temporary", code: CODE },
    { when: [{ json: RECIPIENT, present: true }], is: "permanent", code: CODE },
    // A 2xx without recipients is a refusal of the whole request; its reason is a text.
    { when: [{ json: MESSAGE, contains: ["senderid"] }], is: "permanent", failure: "invalid-sender" },
    { when: [{ json: MESSAGE, contains: ["balance"] }], is: "account", trouble: "no-units" },
    { when: [{ json: MESSAGE, contains: ["phone", "number"] }], is: "permanent", failure: "invalid-number" },
    { when: [{ json: MESSAGE, present: true }], is: "permanent" },
  ],
  receipts: {
    format: "form",
    when: [{ json: "/status", present: true }],
    id: [{ json: "/id" }],
    phone: { json: "/phoneNumber" },
    state: { json: "/status" },
    // `Success` means accepted in the answer to a send, and delivered in a receipt.
    states: {
      Success: "delivered",
      Sent: "sent",
      Submitted: "sent",
      Buffered: "sent",
      Rejected: "rejected",
      Failed: "undelivered",
      AbsentSubscriber: "undelivered",
      Expired: "expired",
    },
    error: { json: "/failureReason" },
  },
  inbound: {
    format: "form",
    from: { json: "/from" },
    to: { json: "/to" },
    text: { json: "/text" },
    id: { json: "/id" },
  },
  balance: {
    request: {
      method: "GET",
      url: "{{baseUrl}}/version1/user",
      query: [{ name: "username", value: "{{username}}" }],
      headers: [{ name: "accept", value: "application/json" }],
    },
    // "KES 1785.50"
    units: { json: "/UserData/balance", after: " " },
    unit: { json: "/UserData/balance", before: " " },
  },
};
