// The rows of the doors of personal data, for the tests of every door.
import { byId, type Row } from "./estates.ts";

const company = ["company"] as const;
const admin = ["admin"] as const;

export const rowsOfPrivacy: Readonly<Record<string, Row>> = {
  "/v1/contact/erase": { callers: company, body: () => ({ phone: "2250700001095" }) },
  "/v1/contact/erase/{id}": { callers: company, ...byId("erasure"), ids: { id: "erasure" } },
  "/v1/admin/person/erase": { callers: admin, body: () => ({ phone: "2250700001094" }) },
  "/v1/admin/person/erase/{id}": { callers: admin, ...byId("erasureOfAll"), ids: { id: "erasureOfAll" } },
  "/v1/company/close": { callers: company, body: ({ own }) => ({ confirm: own.company }), spends: true },
  "/v1/company/reopen": { callers: company, body: () => ({}) },
  "/v1/company/export": { callers: company, body: () => ({}) },
  "/v1/campaign/{id}/export": {
    callers: company,
    body: ({ own }) => ({ id: own.recurring, runId: own.run, status: "DELIVERED" }),
    ids: { id: "recurring", runId: "run" },
  },
  "/v1/campaign/export/{exportId}": {
    callers: company,
    body: ({ own }) => ({ exportId: own.sheet }),
    ids: { exportId: "sheet" },
  },
  "/v1/company/export/{id}": { callers: company, ...byId("archive"), ids: { id: "archive" } },
};
