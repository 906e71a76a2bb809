// The rows of the doors of members and keys, for the tests of every door.
import { newPhone } from "./codes.ts";
import { byId, type Row } from "./estates.ts";

const company = ["company"] as const;

export const rowsOfTeams: Readonly<Record<string, Row>> = {
  "/v1/company/key/create": {
    callers: company,
    body: ({ own }) => ({
      ...{ name: "Caisse", memberId: own.member, scopes: ["read"], networks: ["0.0.0.0/0", "::/0"] },
      expiresAt: "2999-01-01T00:00:00Z",
    }),
    ids: { memberId: "member" },
  },
  "/v1/company/key/list": { callers: company, body: () => ({ sort: "asc", limit: 5 }) },
  "/v1/company/key/{id}/update": {
    callers: company,
    body: ({ own }) => ({ id: own.key, name: "Boutique", scopes: ["send"], networks: [], expiresAt: "" }),
    ids: { id: "key" },
  },
  "/v1/company/key/{id}/revoke": { callers: company, ...byId("key"), ids: { id: "key" }, spends: true },
  "/v1/company/member/create": {
    callers: company,
    // Each call takes a new phone, because no two members have the same.
    body: () => ({ name: "Yao Koffi", phone: newPhone(), email: "yao@b.ci", role: "reader" }),
  },
  "/v1/company/member/list": { callers: company, body: () => ({ sort: "desc", limit: 5 }) },
  "/v1/company/member/{id}/update": {
    callers: company,
    body: ({ own }) => ({ id: own.member, name: "Yao", email: "y@b.ci", role: "approver" }),
    ids: { id: "member" },
  },
  "/v1/company/member/{id}/remove": {
    callers: company,
    ...byId("member"),
    ids: { id: "member" },
    spends: true,
  },
};
