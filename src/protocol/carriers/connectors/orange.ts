// Orange SMS API 2.0 (Africa and Middle East): developer.orange.com, "Getting started" and "Two-legged OAuth v3".
import type { Connector } from "../connector.ts";
import { apiAddress } from "./fields.ts";

/** The fixed number of the country, or the one that the administrator entered. */
const SENDER =
  "{{#senderAddress}}{{senderAddress}}{{/senderAddress}}{{^senderAddress}}{{country}}{{/senderAddress}}";
const CODE = { json: ["/requestError/*/messageId", "/code"] };

export const orange: Connector = {
  title: "Orange SMS API",
  guide: {
    fr: "Créez une application sur developer.orange.com, ajoutez-y l’API SMS de votre pays et achetez un forfait. Pour recevoir les accusés, donnez l’adresse des accusés de réception à Orange par le formulaire « sms-api-queries ».",
    en: "Create an application on developer.orange.com, add the SMS API of your country and buy a bundle. To get receipts, give the address for delivery receipts to Orange with the form “sms-api-queries”.",
  },
  fields: [
    {
      name: "clientId",
      title: { fr: "Identifiant client (Client ID)", en: "Client ID" },
      help: {
        fr: "Dans « My apps » sur developer.orange.com.",
        en: "Under “My apps” on developer.orange.com.",
      },
    },
    { name: "clientSecret", title: { fr: "Secret client", en: "Client secret" }, secret: true },
    {
      name: "country",
      title: { fr: "Pays du contrat", en: "Country of the contract" },
      help: {
        fr: "Détermine le numéro d’expédition. Orange accepte un mauvais numéro sans erreur, et rien n’est remis.",
        en: "Determines the sender number. Orange accepts a wrong number without an error, and nothing is delivered.",
      },
      unless: "senderAddress",
      choices: [
        { value: "+2250000", title: "Côte d’Ivoire" },
        { value: "+2210000", title: { fr: "Sénégal", en: "Senegal" } },
        { value: "+2230000", title: "Mali" },
        { value: "+2260000", title: "Burkina Faso" },
        { value: "+2240000", title: { fr: "Guinée", en: "Guinea" } },
        { value: "+2370000", title: { fr: "Cameroun", en: "Cameroon" } },
        { value: "+2430000", title: { fr: "RD Congo", en: "DR Congo" } },
        { value: "+2610000", title: "Madagascar" },
      ],
    },
    {
      name: "senderAddress",
      title: { fr: "Autre numéro d’expédition", en: "Other sender number" },
      help: {
        fr: "Remplace celui du pays choisi. Pour un pays absent de la liste : le numéro que donne Orange, par exemple +2270000 (Niger, non confirmé).",
        en: "Replaces that of the chosen country. For a country that is not listed: the number that Orange gives, for example +2270000 (Niger, unconfirmed).",
      },
      optional: true,
      format: "number",
    },
    {
      name: "receiptId",
      title: { fr: "Identifiant dans les accusés", en: "Identifier in receipts" },
      help: {
        fr: "Si les messages restent « envoyés » malgré les accusés, essayez l’autre valeur : la documentation d’Orange n’est pas claire sur ce point.",
        en: "If messages stay “sent” although receipts arrive, try the other value: Orange’s documentation is not clear about it.",
      },
      optional: true,
      choices: [
        { value: "", title: { fr: "Celui d’Orange", en: "Orange’s" } },
        { value: "own", title: { fr: "Le nôtre (clientCorrelator)", en: "Ours (clientCorrelator)" } },
      ],
    },
    apiAddress("https://api.orange.com"),
  ],
  account: "{{clientId}}",
  auth: {
    kind: "oauth2",
    url: "{{baseUrl}}/oauth/v3/token",
    credentials: "basic",
    clientId: "{{clientId}}",
    clientSecret: "{{clientSecret}}",
  },
  send: {
    method: "POST",
    url: `{{baseUrl}}/smsmessaging/v1/outbound/tel%3A${SENDER}/requests`,
    headers: [{ name: "accept", value: "application/json" }],
    body: {
      kind: "json",
      value: {
        outboundSMSMessageRequest: {
          address: "{{toTel}}",
          senderAddress: `tel:${SENDER}`,
          senderName: { $when: "from", $value: "{{from}}" },
          clientCorrelator: "{{id}}",
          outboundSMSTextMessage: { message: "{{text}}" },
        },
      },
    },
  },
  // Section “Limits” of its documentation.
  tps: 5,
  text: { split: "peer" },
  idempotent: false,
  outcomes: [
    { only: "receiptId", when: [{ status: [201] }], is: "accepted", id: "own" },
    {
      when: [{ status: [201] }],
      is: "accepted",
      id: { json: "/outboundSMSMessageRequest/resourceURL", segment: "last" },
    },
    {
      when: [{ status: [403] }, { text: true, contains: ["expired", "contract"] }],
      is: "account",
      trouble: "contract-ended",
      code: CODE,
    },
    {
      when: [{ status: [403] }, { text: true, contains: ["unit", "balance", "credit", "quota", "exhaust"] }],
      is: "account",
      trouble: "no-units",
      code: CODE,
    },
    {
      when: [{ status: [403] }, { text: true, contains: ["country"] }],
      is: "account",
      trouble: "country-not-allowed",
      code: CODE,
    },
    { when: [{ status: [403] }], is: "account", trouble: "account-refused", code: CODE },
    { when: [{ status: [404] }], is: "account", trouble: "misconfigured", code: CODE },
    {
      when: [{ status: [400] }, { text: true, contains: ["senderaddress"] }],
      is: "account",
      trouble: "misconfigured",
      code: CODE,
    },
    {
      when: [{ status: [400] }, { text: true, contains: ["sendername"] }],
      is: "permanent",
      failure: "invalid-sender",
      code: CODE,
    },
    {
      when: [{ status: [400] }, { text: true, contains: ["address", "tel:"] }],
      is: "permanent",
      failure: "invalid-number",
      code: CODE,
    },
    { when: [{ status: [400] }], is: "permanent", code: CODE },
  ],
  receipts: {
    format: "json",
    // Orange's own id by most accounts, our clientCorrelator by one: see the field `receiptId`.
    id: [{ json: "/deliveryInfoNotification/callbackData" }],
    ownId: { json: "/deliveryInfoNotification/callbackData" },
    phone: { json: "/deliveryInfoNotification/deliveryInfo/address" },
    state: { json: "/deliveryInfoNotification/deliveryInfo/deliveryStatus" },
    states: {
      DeliveredToTerminal: "delivered",
      DeliveredToNetwork: "sent",
      MessageWaiting: "sent",
      DeliveryImpossible: "undelivered",
      // Of another operator's network, which reports nothing more: the message stays sent.
      DeliveryUncertain: "sent",
      DeliveryNotificationNotSupported: "sent",
    },
  },
  inbound: {
    format: "json",
    from: { json: "/inboundSMSMessageNotification/inboundSMSMessage/senderAddress" },
    to: { json: "/inboundSMSMessageNotification/inboundSMSMessage/destinationAddress" },
    text: { json: "/inboundSMSMessageNotification/inboundSMSMessage/message" },
    id: { json: "/inboundSMSMessageNotification/inboundSMSMessage/messageId" },
  },
  balance: {
    request: {
      method: "GET",
      url: "{{baseUrl}}/sms/admin/v1/contracts",
      headers: [{ name: "accept", value: "application/json" }],
    },
    units: {
      json: ["/0/availableUnits", "/partnerContracts/contracts/0/serviceContracts/0/availableUnits"],
    },
    unit: "SMS",
  },
};
