// The Android app SMSGate ("SMS Gateway for Android"), by its local server or its cloud: docs.sms-gate.app.
import type { Connector } from "../connector.ts";

const MESSAGES_URL = "{{baseUrl}}/message{{#cloud}}s{{/cloud}}";

export const smsgate: Connector = {
  title: { fr: "SMSGate (réseau local ou cloud)", en: "SMSGate (local network or cloud)" },
  guide: {
    fr: "Pour un téléphone du même réseau, ou par le cloud de l’application ; sinon, préférez « Téléphone Android ». Installez SMSGate sur le téléphone et activez « Local server » ou « Cloud server » : l’adresse, le nom et le mot de passe s’affichent dans l’application. Déclarez dans l’application un webhook vers l’adresse des accusés de réception pour sms:sent, sms:delivered, sms:failed et sms:received.",
    en: "For a phone on the same network, or through the cloud of the app; otherwise, prefer “Android phone”. Install SMSGate on the phone and turn on “Local server” or “Cloud server”: the app shows the address, the name and the password. In the app, register a webhook to the address for delivery receipts for sms:sent, sms:delivered, sms:failed and sms:received.",
  },
  fields: [
    {
      name: "baseUrl",
      title: { fr: "Adresse du téléphone ou du cloud", en: "Address of the phone or the cloud" },
      help: {
        fr: "http://<adresse du téléphone>:8080 sur le réseau local, https://api.sms-gate.app/3rdparty/v1 par le cloud",
        en: "http://<address of the phone>:8080 on the local network, https://api.sms-gate.app/3rdparty/v1 by the cloud",
      },
      format: "url",
    },
    {
      name: "cloud",
      title: { fr: "Mode", en: "Mode" },
      choices: [
        { value: "", title: { fr: "Réseau local", en: "Local network" } },
        { value: "yes", title: { fr: "Cloud ou serveur privé", en: "Cloud or private server" } },
      ],
    },
    { name: "username", title: { fr: "Nom d’utilisateur", en: "Username" } },
    { name: "password", title: { fr: "Mot de passe", en: "Password" }, secret: true },
    {
      name: "signingKey",
      title: { fr: "Clé de signature", en: "Signing key" },
      help: {
        fr: "Dans l’application : Settings > Webhooks > Signing Key. Vide : les signatures ne sont pas vérifiées.",
        en: "In the app: Settings > Webhooks > Signing Key. Empty: signatures are not checked.",
      },
      secret: true,
      optional: true,
    },
    {
      name: "simNumber",
      title: { fr: "Carte SIM", en: "SIM card" },
      choices: [
        { value: "", title: { fr: "Celle de l’application", en: "As set in the app" } },
        { value: "1", title: "SIM 1" },
        { value: "2", title: "SIM 2" },
        { value: "3", title: "SIM 3" },
      ],
    },
  ],
  account: "{{baseUrl}} {{username}}",
  auth: { kind: "basic", username: "{{username}}", password: "{{password}}" },
  send: {
    method: "POST",
    url: MESSAGES_URL,
    body: {
      kind: "json",
      value: {
        id: "{{id}}",
        textMessage: { text: "{{text}}" },
        phoneNumbers: ["{{toPlus}}"],
        withDeliveryReport: true,
        simNumber: { $when: "simNumber", $value: { $number: "{{simNumber}}" } },
        ttl: { $when: "validitySeconds", $value: { $number: "{{validitySeconds}}" } },
      },
    },
  },
  text: { split: "peer" },
  idempotent: true,
  outcomes: [
    { when: [{ status: [[200, 202]] }, { json: "/id", present: true }], is: "accepted", id: { json: "/id" } },
    // The same id twice: the cloud answers 409, the phone with the error of its database. The first one was taken.
    { when: [{ status: [409] }], is: "accepted", id: "own" },
    { when: [{ status: [500] }, { text: true, contains: ["UNIQUE constraint"] }], is: "accepted", id: "own" },
    { when: [{ json: "/error", is: ["QueueLimitExceeded"] }], is: "throttled", waitS: 60 },
    {
      when: [{ status: [400] }, { text: true, contains: ["phone"] }],
      is: "permanent",
      failure: "invalid-number",
    },
    {
      when: [{ status: [400] }, { text: true, contains: ["text"] }],
      is: "permanent",
      failure: "invalid-text",
    },
    { when: [{ status: [403] }], is: "account", trouble: "account-refused" },
    { when: [{ status: [404] }], is: "account", trouble: "misconfigured" },
  ],
  receipts: {
    format: "json",
    when: [{ json: "/event", is: ["sms:sent", "sms:delivered", "sms:failed"] }],
    id: [{ json: "/payload/messageId" }],
    ownId: { json: "/payload/messageId" },
    phone: { json: ["/payload/recipient", "/payload/phoneNumber"] },
    sender: { json: "/payload/sender" },
    state: { json: "/event" },
    states: { "sms:sent": "sent", "sms:delivered": "delivered", "sms:failed": "undelivered" },
    error: { json: "/payload/reason" },
    at: {
      source: { json: ["/payload/deliveredAt", "/payload/failedAt", "/payload/sentAt"] },
      format: "iso",
    },
  },
  inbound: {
    format: "json",
    when: [{ json: "/event", is: ["sms:received"] }],
    from: { json: ["/payload/sender", "/payload/phoneNumber"] },
    to: { json: "/payload/recipient" },
    text: { json: "/payload/message" },
    // messageId is made of the content and not unique; the id of the event stays the same in repeats.
    id: { json: "/id" },
  },
  callbackAuth: {
    kind: "hmac",
    algorithm: "sha256",
    encoding: "hex",
    header: "X-Signature",
    key: "{{signingKey}}",
    over: "body+timestamp",
    timestampHeader: "X-Timestamp",
  },
  status: {
    // Our id is the one of the message there.
    request: { method: "GET", url: `${MESSAGES_URL}/{{id}}` },
    id: { json: "/id" },
    state: { json: "/state" },
    states: {
      Pending: "sent",
      Processed: "sent",
      Sent: "sent",
      Delivered: "delivered",
      Failed: "undelivered",
    },
    error: { json: "/recipients/0/error" },
  },
};
