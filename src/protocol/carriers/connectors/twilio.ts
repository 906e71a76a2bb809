// Twilio Programmable Messaging: www.twilio.com/docs/messaging, error codes of www.twilio.com/docs/api/errors.
import type { Connector } from "../connector.ts";
import { apiAddress } from "./fields.ts";

const CODE = { json: "/code" };
const ACCOUNT_URL = "{{baseUrl}}/2010-04-01/Accounts/{{accountSid}}";
const STATES = {
  accepted: "sent",
  scheduled: "sent",
  queued: "sent",
  sending: "sent",
  sent: "sent",
  delivered: "delivered",
  read: "delivered",
  undelivered: "undelivered",
  failed: "undelivered",
  canceled: "rejected",
} as const;

export const twilio: Connector = {
  title: "Twilio",
  guide: {
    fr: "Le SID et le jeton du compte sont sur la page d’accueil de la console Twilio. Ouvrez les pays de destination dans « Geo permissions ».",
    en: "The SID and the token of the account are on the home page of Twilio’s console. Open destination countries under “Geo permissions”.",
  },
  fields: [
    { name: "accountSid", title: { fr: "SID du compte", en: "Account SID" } },
    { name: "authToken", title: { fr: "Jeton d’authentification", en: "Auth token" }, secret: true },
    {
      name: "messagingServiceSid",
      title: { fr: "SID du service de messagerie", en: "Messaging service SID" },
      help: {
        fr: "Vide : l’expéditeur du message est utilisé.",
        en: "Empty: the sender of the message is used.",
      },
      optional: true,
    },
    apiAddress("https://api.twilio.com"),
  ],
  account: "{{accountSid}}",
  auth: { kind: "basic", username: "{{accountSid}}", password: "{{authToken}}" },
  send: {
    method: "POST",
    url: `${ACCOUNT_URL}/Messages.json`,
    body: {
      kind: "form",
      fields: [
        { name: "To", value: "{{toPlus}}" },
        { name: "From", value: "{{fromPlus}}", when: "!messagingServiceSid" },
        { name: "MessagingServiceSid", value: "{{messagingServiceSid}}", when: "messagingServiceSid" },
        { name: "Body", value: "{{text}}" },
        { name: "StatusCallback", value: "{{receiptUrl}}", when: "receiptUrl" },
      ],
    },
  },
  text: { split: "peer", charactersAtMost: 1600 },
  idempotent: false,
  outcomes: [
    {
      when: [{ status: [[200, 299]] }, { json: "/sid", present: true }],
      is: "accepted",
      id: { json: "/sid" },
    },
    { when: [{ json: "/code", is: ["20429", "21611", "30001"] }], is: "throttled", code: CODE },
    {
      when: [{ json: "/code", is: ["21211", "21214", "21614", "21612"] }],
      is: "permanent",
      failure: "invalid-number",
      code: CODE,
    },
    {
      when: [{ json: "/code", is: ["21212", "21603", "21606", "21659"] }],
      is: "permanent",
      failure: "invalid-sender",
      code: CODE,
    },
    {
      when: [{ json: "/code", is: ["21602", "21605", "21617"] }],
      is: "permanent",
      failure: "invalid-text",
      code: CODE,
    },
    { when: [{ json: "/code", is: ["21610"] }], is: "permanent", failure: "blocked-number", code: CODE },
    // Geo permissions: one account serves many countries.
    { when: [{ json: "/code", is: ["21408"] }], is: "unserved", code: CODE },
    {
      when: [{ json: "/code", is: ["20005", "30002"] }],
      is: "account",
      trouble: "account-refused",
      code: CODE,
    },
    { when: [{ status: [401] }], is: "account", trouble: "bad-credentials", code: CODE },
    { when: [{ status: [402, 403] }], is: "account", trouble: "account-refused", code: CODE },
    { when: [{ status: [404] }], is: "account", trouble: "misconfigured", code: CODE },
    { when: [{ status: [400] }], is: "permanent", code: CODE },
  ],
  receipts: {
    format: "form",
    when: [{ json: "/MessageStatus", present: true }],
    id: [{ json: "/MessageSid" }],
    phone: { json: "/To" },
    sender: { json: "/From" },
    state: { json: "/MessageStatus" },
    states: STATES,
    error: { json: "/ErrorCode" },
  },
  inbound: {
    format: "form",
    from: { json: "/From" },
    to: { json: "/To" },
    text: { json: "/Body" },
    id: { json: "/MessageSid" },
    answer: { status: 200, contentType: "text/xml", body: "<Response/>" },
  },
  callbackAuth: {
    kind: "hmac",
    algorithm: "sha1",
    encoding: "base64",
    header: "X-Twilio-Signature",
    key: "{{authToken}}",
    over: "url+sorted-form",
  },
  status: {
    request: { method: "GET", url: `${ACCOUNT_URL}/Messages/{{carrierId}}.json` },
    id: { json: "/sid" },
    state: { json: "/status" },
    states: STATES,
    error: { json: "/error_code" },
  },
  balance: {
    request: { method: "GET", url: `${ACCOUNT_URL}/Balance.json` },
    units: { json: "/balance" },
    unit: { json: "/currency" },
  },
};
