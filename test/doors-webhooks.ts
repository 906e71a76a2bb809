// The rows of the doors of a company's webhooks, for the tests of every door.
import { byId, type Row, WEBHOOK_URL } from "./estates.ts";

const company = ["company"] as const;
const owned: Row = { callers: company, ...byId("webhook"), ids: { id: "webhook" } };
const told: Row = {
  callers: company,
  body: ({ own }) => ({ id: own.webhook, deliveryId: own.told }),
  ids: { id: "webhook", deliveryId: "told" },
};

export const rowsOfCompanyWebhooks: Readonly<Record<string, Row>> = {
  "/v1/company/webhook/create": {
    callers: company,
    body: () => ({ url: WEBHOOK_URL, events: ["message.failed"], name: "Site", description: "Le site" }),
  },
  "/v1/company/webhook/list": { callers: company, body: () => ({ sort: "asc", limit: 5 }) },
  "/v1/company/webhook/{id}": owned,
  "/v1/company/webhook/{id}/update": {
    ...owned,
    body: ({ own }) => ({ id: own.webhook, events: ["credit.low"], name: "Site 2", enabled: true }),
  },
  "/v1/company/webhook/{id}/rotate-secret": owned,
  "/v1/company/webhook/{id}/deliveries": { ...owned, body: ({ own }) => ({ id: own.webhook, limit: 5 }) },
  "/v1/company/webhook/{id}/test": owned,
  "/v1/company/webhook/{id}/{deliveryId}": told,
  "/v1/company/webhook/{id}/{deliveryId}/replay": told,
  "/v1/company/webhook/{id}/delete": { ...owned, spends: true },
};
