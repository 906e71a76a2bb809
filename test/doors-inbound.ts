// The rows of the doors of messages received, for the tests of every door.
import { newNumber } from "./belongings.ts";
import { byId, type Row } from "./estates.ts";

const company = ["company"] as const;
const admin = ["admin"] as const;

export const rowsOfInbound: Readonly<Record<string, Row>> = {
  "/v1/inbound/list": {
    callers: company,
    body: ({ own, phone }) => ({ phone, number: "98765", keyword: "promo", campaignId: own.campaign }),
    ids: { campaignId: "campaign" },
  },
  "/v1/inbound/{id}": { callers: company, ...byId("received"), ids: { id: "received" } },
  "/v1/inbound/number/list": { callers: company, body: () => ({ limit: 5 }) },
  "/v1/admin/inbound/list": {
    callers: admin,
    body: ({ own, phone }) => ({ phone, companyId: own.company, number: "98765", unrouted: false }),
    ids: { companyId: "company" },
  },
  "/v1/admin/inbound/number/create": {
    callers: admin,
    body: ({ own }) => ({ number: newNumber(), companyId: own.company, operatorId: own.operator }),
    ids: { companyId: "company", operatorId: "operator" },
  },
  "/v1/admin/inbound/number/list": { callers: admin, body: () => ({ sort: "asc", limit: 5 }) },
  "/v1/admin/inbound/number/{id}/update": {
    callers: admin,
    body: ({ own }) => ({ id: own.number, companyId: own.company, operatorId: own.operator }),
    ids: { id: "number", companyId: "company", operatorId: "operator" },
  },
  "/v1/admin/inbound/number/{id}/delete": {
    callers: admin,
    ...byId("number"),
    ids: { id: "number" },
    spends: true,
  },
  "/v1/admin/inbound/keyword/create": {
    callers: admin,
    body: ({ own }) => ({
      numberId: own.number,
      keyword: newNumber(),
      companyId: own.company,
    }),
    ids: { numberId: "number", companyId: "company" },
  },
  "/v1/admin/inbound/keyword/list": {
    callers: admin,
    body: ({ own }) => ({ numberId: own.number, limit: 5 }),
    ids: { numberId: "number" },
  },
  "/v1/admin/inbound/keyword/{id}/delete": {
    callers: admin,
    ...byId("word"),
    ids: { id: "word" },
    spends: true,
  },
};
