// Another Atumpan: a company of it, by its API. One campaign for each message; its webhooks are the receipts.
import type { Connector } from "../connector.ts";
import { serverAddress } from "./fields.ts";

const ERROR = "/error";
const CODE = { json: ERROR };

export const atumpan: Connector = {
  title: "Atumpan",
  guide: {
    fr: "Créez une clé d’API avec le droit d’envoyer. Créez aussi un webhook vers l’adresse des accusés de réception avec message.delivered, message.failed et, pour les réponses, message.received.",
    en: "Create an API key that may send. Also create a webhook to the address for delivery receipts with message.delivered, message.failed and, for replies, message.received.",
  },
  fields: [
    serverAddress("https://sms.example.com"),
    { name: "apiKey", title: { fr: "Clé d’API", en: "API key" }, secret: true },
    { name: "companyId", title: { fr: "Identifiant de l’entreprise", en: "Company ID" } },
    {
      name: "webhookSecret",
      title: { fr: "Secret du webhook", en: "Webhook secret" },
      help: {
        fr: "Commence par whsec_. Vide : les signatures ne sont pas vérifiées.",
        en: "Starts with whsec_. Empty: signatures are not checked.",
      },
      secret: true,
      optional: true,
    },
  ],
  account: "{{companyId}}",
  auth: { kind: "none" },
  send: {
    method: "POST",
    url: "{{baseUrl}}/v1/campaign/create",
    body: {
      kind: "json",
      value: {
        apiKey: "{{apiKey}}",
        companyId: "{{companyId}}",
        type: "SMS",
        contacts: [{ phone: "{{toPlus}}" }],
        text: "{{text}}",
        senderId: { $when: "from", $value: "{{from}}" },
        callbackData: "{{id}}",
        idempotencyKey: "{{id}}",
      },
    },
  },
  text: { split: "peer" },
  idempotent: true,
  outcomes: [
    {
      when: [{ json: "/data/blockedContacts/0/code", is: ["invalid-number", "unroutable"] }],
      is: "permanent",
      failure: "invalid-number",
    },
    {
      when: [{ json: "/data/blockedContacts/0/code", present: true }],
      is: "permanent",
      failure: "blocked-number",
    },
    {
      when: [
        { json: "/success", is: ["true"] },
        { json: "/data/campaignId", present: true },
      ],
      is: "accepted",
      id: { json: "/data/campaignId" },
    },
    {
      when: [{ json: ERROR, is: ["invalid-phone-number"] }],
      is: "permanent",
      failure: "invalid-number",
      code: CODE,
    },
    {
      when: [{ json: ERROR, is: ["no-recipient", "destination-blocked"] }],
      is: "permanent",
      failure: "blocked-number",
      code: CODE,
    },
    {
      when: [{ json: ERROR, startsWith: ["sender-"] }],
      is: "permanent",
      failure: "invalid-sender",
      code: CODE,
    },
    {
      when: [{ json: ERROR, is: ["message-too-long"] }],
      is: "permanent",
      failure: "invalid-text",
      code: CODE,
    },
    { when: [{ json: ERROR, is: ["insufficient-credits"] }], is: "account", trouble: "no-units", code: CODE },
    {
      when: [{ json: ERROR, is: ["not-authenticated"] }],
      is: "account",
      trouble: "bad-credentials",
      code: CODE,
    },
    {
      when: [{ json: ERROR, is: ["not-authorized", "sign-in-required"] }],
      is: "account",
      trouble: "account-refused",
      code: CODE,
    },
    { when: [{ json: ERROR, is: ["too-many-requests"] }], is: "throttled", code: CODE },
    {
      when: [{ json: ERROR, is: ["idempotency-in-progress", "server-error", "service-unavailable"] }],
      is: "temporary",
      code: CODE,
    },
    { when: [{ json: ERROR, is: ["not-found"] }], is: "account", trouble: "misconfigured", code: CODE },
    { when: [{ json: ERROR, present: true }], is: "permanent", code: CODE },
  ],
  receipts: {
    format: "json",
    when: [{ json: "/type", is: ["message.delivered", "message.failed"] }],
    id: [{ json: "/data/campaignId" }],
    ownId: { json: "/data/callbackData" },
    phone: { json: "/data/phone" },
    state: { json: "/data/status" },
    states: {
      DELIVERED: "delivered",
      UNDELIVERED: "undelivered",
      EXPIRED: "expired",
      REJECTED: "rejected",
      CANCELED: "rejected",
      UNKNOWN: "unknown",
    },
    error: { json: "/data/error" },
    at: { source: { json: "/data/deliveredAt" }, format: "iso" },
  },
  inbound: {
    format: "json",
    when: [{ json: "/type", is: ["message.received"] }],
    from: { json: "/data/from" },
    to: { json: "/data/to" },
    text: { json: "/data/text" },
    id: { json: "/data/messageId" },
  },
  callbackAuth: { kind: "standard-webhooks", key: "{{webhookSecret}}" },
  status: {
    request: {
      method: "POST",
      url: "{{baseUrl}}/v1/campaign/{{carrierId}}/messages",
      body: { kind: "json", value: { apiKey: "{{apiKey}}", companyId: "{{companyId}}", limit: 1 } },
    },
    state: { json: "/data/0/status" },
    states: {
      QUEUED: "sent",
      SENDING: "sent",
      SENT: "sent",
      DELIVERED: "delivered",
      UNDELIVERED: "undelivered",
      EXPIRED: "expired",
      REJECTED: "rejected",
      CANCELED: "rejected",
      // There it may still become known, and its webhook then says so.
      UNKNOWN: "sent",
    },
    error: { json: "/data/0/error" },
    at: { source: { json: "/data/0/deliveredAt" }, format: "iso" },
  },
  balance: {
    request: {
      method: "POST",
      url: "{{baseUrl}}/v1/credit/balance",
      body: { kind: "json", value: { apiKey: "{{apiKey}}", companyId: "{{companyId}}" } },
    },
    units: { json: "/data" },
    unit: "credits",
  },
};
