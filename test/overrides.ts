// What the attacks need of an endpoint beyond its declaration: a thing in a certain state, or another body than its example.

import { type TSchema, Type } from "typebox";
import { idOf, OF_NO_ACCOUNT } from "../src/platform/http/idschemas.ts";
import { totpOf } from "./administrators.ts";
import { newNumber } from "./belongings.ts";
import { newPhone } from "./codes.ts";
import {
  CODE,
  CODE_PHONE,
  type Fixture,
  given,
  type Json,
  type Kind,
  letters,
  unique,
  WEBHOOK_URL,
  WEEK,
} from "./fixtures.ts";
import { PRICE, succeeded } from "./reselling.ts";
import type { Things } from "./things.ts";

type Override = {
  /** The things that ids name, in place of those that their schemas declare. */
  things?: Readonly<Record<string, keyof Things>>;
  /** Members of the body, beside those of the example or in their place. */
  body?: (of: Fixture) => Json;
  callers?: readonly Kind[];
  /** What the endpoint reads besides its route's schema. */
  reads?: TSchema;
};

const text = Type.String({ minLength: 1, maxLength: 200 });
const wholeNumber = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
const ofRecurring: Override = { things: { id: "recurring" } };
const ofPending: Override = { things: { id: "pending" } };
const ofHttp: Override = { things: { id: "httpOperator" } };
const ofSubmitted: Override = { things: { id: "submitted" } };

export const overrides: Readonly<Record<string, Override>> = {
  "/v1/campaign/create": {
    body: ({ own, phone }) => ({
      ...{ contacts: given(phone), groupsIds: [own.group], senderId: own.senderName },
      ...{ type: "RECURRING", recurring: WEEK, scheduledDate: undefined },
    }),
  },
  "/v1/campaign/quote": {
    body: ({ own, phone }) => ({ contacts: given(phone), groupsIds: [own.group], senderId: own.senderName }),
  },
  "/v1/campaign/draft/save": {
    body: ({ own, phone }) => ({
      ...{ id: own.draft, contacts: given(phone), groupsIds: [own.group], senderId: "PASENCORE" },
      ...{ type: "RECURRING", recurring: WEEK, scheduledDate: undefined },
    }),
  },
  "/v1/campaign/template/create": { body: () => ({ name: unique() }) },
  "/v1/campaign/{id}/messages": { body: () => ({ runId: "" }), ...ofRecurring },
  "/v1/campaign/{id}/statistics": { body: () => ({ runId: "" }), ...ofRecurring },
  "/v1/campaign/{id}/export": { body: () => ({ runId: "", status: "DELIVERED" }), ...ofRecurring },
  "/v1/campaign/{id}/duplicate": ofRecurring,
  "/v1/campaign/{id}/cancel": ofRecurring,
  "/v1/campaign/{id}/reschedule": {
    body: () => ({ recurring: WEEK, scheduledDate: undefined }),
    ...ofRecurring,
  },
  "/v1/campaign/{id}/toggle-enable": { things: { id: "later" } },
  "/v1/campaign/{id}/update": { things: { id: "later" }, body: ({ phone }) => ({ contacts: given(phone) }) },
  "/v1/campaign/{id}/resume": { things: { id: "paused" } },
  "/v1/campaign/{id}/approve": { things: { id: "awaited" } },
  "/v1/campaign/{id}/decline": { things: { id: "unwanted" } },
  "/v1/admin/campaign/{id}/cancel": ofRecurring,
  "/v1/contact/create": { body: ({ phone }) => ({ contacts: [...given(phone), "2250700000012"] }) },
  "/v1/contact/delete-many": { body: () => ({ count: undefined }) },
  "/v1/contact/field/delete": { body: () => ({ name: "city" }) },
  "/v1/contact/import/{id}/part": {
    things: { id: "upload" },
    body: () => ({ offset: 0, data: "MjI1Cg==" }),
  },
  "/v1/contact/import/{id}/cancel": { things: { id: "upload" } },
  "/v1/contact/import/{id}/undo": { things: { id: "undoable" } },
  "/v1/group/create": { body: () => ({ contactIds: [""], contacts: undefined }) },
  "/v1/group/list": { body: () => ({ groupsIds: [""] }) },
  "/v1/group/{id}/update": { body: ({ phone }) => ({ contacts: given(phone) }) },
  "/v1/group/{id}/contacts/add": { body: () => ({ contactIds: [""], contacts: undefined }) },
  "/v1/group/{id}/contacts/remove": { body: () => ({ contactIds: [""], contacts: undefined }) },
  "/v1/inbound/list": {
    body: ({ phone }) => ({ phone, number: "98765", keyword: "promo", campaignId: "" }),
  },
  "/v1/statistics/days": { body: () => ({ from: "2026-11-01", to: "2026-11-30", operator: "Simulateur" }) },
  "/v1/transaction/stats": { body: () => ({ from: "2026-11-01", to: "2026-11-30" }) },
  "/v1/company/audit/list": { body: () => ({ action: "contact/create" }) },
  "/v1/company/request/list": {
    body: () => ({ outcome: "success", path: "/v1/contact/list", from: "2026-01-01T00:00:00Z" }),
  },
  "/v1/message/list": { body: () => ({ phone: undefined, campaignId: "", status: "DELIVERED" }) },
  "/v1/auth/otp/get": { body: () => ({ phoneNumber: newPhone(), senderId: "" }) },
  "/v1/auth/otp/verify": { body: () => ({ phoneNumber: CODE_PHONE, otp: CODE }) },
  "/v1/company/key/create": { body: () => ({ memberId: "", networks: ["0.0.0.0/0", "::/0"] }) },
  "/v1/company/key/{id}/update": { body: () => ({ scopes: ["send"] }) },
  "/v1/company/member/create": { body: () => ({ phone: newPhone() }) },
  "/v1/company/close": { body: ({ own }) => ({ confirm: own.company }) },
  "/v1/company/webhook/create": { body: () => ({ url: WEBHOOK_URL }) },
  "/v1/session/confirm": { body: ({ own }) => ({ token: own.memberSignIn, otp: CODE }) },
  "/v1/signup/begin": { body: () => ({ phone: newPhone() }) },
  "/v1/signup/confirm": { body: ({ own }) => ({ token: own.signUp, otp: CODE }) },
  "/v1/topup/{id}/receipt": { things: { id: "paidTopup" } },
  "/v1/payment/webhook/{provider}": {
    callers: ["provider"],
    body: ({ own }) => ({ provider: "standard", ...succeeded(own.purchase, PRICE) }),
    reads: Type.Object({
      id: idOf(OF_NO_ACCOUNT),
      type: text,
      data: Type.Object({
        purchaseId: Type.Optional(idOf("purchase")),
        reference: Type.Optional(text),
        amount: wholeNumber,
        currency: Type.Optional(text),
      }),
    }),
  },
  "/v1/third-party-app/submit": { body: () => ({ slug: unique(), webhookUrl: WEBHOOK_URL }) },
  "/v1/third-party-app/public-submit": { body: () => ({ slug: unique(), webhookUrl: WEBHOOK_URL }) },
  "/v1/third-party-app/my/{appId}/webhook/update": { body: () => ({ webhookUrl: `${WEBHOOK_URL}/2` }) },
  "/v1/sender/create": { body: () => ({ name: letters("C") }) },
  "/v1/admin/sender/create": { body: () => ({ name: letters("E") }) },
  "/v1/admin/sender/{id}": ofPending,
  "/v1/admin/sender/{id}/submit": ofPending,
  "/v1/admin/sender/{id}/accept": ofPending,
  "/v1/admin/sender/{id}/refuse": ofPending,
  "/v1/admin/third-party-app/{id}": ofSubmitted,
  "/v1/admin/third-party-app/{id}/approve": ofSubmitted,
  "/v1/admin/third-party-app/{id}/reject": ofSubmitted,
  "/v1/admin/credit/grant/{id}/refuse": { things: { id: "unwantedGrant" } },
  "/v1/admin/operator/create": { body: () => ({ name: unique() }) },
  "/v1/admin/operator/{id}/move": { things: { id: "simulated" }, body: ({ node }) => ({ node, bind: 0 }) },
  "/v1/admin/operator/{id}/test": { things: { id: "simulated" } },
  "/v1/admin/probe/create": { body: () => ({ phone: newPhone() }) },
  "/v1/admin/probe/{id}/send": { things: { operatorId: "simulated" } },
  "/v1/admin/operator/{id}/balance": ofHttp,
  "/v1/admin/operator/{id}/dry-run": ofHttp,
  "/v1/admin/operator/{id}/callback": ofHttp,
  "/v1/admin/operator/{id}/callback/renew": ofHttp,
  "/v1/admin/operator/{id}/pair": { things: { id: "phoneOperator" } },
  "/v1/admin/session/confirm": { body: ({ own }) => ({ token: own.signIn, otp: CODE, totp: totpOf() }) },
  "/v1/admin/session/enrol": { body: ({ own }) => ({ token: own.enrolling, totp: totpOf() }) },
  "/v1/admin/user/create": { body: () => ({ phone: newPhone() }) },
  "/v1/admin/audit/list": { body: () => ({ companyId: "", action: "contact/create" }) },
  "/v1/admin/audit/verify": { body: ({ own }) => ({ chain: own.company }) },
  "/v1/admin/message/list": { body: ({ phone }) => ({ phone, companyId: "" }) },
  "/v1/admin/inbound/list": {
    body: ({ phone }) => ({ phone, companyId: "", number: "98765", unrouted: false }),
  },
  "/v1/admin/statistics/days": { body: () => ({ companyId: "" }) },
  "/v1/admin/topup/list": { body: () => ({ companyId: "", status: "PENDING" }) },
  "/v1/admin/recovery/unknown": {
    body: () => ({ since: "2026-11-25T02:00:00Z", submittedOnly: false }),
  },
  "/v1/admin/inbound/number/create": { body: () => ({ number: newNumber(), companyId: "", operatorId: "" }) },
  "/v1/admin/inbound/keyword/create": { body: () => ({ keyword: newNumber() }) },
};
