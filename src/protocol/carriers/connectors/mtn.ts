// MTN SMS API v3 (MADAPI), and v2, which some countries still have: MTN's OpenAPI documents and working clients.
import type { Connector } from "../connector.ts";
import { apiAddress } from "./fields.ts";

const CODE = { json: ["/statusCode", "/error"] };

export const mtn: Connector = {
  title: "MTN SMS API",
  guide: {
    fr: "Demandez à MTN l’accès à l’API SMS de votre pays (developers.mtn.com). Demandez-lui aussi un abonnement vers l’adresse des accusés de réception.",
    en: "Request access to the SMS API of your country from MTN (developers.mtn.com). Ask it to subscribe the address for delivery receipts too.",
  },
  fields: [
    { name: "clientId", title: { fr: "Consumer key", en: "Consumer key" } },
    { name: "clientSecret", title: { fr: "Consumer secret", en: "Consumer secret" }, secret: true },
    {
      name: "serviceCode",
      title: { fr: "Code de service", en: "Service code" },
      help: {
        fr: "Le numéro court attribué par MTN. Vide : l’expéditeur du message.",
        en: "The short code that MTN assigned. Empty: the sender of the message.",
      },
      optional: true,
    },
    {
      name: "version2",
      title: { fr: "Version de l’API", en: "API version" },
      help: {
        fr: "MTN vous indique la version de votre pays ; la Côte d’Ivoire avait encore la v2 en 2026.",
        en: "MTN tells you the version of your country; Côte d’Ivoire still had v2 in 2026.",
      },
      choices: [
        { value: "", title: "v3" },
        { value: "yes", title: "v2" },
      ],
    },
    {
      name: "noKeyHeader",
      title: { fr: "En-tête x-api-key", en: "x-api-key header" },
      help: {
        fr: "Certains produits l’exigent, d’autres l’ignorent.",
        en: "Some products require it, others ignore it.",
      },
      choices: [
        { value: "", title: { fr: "Envoyer", en: "Send" } },
        { value: "yes", title: { fr: "Ne pas envoyer", en: "Do not send" } },
      ],
    },
    {
      name: "receiptId",
      title: { fr: "Identifiant dans les accusés", en: "Identifier in receipts" },
      help: {
        fr: "Si les messages restent « envoyés » malgré les accusés, essayez l’autre valeur : MTN documente la première, certains pays envoient la seconde.",
        en: "If messages stay “sent” although receipts arrive, try the other value: MTN documents the first one, and some countries send the second one.",
      },
      optional: true,
      choices: [
        { value: "", title: { fr: "Le nôtre (clientCorrelatorId)", en: "Ours (clientCorrelatorId)" } },
        { value: "theirs", title: { fr: "Celui de MTN (transactionId)", en: "MTN’s (transactionId)" } },
      ],
    },
    {
      name: "longTokenPath",
      title: { fr: "Adresse des jetons", en: "Token URL" },
      help: { fr: "Les deux existent chez MTN.", en: "MTN has both." },
      choices: [
        { value: "", title: "/v1/oauth/access_token" },
        { value: "yes", title: "/v1/oauth/access_token/accesstoken" },
      ],
    },
    apiAddress("https://api.mtn.com"),
  ],
  account: "{{clientId}}",
  auth: {
    kind: "oauth2",
    url: "{{baseUrl}}/v1/oauth/access_token{{#longTokenPath}}/accesstoken{{/longTokenPath}}",
    credentials: "body",
    clientId: "{{clientId}}",
    clientSecret: "{{clientSecret}}",
    query: [{ name: "grant_type", value: "client_credentials" }],
  },
  send: {
    method: "POST",
    url: "{{baseUrl}}/{{#version2}}v2/messages/sms/outbound{{/version2}}{{^version2}}v3/sms/messages/sms/outbound{{/version2}}",
    headers: [
      { name: "accept", value: "application/json" },
      { name: "x-api-key", value: "{{clientId}}", when: "!noKeyHeader" },
    ],
    body: {
      kind: "json",
      value: {
        senderAddress: { $when: "from", $value: "{{from}}" },
        receiverAddress: ["{{to}}"],
        message: "{{text}}",
        clientCorrelatorId: { $when: "!version2", $value: "{{id}}" },
        clientCorrelator: { $when: "version2", $value: "{{id}}" },
        serviceCode: {
          $when: "!version2",
          $value: "{{#serviceCode}}{{serviceCode}}{{/serviceCode}}{{^serviceCode}}{{from}}{{/serviceCode}}",
        },
        requestDeliveryReceipt: { $when: "receiptUrl", $value: true },
      },
    },
  },
  // MTN publishes no figure; a new account sends as much.
  tps: 5,
  text: { split: "peer" },
  idempotent: false,
  outcomes: [
    {
      only: "receiptId",
      when: [{ status: [200] }, { json: "/statusCode", is: ["0000"] }],
      is: "accepted",
      id: { json: "/transactionId" },
    },
    { when: [{ status: [200] }, { json: "/statusCode", is: ["0000"] }], is: "accepted", id: "own" },
    { when: [{ status: [201] }], is: "accepted", id: { json: ["/data/requestId", "/transactionId"] } },
    { when: [{ json: "/statusCode", is: ["1013", "3006"] }], is: "throttled", code: CODE },
    // A timeout behind the gateway: nobody knows whether the message was taken.
    { when: [{ json: "/statusCode", is: ["1007", "1012"] }], is: "unknown", code: CODE },
    { when: [{ status: [408] }], is: "unknown", code: CODE },
    { when: [{ json: "/statusCode", is: ["1005", "2000"] }], is: "temporary", code: CODE },
    { when: [{ json: "/statusCode", is: ["4000"] }], is: "account", trouble: "bad-credentials", code: CODE },
    { when: [{ json: "/statusCode", is: ["6001"] }], is: "account", trouble: "no-units", code: CODE },
    { when: [{ status: [403] }], is: "account", trouble: "account-refused", code: CODE },
    { when: [{ status: [404, 407] }], is: "account", trouble: "misconfigured", code: CODE },
    { when: [{ status: [200, 400] }, { json: "/statusCode", present: true }], is: "permanent", code: CODE },
  ],
  receipts: {
    format: "json",
    id: [{ json: "/transactionId" }, { json: "/requestId" }, { json: "/id" }],
    ownId: { json: ["/clientCorrelatorId", "/clientCorrelator", "/transactionId"] },
    phone: { json: ["/receiverAddress", "/receiverAddress/0"] },
    sender: { json: "/senderAddress" },
    state: { json: "/deliveryStatus" },
    states: {
      DELIVERED: "delivered",
      DELIVRD: "delivered",
      DeliveredToTerminal: "delivered",
      ACCEPTD: "sent",
      ENROUTE: "sent",
      DeliveredToNetwork: "sent",
      DeliveryUncertain: "sent",
      MessageWaiting: "sent",
      DeliveryNotificationNotSupported: "sent",
      EXPIRED: "expired",
      DELETED: "undelivered",
      UNDELIVERED: "undelivered",
      DeliveryImpossible: "undelivered",
      REJECTED: "rejected",
      UNKNOWN: "unknown",
    },
    error: { json: "/error" },
  },
  inbound: {
    format: "json",
    when: [{ json: "/message", present: true }],
    from: { json: "/senderAddress" },
    to: { json: ["/receiverAddress", "/receiverAddress/0"] },
    text: { json: "/message" },
    id: { json: "/id" },
  },
};
