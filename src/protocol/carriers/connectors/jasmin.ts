// Jasmin's HTTP API: docs.jasminsms.com/en/latest/apis/http, and its source where the two differ.
import type { Connector } from "../connector.ts";
import { serverAddress } from "./fields.ts";

const ANSWER = { status: 200, contentType: "text/plain", body: "ACK/Jasmin" };

/** The octets of an incoming message. */
const BINARY = { source: { json: "/binary" }, written: "hex" } as const;

export const jasmin: Connector = {
  title: "Jasmin",
  guide: {
    fr: "Utilisez un utilisateur Jasmin qui a le droit de demander des accusés (dlr_level). Pour recevoir les réponses, ajoutez un connecteur HTTP vers l’adresse des accusés de réception.",
    en: "Use a Jasmin user that may request receipts (dlr_level). To receive replies, add an HTTP connector to the address for delivery receipts.",
  },
  fields: [
    serverAddress("http://10.0.0.5:1401"),
    { name: "username", title: { fr: "Nom d’utilisateur", en: "Username" } },
    { name: "password", title: { fr: "Mot de passe", en: "Password" }, secret: true },
  ],
  account: "{{username}}",
  auth: { kind: "none" },
  send: {
    method: "POST",
    url: "{{baseUrl}}/send",
    body: {
      kind: "form",
      fields: [
        { name: "username", value: "{{username}}" },
        { name: "password", value: "{{password}}" },
        { name: "to", value: "{{to}}" },
        { name: "from", value: "{{from}}", when: "from" },
        { name: "coding", value: "{{coding}}" },
        { name: "content", value: "{{text}}", when: "gsm7" },
        { name: "hex-content", value: "{{textUcs2Hex}}", when: "unicode" },
        { name: "validity-period", value: "{{validityMinutes}}", when: "validityMinutes" },
        { name: "dlr", value: "yes", when: "receiptUrl" },
        { name: "dlr-url", value: "{{receiptUrl}}", when: "receiptUrl" },
        // Level 3: with level 2, no receipt comes for a message that the operator refused.
        { name: "dlr-level", value: "3", when: "receiptUrl" },
        { name: "dlr-method", value: "POST", when: "receiptUrl" },
      ],
    },
  },
  text: { split: "peer" },
  idempotent: false,
  outcomes: [
    {
      when: [{ status: [200] }, { text: true, startsWith: ['Success "'] }],
      is: "accepted",
      id: { text: true, after: '"', before: '"' },
    },
    { when: [{ text: true, contains: ["throughput exceeded"] }], is: "throttled" },
    { when: [{ text: true, contains: ["cannot charge"] }], is: "account", trouble: "no-units" },
    {
      when: [{ text: true, contains: ["authentication failure"] }],
      is: "account",
      trouble: "bad-credentials",
    },
    // Rights that one message needs and another does not come before those that all need.
    {
      when: [
        { text: true, contains: ["authorization failed"] },
        { text: true, contains: ["long content", "hex content"] },
      ],
      is: "permanent",
      failure: "invalid-text",
    },
    {
      when: [
        { text: true, contains: ["authorization failed"] },
        { text: true, contains: ["source address"] },
      ],
      is: "permanent",
      failure: "invalid-sender",
    },
    { when: [{ text: true, contains: ["authorization failed"] }], is: "account", trouble: "account-refused" },
    { when: [{ text: true, contains: ["no route found", "no bound connectors"] }], is: "temporary" },
    { when: [{ text: true, contains: ["destination_address"] }], is: "permanent", failure: "blocked-number" },
    { when: [{ text: true, contains: ["argument [to]"] }], is: "permanent", failure: "invalid-number" },
    {
      when: [{ text: true, contains: ["argument [from]", "source_address"] }],
      is: "permanent",
      failure: "invalid-sender",
    },
    {
      when: [{ text: true, contains: ["content"] }, { status: [400] }],
      is: "permanent",
      failure: "invalid-text",
    },
    { when: [{ status: [404] }], is: "account", trouble: "misconfigured" },
  ],
  receipts: {
    format: "auto",
    when: [{ json: "/message_status", present: true }],
    id: [{ json: "/id" }],
    state: { json: "/message_status" },
    states: {
      DELIVRD: "delivered",
      ACCEPTD: "sent",
      ENROUTE: "sent",
      UNDELIV: "undelivered",
      DELETED: "undelivered",
      EXPIRED: "expired",
      REJECTD: "rejected",
      // Not final: Jasmin goes on waiting for the last receipt.
      UNKNOWN: "sent",
      // Of the operator's answer (level 1): ESME_ROK is accepted, any other name is a refusal.
      ESME_ROK: "sent",
      "ESME_*": "rejected",
    },
    error: { json: "/err" },
    at: { source: { json: "/donedate" }, format: "yyMMddHHmm" },
    answer: ANSWER,
  },
  inbound: {
    format: "auto",
    from: { json: "/from" },
    to: { json: "/to" },
    text: { json: "/content" },
    // `content` has the octets of the operator. Jasmin writes `coding` as one octet (its tests, 2026-04).
    octets: [
      { ...BINARY, encoding: "ucs-2", when: [{ json: "/coding", is: ["\u0008", "8"] }] },
      {
        ...BINARY,
        encoding: "latin-1",
        when: [{ json: "/coding", is: ["\u0001", "1", "\u0003", "3"] }],
      },
      // 0, and the codings of GSM-7 with a message class.
      { ...BINARY, encoding: "gsm-7", when: [{ json: "/coding", present: true }] },
    ],
    id: { json: "/id" },
    answer: ANSWER,
  },
  balance: {
    request: {
      method: "GET",
      url: "{{baseUrl}}/balance",
      query: [
        { name: "username", value: "{{username}}" },
        { name: "password", value: "{{password}}" },
      ],
    },
    units: { json: "/balance" },
    unit: "",
  },
};
