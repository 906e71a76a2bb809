// The rows of the doors of members, keys and approvals, for the tests of every door.
import { newPhone } from "./codes.ts";
import { byId, CODE, type Row } from "./estates.ts";

const company = ["company"] as const;

const nobody = ["nobody"] as const;
const session = ["session"] as const;

export const rowsOfTeams: Readonly<Record<string, Row>> = {
  "/v1/company/request/list": {
    callers: company,
    body: () => ({ outcome: "success", path: "/v1/contact/list", from: "2026-01-01T00:00:00Z", limit: 5 }),
  },
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
    body: ({ own }) => ({ id: own.key, name: "Boutique", scopes: ["send"], networks: null, expiresAt: "" }),
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
  "/v1/session/begin": { callers: nobody, body: () => ({ phone: "2250700009998", language: "fr" }) },
  "/v1/session/confirm": {
    callers: nobody,
    body: ({ own }) => ({ token: own.memberSignIn, otp: CODE }),
    ids: { token: "nothing" },
    spends: true,
  },
  "/v1/session/read": { callers: session, body: () => ({}) },
  "/v1/session/list": { callers: session, body: () => ({ sort: "asc", limit: 5 }) },
  "/v1/session/{id}/end": { callers: session, ...byId("memberSession"), ids: { id: "memberSession" } },
  "/v1/signup/begin": {
    callers: nobody,
    // Each call takes a new phone, which is asked for a few codes a day.
    body: () => ({ phone: newPhone(), companyName: "Boutique", name: "Awa", language: "fr" }),
  },
  "/v1/signup/confirm": {
    callers: nobody,
    body: ({ own }) => ({ token: own.signUp, otp: CODE }),
    ids: { token: "nothing" },
    spends: true,
  },
  "/v1/company/approval/update": {
    callers: company,
    body: () => ({ approval: "none", approvalThreshold: 100, approvalOfKeys: true }),
  },
  "/v1/campaign/forgotten/list": { callers: company, body: () => ({ sort: "asc", limit: 5 }) },
  "/v1/campaign/approval/list": { callers: company, body: () => ({ sort: "asc", limit: 5 }) },
  "/v1/campaign/{id}/approve": { callers: company, ...byId("awaited"), ids: { id: "awaited" }, spends: true },
  "/v1/campaign/{id}/decline": {
    callers: company,
    body: ({ own }) => ({ id: own.unwanted, reason: "Le prix a changé" }),
    ids: { id: "unwanted" },
    spends: true,
  },
};
