// Termii: developers.termii.com and working clients. Its ids are whole numbers beyond 2^53.
import type { Connector } from "../connector.ts";
import { apiAddress } from "./fields.ts";

const STATES = {
  DELIVERED: "delivered",
  "Message Delivered": "delivered",
  Sent: "sent",
  "Message Sent": "sent",
  Failed: "undelivered",
  "Message Failed": "undelivered",
  Undelivered: "undelivered",
  "DND Active on Phone Number": "rejected",
  Rejected: "rejected",
  Expired: "expired",
} as const;

const SIGNED = {
  kind: "hmac",
  encoding: "hex",
  header: "X-Termii-Signature",
  key: "{{secretKey}}",
  over: "body",
} as const;

const refused = (...parts: string[]) => [{ json: "/message", contains: parts }];

export const termii: Connector = {
  title: "Termii",
  guide: {
    fr: "L’adresse de l’API, la clé et la clé secrète sont dans le tableau de bord Termii. Indiquez l’adresse des accusés de réception comme webhook dans le tableau de bord.",
    en: "The API address, the key and the secret key are in Termii’s dashboard. Enter the address for delivery receipts as the webhook in the dashboard.",
  },
  fields: [
    { name: "apiKey", title: { fr: "Clé d’API", en: "API key" }, secret: true },
    {
      name: "secretKey",
      title: { fr: "Clé secrète", en: "Secret key" },
      help: {
        fr: "Elle signe les accusés de réception. Vide : les signatures ne sont pas vérifiées.",
        en: "It signs receipts. Empty: signatures are not checked.",
      },
      secret: true,
      optional: true,
    },
    {
      name: "sha256",
      title: { fr: "Algorithme des signatures", en: "Algorithm of signatures" },
      help: {
        fr: "Si tous les accusés de réception sont refusés, essayez l’autre : les sources se contredisent.",
        en: "If all receipts are refused, try the other one: the sources disagree.",
      },
      optional: true,
      choices: [
        { value: "", title: "HMAC-SHA512" },
        { value: "yes", title: "HMAC-SHA256" },
      ],
    },
    {
      name: "channel",
      title: { fr: "Canal", en: "Channel" },
      help: {
        fr: "« dnd » atteint aussi les numéros inscrits sur la liste « ne pas déranger » (Nigeria).",
        en: "“dnd” also reaches numbers on the do-not-disturb list (Nigeria).",
      },
      default: "generic",
      choices: [
        { value: "generic", title: "generic" },
        { value: "dnd", title: "dnd" },
      ],
    },
    apiAddress("https://api.ng.termii.com"),
  ],
  auth: { kind: "none" },
  send: {
    method: "POST",
    url: "{{baseUrl}}/api/sms/send",
    body: {
      kind: "json",
      value: {
        api_key: "{{apiKey}}",
        to: "{{to}}",
        from: "{{from}}",
        sms: "{{text}}",
        type: "plain",
        channel: "{{channel}}",
      },
    },
  },
  text: { split: "peer" },
  idempotent: false,
  outcomes: [
    {
      when: [{ status: [[200, 299]] }, { json: "/message_id", present: true }],
      is: "accepted",
      id: { json: ["/message_id_str", "/message_id"] },
    },
    { when: [{ status: [401, 403] }], is: "account", trouble: "bad-credentials" },
    { when: refused("api key", "api_key", "unauthori"), is: "account", trouble: "bad-credentials" },
    { when: refused("balance", "credit"), is: "account", trouble: "no-units" },
    { when: refused("country code"), is: "permanent", failure: "invalid-number" },
    { when: refused("country"), is: "unserved" },
    { when: refused("sender"), is: "permanent", failure: "invalid-sender" },
    { when: refused("dnd"), is: "permanent", failure: "blocked-number" },
    { when: refused("phone", "number", "recipient"), is: "permanent", failure: "invalid-number" },
    { when: [{ status: [[200, 299], 400, 404, 422] }, { json: "/message", present: true }], is: "permanent" },
  ],
  receipts: {
    format: "json",
    id: [{ json: ["/message_id_str", "/message_id", "/id"] }],
    phone: { json: "/receiver" },
    sender: { json: "/sender" },
    state: { json: "/status" },
    states: STATES,
  },
  inbound: {
    format: "json",
    when: [{ json: "/type", is: ["inbound"] }],
    from: { json: "/sender" },
    to: { json: "/receiver" },
    text: { json: "/message" },
    id: { json: ["/message_id", "/id"] },
  },
  callbackAuth: [
    { ...SIGNED, algorithm: "sha256", only: "sha256" },
    { ...SIGNED, algorithm: "sha512" },
  ],
  // Its history. An answer that ignored the filter would be about another message, which the id shows.
  status: {
    request: {
      method: "GET",
      url: "{{baseUrl}}/api/sms/inbox",
      query: [
        { name: "api_key", value: "{{apiKey}}" },
        { name: "message_id", value: "{{carrierId}}" },
      ],
    },
    id: { json: "/0/message_id" },
    state: { json: "/0/status" },
    states: STATES,
  },
  balance: {
    request: {
      method: "GET",
      url: "{{baseUrl}}/api/get-balance",
      query: [{ name: "api_key", value: "{{apiKey}}" }],
    },
    units: { json: "/balance" },
    unit: { json: "/currency" },
  },
};
