// The rows of the doors of mobile operators, for the tests of every door.
import { byId, operator, type Row } from "./estates.ts";

const admin = ["admin"] as const;
const one = { callers: admin, ...byId("operator"), ids: { id: "operator" } } as const;

export const rowsOfOperators: Readonly<Record<string, Row>> = {
  "/v1/admin/operator/create": { callers: admin, body: operator, ids: { systemId: "nothing" } },
  "/v1/admin/operator/list": {
    callers: admin,
    body: ({ own }) => ({ sort: "asc", ids: [own.operator] }),
    ids: { "ids[]": "operator" },
  },
  "/v1/admin/operator/{id}": { callers: admin, ...byId("operator"), ids: { id: "operator" } },
  "/v1/admin/operator/{id}/update": {
    callers: admin,
    body: ({ own }) => ({ id: own.operator, tps: 10, priority: 3 }),
    ids: { id: "operator", systemId: "nothing" },
  },
  "/v1/admin/operator/{id}/delete": {
    callers: admin,
    ...byId("operator"),
    ids: { id: "operator" },
    spends: true,
  },
  "/v1/admin/operator/{id}/test": {
    callers: admin,
    body: ({ own }) => ({ id: own.simulated, phone: "2250700001098", text: "Essai" }),
    ids: { id: "simulated" },
  },
  "/v1/admin/operator/{id}/test/{testId}": {
    callers: admin,
    body: ({ own }) => ({ id: own.operator, testId: own.test }),
    ids: { id: "operator", testId: "test" },
  },
  "/v1/admin/operator/{id}/hold": one,
  "/v1/admin/operator/{id}/resume": one,
  "/v1/admin/operator/{id}/move": {
    callers: admin,
    // To where it is.
    body: ({ own, node }) => ({ id: own.simulated, node, bind: 0 }),
    ids: { id: "simulated" },
  },
};
