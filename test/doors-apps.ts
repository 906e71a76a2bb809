// The rows of the doors of third-party applications, for the tests of every door.
import { byId, given, type Row, unique, WEBHOOK_URL } from "./estates.ts";

const company = ["company"] as const;
const admin = ["admin"] as const;
const app = ["app"] as const;
const connection = ["connection"] as const;
const nobody = ["nobody"] as const;

const submission = () => ({ name: "Boutique", slug: unique(), description: "Vend des pagnes" });
const ownApp: Pick<Row, "callers" | "body" | "ids"> = {
  callers: company,
  body: ({ own }) => ({ appId: own.app }),
  ids: { appId: "app" },
};
const reviewed = (thing: "app" | "submitted"): Row => ({
  callers: admin,
  ...byId(thing),
  ids: { id: thing },
});

export const rowsOfApps: Readonly<Record<string, Row>> = {
  "/v1/third-party-app/submit": {
    callers: company,
    body: () => ({ ...submission(), logoUrl: "https://a.ci/logo.png", webhookUrl: WEBHOOK_URL }),
  },
  "/v1/third-party-app/public-submit": {
    callers: nobody,
    body: ({ phone }) => ({
      ...submission(),
      ownerEmail: "a@b.ci",
      ownerPhone: phone,
      webhookUrl: WEBHOOK_URL,
    }),
  },
  "/v1/third-party-app/claim": {
    callers: nobody,
    body: ({ own }) => ({ claimToken: own.claimToken }),
    spends: true,
  },
  "/v1/third-party-app/my/list": { callers: company, body: () => ({ sort: "asc", limit: 5 }) },
  "/v1/third-party-app/my/{appId}/regenerate-secret": {
    ...ownApp,
    body: ({ own }) => ({ appId: own.app, revokeConnections: false }),
  },
  "/v1/third-party-app/my/{appId}/webhook/update": {
    ...ownApp,
    body: ({ own }) => ({ appId: own.app, webhookUrl: `${WEBHOOK_URL}/2` }),
  },
  "/v1/third-party-app/my/{appId}/webhook/rotate-secret": ownApp,
  "/v1/third-party-app/my/{appId}/webhook/deliveries": {
    ...ownApp,
    body: ({ own }) => ({ appId: own.app, limit: 5 }),
  },
  "/v1/third-party-app/my/{appId}/webhook/test": ownApp,
  "/v1/third-party-app/my/{appId}/webhook/{deliveryId}": {
    callers: company,
    body: ({ own }) => ({ appId: own.app, deliveryId: own.delivery }),
    ids: { appId: "app", deliveryId: "delivery" },
  },
  "/v1/third-party-app/my/{appId}/webhook/{deliveryId}/replay": {
    callers: company,
    body: ({ own }) => ({ appId: own.app, deliveryId: own.delivery }),
    ids: { appId: "app", deliveryId: "delivery" },
  },
  "/v1/admin/third-party-app/list": {
    callers: admin,
    body: ({ own }) => ({ status: "ACTIVE", limit: 2, ids: [own.app] }),
    ids: { "ids[]": "app" },
  },
  "/v1/admin/third-party-app/{id}": reviewed("submitted"),
  "/v1/admin/third-party-app/{id}/approve": reviewed("submitted"),
  "/v1/admin/third-party-app/{id}/reject": {
    ...reviewed("submitted"),
    body: ({ own }) => ({ id: own.submitted, rejectionReason: "Le nom d'une banque" }),
  },
  "/v1/admin/third-party-app/{id}/deactivate": reviewed("app"),
  "/v1/admin/third-party-app/{id}/reactivate": reviewed("app"),
  "/v1/third-party-app/provision": {
    callers: app,
    body: ({ own, apiKey }) => ({
      externalAccountId: unique(),
      target: "company",
      companyApiKey: apiKey,
      companyId: own.company,
      defaultSenderId: own.senderName,
    }),
    ids: {
      externalAccountId: "chosen",
      companyId: "company",
      partnerCustomerId: "customer",
      defaultSenderId: "senderName",
    },
  },
  "/v1/third-party-app/pairing/initiate": {
    callers: app,
    body: () => ({ externalAccountId: unique() }),
    ids: { externalAccountId: "chosen" },
  },
  "/v1/third-party-app/pairing/status": {
    callers: app,
    body: ({ own }) => ({ externalAccountId: own.externalAccount }),
    ids: { externalAccountId: "externalAccount" },
  },
  // A code belongs to whoever has it, so it is no id of a company.
  "/v1/third-party-app/pairing/details": {
    callers: company,
    body: ({ own }) => ({ pairingCode: own.pairingCode }),
  },
  "/v1/third-party-app/pairing/confirm": {
    callers: company,
    body: ({ own }) => ({ pairingCode: own.pairingCode, senderId: own.senderName }),
    ids: { senderId: "senderName" },
    spends: true,
  },
  "/v1/third-party-app/pairing/deny": {
    callers: company,
    body: ({ own }) => ({ pairingCode: own.pairingCode }),
    spends: true,
  },
  "/v1/third-party-app/connection/list": { callers: company, body: () => ({ sort: "asc", limit: 5 }) },
  "/v1/third-party-app/connection/{id}/revoke": {
    callers: company,
    ...byId("connection"),
    ids: { id: "connection" },
  },
  "/v1/third-party-app/connection/{id}/sender": {
    callers: company,
    body: ({ own }) => ({ id: own.connection, senderId: own.senderName, dailyCreditCap: 1_000 }),
    ids: { id: "connection", senderId: "senderName" },
  },
  "/v1/third-party-app/sms/send": {
    callers: connection,
    body: ({ phone }) => ({ message: "Bonjour", contacts: given(phone), idempotencyKey: unique() }),
    ids: { "contacts[].id": "nothing" },
  },
  "/v1/third-party-app/balance": { callers: connection, body: () => ({}) },
};
