// Another Kannel: its user guide, "Using the HTTP interface to send SMS". It returns no message id; receipts carry ours.
import type { Connector } from "../connector.ts";
import { serverAddress } from "./fields.ts";

/** The octets of a Unicode message. */
const RAW = { source: { query: "text" }, written: "percent", encoding: "ucs-2" } as const;

export const kannel: Connector = {
  title: "Kannel",
  guide: {
    fr: "Créez un utilisateur « sendsms-user » sur le Kannel. Pour recevoir les réponses, ajoutez un service (sms-service) avec « max-messages = 0 », dont « get-url » est l’adresse des accusés de réception suivie de ?id=%I&from=%p&to=%P&text=%b&coding=%c",
    en: "Create a “sendsms-user” on the Kannel. To receive replies, add a service (sms-service) with “max-messages = 0” whose “get-url” is the address for delivery receipts followed by ?id=%I&from=%p&to=%P&text=%b&coding=%c",
  },
  fields: [
    serverAddress("http://10.0.0.5:13013"),
    { name: "username", title: { fr: "Nom d’utilisateur", en: "Username" } },
    { name: "password", title: { fr: "Mot de passe", en: "Password" }, secret: true },
    {
      name: "smsc",
      title: { fr: "SMSC", en: "SMSC" },
      help: { fr: "Choisit une route du Kannel.", en: "Chooses a route of the Kannel." },
      optional: true,
    },
    {
      name: "plus",
      title: { fr: "Format des numéros", en: "Format of numbers" },
      choices: [
        { value: "", title: { fr: "Sans +", en: "Without +" } },
        { value: "yes", title: { fr: "Avec +", en: "With +" } },
      ],
    },
  ],
  account: "{{username}}",
  auth: { kind: "none" },
  send: {
    method: "GET",
    url: "{{baseUrl}}/cgi-bin/sendsms",
    query: [
      { name: "username", value: "{{username}}" },
      { name: "password", value: "{{password}}" },
      { name: "to", value: "{{#plus}}+{{/plus}}{{to}}" },
      { name: "from", value: "{{from}}", when: "from" },
      { name: "text", value: "{{text}}" },
      { name: "charset", value: "UTF-8" },
      { name: "coding", value: "{{#unicode}}2{{/unicode}}{{^unicode}}0{{/unicode}}" },
      { name: "smsc", value: "{{smsc}}", when: "smsc" },
      { name: "validity", value: "{{validityMinutes}}", when: "validityMinutes" },
      { name: "dlr-mask", value: "31", when: "receiptUrl" },
      {
        name: "dlr-url",
        // %d is the state; %p the handset and %P the sender, since the message is kept as it was sent.
        value: "{{receiptUrl}}?id={{id}}&state=%d&phone=%p&sender=%P",
        when: "receiptUrl",
      },
    ],
  },
  text: { split: "peer" },
  idempotent: false,
  outcomes: [
    {
      when: [{ status: [200, 202] }, { text: true, startsWith: ["0:", "3:", "Sent", "Ok", "Result: OK"] }],
      is: "accepted",
      id: "own",
    },
    {
      when: [{ status: [403] }, { text: true, contains: ["authorization"] }],
      is: "account",
      trouble: "bad-credentials",
    },
    { when: [{ text: true, contains: ["not routable"] }], is: "unserved" },
    { when: [{ status: [404] }], is: "account", trouble: "misconfigured" },
    { when: [{ text: true, contains: ["denied by"] }], is: "permanent", failure: "blocked-number" },
    {
      when: [{ text: true, contains: ["receiver"] }, { status: [400] }],
      is: "permanent",
      failure: "invalid-number",
    },
    { when: [{ text: true, startsWith: ["Sender"] }], is: "permanent", failure: "invalid-sender" },
    { when: [{ text: true, startsWith: ["Charset"] }], is: "permanent", failure: "invalid-text" },
  ],
  receipts: {
    format: "query",
    when: [{ json: "/state", present: true }],
    id: [{ json: "/id" }],
    ownId: { json: "/id" },
    phone: { json: "/phone" },
    sender: { json: "/sender" },
    state: { json: "/state" },
    states: { 1: "delivered", 2: "undelivered", 4: "sent", 8: "sent", 16: "rejected", 32: "sent" },
  },
  inbound: {
    format: "query",
    from: { json: "/from" },
    to: { json: "/to" },
    text: { json: "/text" },
    // Of a Unicode message, %b has the octets, whatever `alt-charset` says (Kannel 1.4.5); of others, UTF-8.
    octets: [
      { ...RAW, when: [{ json: "/coding", is: ["2"] }] },
      // A get-url without %c, as this guide had it before: only UTF-16 has NUL in a text.
      {
        ...RAW,
        when: [
          { json: "/coding", present: false },
          { json: "/text", contains: ["\u0000"] },
        ],
      },
    ],
    id: { json: "/id" },
  },
};
