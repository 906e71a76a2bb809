// The rows of the doors of operating the service, for the tests of every door.
import type { Row } from "./estates.ts";

const admin = ["admin"] as const;

export const rowsOfOperating: Readonly<Record<string, Row>> = {
  "/v1/admin/credit/audit": { callers: admin, body: () => ({}) },
  "/v1/admin/node/list": { callers: admin, body: () => ({ sort: "asc", limit: 2 }) },
  "/v1/admin/recovery/read": { callers: admin, body: () => ({}) },
  "/v1/admin/recovery/resume": { callers: admin, body: () => ({}) },
  "/v1/admin/recovery/forgotten/list": { callers: admin, body: () => ({ kind: "campaign", limit: 5 }) },
  "/v1/admin/recovery/unknown": {
    callers: admin,
    body: () => ({ since: "2026-11-25T02:00:00Z", submittedOnly: false }),
  },
};
