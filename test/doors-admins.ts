// The rows of the doors of administrators, and of companies as they see them.
import { totpOf } from "./administrators.ts";
import { newPhone } from "./codes.ts";
import { byId, CODE, type Row } from "./estates.ts";

const admin = ["admin"] as const;
const nobody = ["nobody"] as const;

const user = { callers: admin, ...byId("administrator"), ids: { id: "administrator" } } as const;

export const rowsOfAdmins: Readonly<Record<string, Row>> = {
  "/v1/admin/user/create": {
    callers: admin,
    body: () => ({ name: "Awa Koné", phone: newPhone(), role: "finance", language: "en" }),
  },
  "/v1/admin/user/list": {
    callers: admin,
    body: ({ own }) => ({ limit: 2, ids: [own.administrator] }),
    ids: { "ids[]": "administrator" },
  },
  "/v1/admin/user/{id}": user,
  "/v1/admin/user/{id}/update": {
    ...user,
    body: ({ own }) => ({ id: own.administrator, name: "Awa Koné", role: "finance" }),
  },
  "/v1/admin/user/{id}/disable": { ...user, spends: true },
  "/v1/admin/user/{id}/enable": user,
  "/v1/admin/user/{id}/second-factor/reset": { ...user, spends: true },
  "/v1/admin/session/begin": { callers: nobody, body: () => ({ phone: "2250700009999" }) },
  "/v1/admin/session/confirm": {
    callers: nobody,
    body: ({ own }) => ({ token: own.signIn, otp: CODE, totp: totpOf() }),
    ids: { token: "nothing" },
    spends: true,
  },
  "/v1/admin/session/enrol": {
    callers: nobody,
    body: ({ own }) => ({ token: own.enrolling, totp: totpOf() }),
    ids: { token: "nothing" },
    spends: true,
  },
  "/v1/admin/session/read": { callers: admin, body: () => ({}) },
  "/v1/admin/session/list": { callers: admin, body: () => ({ limit: 2 }) },
  "/v1/admin/session/{id}/end": { callers: admin, ...byId("adminSession"), ids: { id: "adminSession" } },
  "/v1/admin/key/create": {
    callers: admin,
    body: () => ({
      name: "Prometheus",
      role: "support",
      expiresAt: "2099-01-01T00:00:00Z",
      networks: ["10.0.0.0/8"],
    }),
  },
  "/v1/admin/key/list": {
    callers: admin,
    body: ({ own }) => ({ limit: 2, ids: [own.machineKey] }),
    ids: { "ids[]": "machineKey" },
  },
  "/v1/admin/key/{id}": { callers: admin, ...byId("machineKey"), ids: { id: "machineKey" } },
  "/v1/admin/key/{id}/revoke": { callers: admin, ...byId("machineKey"), ids: { id: "machineKey" } },
  "/v1/admin/company/list": {
    callers: admin,
    body: ({ own }) => ({ page: 1, limit: 2, ids: [own.company], search: "Boutique" }),
    ids: { "ids[]": "company" },
  },
  "/v1/admin/company/{id}": { callers: admin, ...byId("company"), ids: { id: "company" } },
  "/v1/admin/company/{id}/update": {
    callers: admin,
    body: ({ own }) => ({ id: own.company, name: "Boutique Awa", senderLimit: 3, ownerName: "Awa Koné" }),
    ids: { id: "company" },
  },
  "/v1/admin/company/{id}/suspend": {
    callers: admin,
    body: ({ own }) => ({ id: own.company, reason: "Hameçonnage" }),
    ids: { id: "company" },
    spends: true,
  },
  "/v1/admin/company/{id}/resume": { callers: admin, ...byId("company"), ids: { id: "company" } },
  "/v1/admin/company/{id}/key/reset": {
    callers: admin,
    ...byId("company"),
    ids: { id: "company" },
    spends: true,
  },
};
