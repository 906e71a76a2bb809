// A row for each door: its callers, a body that it accepts, and which members are ids. The tests of every door use it.
import assert from "node:assert/strict";
import { type TSchema, Type } from "typebox";
import type { Route } from "../src/platform/http/routes.ts";
import { newId } from "../src/platform/ids.ts";
import { newPhone } from "./codes.ts";
import { rowsOfAdmins } from "./doors-admins.ts";
import { rowsOfApps } from "./doors-apps.ts";
import { rowsOfCampaigns } from "./doors-campaigns.ts";
import { rowsOfImports } from "./doors-imports.ts";
import { rowsOfInbound } from "./doors-inbound.ts";
import { rowsOfLife } from "./doors-life.ts";
import { rowsOfOperating } from "./doors-operating.ts";
import { rowsOfOperators } from "./doors-operators.ts";
import { rowsOfPrivacy } from "./doors-privacy.ts";
import { rowsOfTeams } from "./doors-teams.ts";
import { rowsOfTopups } from "./doors-topups.ts";
import { rowsOfCompanyWebhooks } from "./doors-webhooks.ts";
import { byId, CODE, CODE_PHONE, given, type Json, letters, type Row, unique, WEEK } from "./estates.ts";
import { PRICE, succeeded } from "./reselling.ts";

const company = ["company"] as const;
const admin = ["admin"] as const;
/** A reseller: its server, or one of its people. */
const seller = ["partner", "company"] as const;

const campaign = {
  callers: company,
  ids: { "contacts[].id": "nothing", "groupsIds[]": "group", senderId: "senderName" },
} satisfies Partial<Row>;
const text = Type.String({ minLength: 1, maxLength: 200 });
const wholeNumber = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

export const rows: Readonly<Record<string, Row>> = {
  "/v1/admin/company/create": {
    callers: admin,
    body: ({ phone }) => ({ name: "Boutique", ownerName: "Awa", ownerEmail: "a@b.ci", ownerPhone: phone }),
  },
  "/v1/admin/audit/list": {
    callers: admin,
    body: ({ own }) => ({ companyId: own.company, action: "contact/create", limit: 5 }),
    ids: { companyId: "company", actorId: "user" },
  },
  "/v1/admin/audit/verify": { callers: admin, body: ({ own }) => ({ chain: own.company }) },
  "/v1/company/audit/list": { callers: company, body: () => ({ action: "contact/create", limit: 5 }) },
  "/v1/user/key/regenerate": { callers: company, body: () => ({}) },
  "/v1/admin/credit/grant": {
    callers: admin,
    body: ({ own }) => ({ companyId: own.company, credit: 5, reason: "Cadeau", idempotencyKey: unique() }),
    ids: { companyId: "company", userId: "user", customerId: "customer" },
  },
  "/v1/admin/credit/grant/list": { callers: admin, body: () => ({ status: "WAITING", limit: 5 }) },
  "/v1/admin/credit/grant/{id}/confirm": { callers: admin, ...byId("grant"), ids: { id: "grant" } },
  "/v1/admin/credit/grant/{id}/refuse": {
    callers: admin,
    body: ({ own }) => ({ id: own.unwantedGrant, reason: "Pas de paiement" }),
    ids: { id: "unwantedGrant" },
  },
  "/v1/company/read": { callers: company, body: () => ({}) },
  "/v1/company/update": { callers: company, body: () => ({ name: "Boutique Yao", lowBalance: 100 }) },
  "/v1/company/usage": { callers: company, body: () => ({}) },
  "/v1/credit/balance": { callers: company, body: () => ({}) },
  "/v1/user/credit": { callers: company, body: () => ({}) },
  "/v1/credit/statement": { callers: company, body: () => ({ limit: 5 }) },
  "/v1/message/list": {
    callers: company,
    body: ({ own }) => ({ campaignId: own.campaign, status: "DELIVERED", limit: 5 }),
    ids: { campaignId: "campaign", afterId: "chosen" },
  },
  "/v1/admin/message/list": {
    callers: admin,
    body: ({ own, phone }) => ({ phone, companyId: own.company }),
    ids: { companyId: "company", campaignId: "campaign", afterId: "chosen" },
  },
  "/v1/statistics/days": {
    callers: company,
    body: () => ({ from: "2026-11-01", to: "2026-11-30", operator: "Simulateur" }),
  },
  "/v1/admin/statistics/days": {
    callers: admin,
    body: ({ own }) => ({ companyId: own.company }),
    ids: { companyId: "company", operatorId: "operator" },
  },
  "/v1/admin/otp/guard": { callers: admin, body: () => ({ limit: 5 }), ids: { companyId: "company" } },
  "/v1/admin/otp/allow": {
    callers: admin,
    body: ({ own }) => ({ accountId: own.company }),
    ids: { accountId: "company" },
  },
  "/v1/admin/payment/list": { callers: admin, body: () => ({ limit: 5 }) },
  "/v1/contact/create": {
    callers: company,
    body: ({ phone }) => ({ contacts: [...given(phone), "2250700000012"] }),
    ids: { "contacts[].id": "nothing" },
  },
  "/v1/contact/list": { callers: company, body: () => ({ orderBy: "phone", sort: "asc" }) },
  "/v1/contact/delete": {
    callers: company,
    body: ({ own }) => ({ contactsIds: [own.contact] }),
    ids: { "contactsIds[]": "contact", "contactIds[]": "contact" },
    spends: true,
  },
  "/v1/contact/delete-many": {
    callers: company,
    body: ({ own }) => ({ groupId: own.group }),
    ids: { groupId: "group" },
    spends: true,
  },
  "/v1/contact/delete-many/{id}": { callers: company, ...byId("deletion"), ids: { id: "deletion" } },
  "/v1/contact/field/list": { callers: company, body: () => ({ limit: 5 }) },
  "/v1/contact/field/delete": { callers: company, body: () => ({ name: "city" }), spends: true },
  "/v1/contact/{id}": { callers: company, ...byId("contact"), ids: { id: "contact" } },
  "/v1/contact/{id}/update": {
    callers: company,
    body: ({ own }) => ({
      id: own.contact,
      phone: "0700000013",
      firstName: "Yao",
      fields: { city: "Daloa" },
    }),
    ids: { id: "contact" },
  },
  "/v1/group/create": {
    callers: company,
    body: ({ own }) => ({ name: "Clients", description: "Les fidèles", contactIds: [own.contact] }),
    ids: { "contactIds[]": "contact", "contacts[].id": "nothing" },
  },
  "/v1/group/list": {
    callers: company,
    body: ({ own }) => ({ orderBy: "name", groupsIds: [own.group] }),
    ids: { "groupsIds[]": "group" },
  },
  "/v1/group/{id}": { callers: company, ...byId("group"), ids: { id: "group" } },
  "/v1/group/{id}/update": {
    callers: company,
    body: ({ own, phone }) => ({ id: own.group, name: "Amis", contacts: given(phone) }),
    ids: { id: "group", "contactIds[]": "contact", "contacts[].id": "nothing" },
  },
  "/v1/group/{id}/delete": { callers: company, ...byId("group"), ids: { id: "group" }, spends: true },
  "/v1/group/{id}/contacts/list": { callers: company, ...byId("group"), ids: { id: "group" } },
  "/v1/group/{id}/contacts/add": {
    callers: company,
    body: ({ own }) => ({ id: own.group, contactIds: [own.contact] }),
    ids: { id: "group", "contactIds[]": "contact", "contacts[].id": "nothing" },
  },
  "/v1/group/{id}/contacts/remove": {
    callers: company,
    body: ({ own }) => ({ id: own.group, contactIds: [own.contact] }),
    ids: { id: "group", "contactIds[]": "contact", "contacts[].id": "nothing" },
  },
  "/v1/sender/create": { callers: company, body: () => ({ name: letters("C"), description: "Promotions" }) },
  "/v1/sender/list": { callers: company, body: () => ({ count: 5, orderBy: "name", sort: "asc" }) },
  "/v1/sender/{id}": { callers: company, ...byId("sender"), ids: { id: "sender" } },
  "/v1/admin/sender/create": {
    callers: admin,
    body: ({ own }) => ({
      companyId: own.company,
      name: `É ${newId().slice(-9)}`,
      description: "Vient d’ailleurs",
    }),
    ids: { companyId: "company" },
  },
  "/v1/admin/sender/list": {
    callers: admin,
    body: ({ own }) => ({ status: "ACCEPTED", limit: 2, ids: [own.sender] }),
    ids: { "ids[]": "sender" },
  },
  "/v1/admin/sender/{id}": { callers: admin, ...byId("pending"), ids: { id: "pending" } },
  "/v1/admin/sender/{id}/submit": {
    callers: admin,
    ...byId("pending"),
    ids: { id: "pending" },
  },
  "/v1/admin/sender/{id}/accept": {
    callers: admin,
    ...byId("pending"),
    ids: { id: "pending" },
  },
  "/v1/admin/sender/{id}/refuse": {
    callers: admin,
    body: ({ own }) => ({ id: own.pending, reason: "Nom protégé" }),
    ids: { id: "pending" },
  },
  "/v1/optout/create": { callers: company, body: () => ({ phone: "2250700000014" }) },
  "/v1/optout/list": { callers: company, body: () => ({ orderBy: "phone", sort: "desc" }) },
  "/v1/optout/delete": { callers: company, body: () => ({ phone: "2250700000014" }) },
  "/v1/admin/ported/import": { callers: admin, body: () => ({ numbers: "2250700000015,simulator" }) },
  "/v1/admin/ported/find": { callers: admin, body: () => ({ phone: "2250700000016" }) },
  "/v1/admin/ported/clear": { callers: admin, body: () => ({}) },
  "/v1/campaign/create": {
    ...campaign,
    ids: { ...campaign.ids, draftId: "draft" },
    body: ({ own, phone }) => ({
      name: "Promo",
      text: "Bonjour @firstName",
      contacts: given(phone),
      groupsIds: [own.group],
      senderId: own.senderName,
      type: "RECURRING",
      recurring: WEEK,
      idempotencyKey: unique(),
    }),
  },
  "/v1/campaign/list": { callers: company, body: () => ({ orderBy: "firstName", limit: 3 }) },
  "/v1/campaign/quote": {
    ...campaign,
    body: ({ own, phone }) => ({
      text: "Bonjour @firstName",
      contacts: given(phone),
      groupsIds: [own.group],
      senderId: own.senderName,
    }),
  },
  "/v1/campaign/{id}": { callers: company, ...byId("campaign"), ids: { id: "campaign" } },
  "/v1/campaign/{id}/messages": {
    callers: company,
    body: ({ own }) => ({ id: own.recurring, runId: own.run }),
    ids: { id: "campaign", runId: "run" },
  },
  "/v1/campaign/{id}/statistics": {
    callers: company,
    body: ({ own }) => ({ id: own.recurring, runId: own.run }),
    ids: { id: "campaign", runId: "run" },
  },
  "/v1/sender/{id}/campaign": { callers: company, ...byId("sender"), ids: { id: "sender" } },
  "/v1/campaign/{id}/cancel": {
    callers: company,
    ...byId("recurring"),
    ids: { id: "recurring" },
    spends: true,
  },
  "/v1/admin/campaign/{id}/cancel": {
    callers: admin,
    body: ({ own }) => ({ id: own.recurring, companyId: own.company }),
    ids: { id: "recurring", companyId: "company" },
    spends: true,
  },
  "/v1/campaign/{id}/toggle-enable": {
    callers: company,
    ...byId("later"),
    ids: { id: "later" },
  },
  "/v1/campaign/{id}/resume": { callers: company, ...byId("paused"), ids: { id: "paused" }, spends: true },
  "/v1/admin/campaign/held/list": { callers: admin, body: () => ({ limit: 5 }) },
  "/v1/admin/campaign/held/{id}": { callers: admin, ...byId("campaign"), ids: { id: "campaign" } },
  "/v1/admin/campaign/{id}/release": {
    callers: admin,
    body: ({ own }) => ({ id: own.campaign, companyId: own.company }),
    ids: { id: "campaign", companyId: "company" },
  },
  "/v1/admin/simulator/inbox": { callers: admin, body: ({ phone }) => ({ phone, limit: 5 }) },
  "/v1/admin/simulator/reply": {
    callers: admin,
    body: ({ phone }) => ({ from: phone, to: "ATUMPAN", text: "Merci" }),
  },
  "/v1/auth/otp/get": {
    callers: ["company", "user"],
    // Each call takes a new phone, because a second code to the same phone has to wait.
    body: ({ own }) => ({
      phoneNumber: newPhone(),
      length: 6,
      mode: "ALPHA_NUMERIC",
      senderId: own.senderName,
      appName: "Boutique",
      idempotencyKey: unique(),
    }),
    ids: { senderId: "senderName" },
  },
  "/v1/auth/otp/verify": {
    callers: ["company", "user"],
    body: ({ own }) => ({ phoneNumber: CODE_PHONE, token: own.token, otp: CODE }),
    ids: { token: "token" },
    spends: true,
  },
  "/v1/admin/partner/enable": {
    callers: admin,
    body: ({ own }) => ({ companyId: own.company }),
    ids: { companyId: "company" },
  },
  "/v1/admin/partner/{id}/disable": {
    callers: admin,
    ...byId("company"),
    ids: { id: "company" },
    spends: true,
  },
  "/v1/partner/app/server-key": { callers: company, body: () => ({}) },
  "/v1/partner/customer/create": {
    callers: seller,
    body: () => ({ name: "Salon Fatou", externalId: unique() }),
    ids: { externalId: "chosen" },
  },
  "/v1/partner/customer/list": { callers: seller, body: () => ({ sort: "asc", limit: 5 }) },
  "/v1/partner/customer/{id}": { callers: seller, ...byId("customer"), ids: { id: "customer" } },
  "/v1/partner/customer/{id}/statement": { callers: seller, ...byId("customer"), ids: { id: "customer" } },
  "/v1/partner/customer/{id}/campaigns": { callers: seller, ...byId("customer"), ids: { id: "customer" } },
  "/v1/partner/grant-credit": {
    callers: seller,
    body: ({ own }) => ({ customerId: own.customer, credit: 5, reason: "Cadeau", idempotencyKey: unique() }),
    ids: { customerId: "customer" },
  },
  "/v1/partner/app/offers/create": {
    callers: company,
    body: () => ({ name: "Petit pack", price: PRICE, credit: 200, bonusCredit: 20 }),
  },
  "/v1/partner/app/offers/list": { callers: company, body: () => ({ sort: "asc", limit: 5 }) },
  "/v1/partner/app/offers/{id}/archive": { callers: company, ...byId("offer"), ids: { id: "offer" } },
  "/v1/partner/offer/purchase": {
    callers: seller,
    body: ({ own }) => ({ customerId: own.customer, offerId: own.offer, idempotencyKey: unique() }),
    ids: { customerId: "customer", offerId: "offer" },
  },
  "/v1/partner/purchase/{id}": { callers: seller, ...byId("purchase"), ids: { id: "purchase" } },
  "/v1/payment/webhook/{provider}": {
    callers: ["provider"],
    body: ({ own }) => ({ provider: "standard", ...succeeded(own.purchase, PRICE) }),
    reads: Type.Object({
      id: text,
      type: text,
      data: Type.Object({
        purchaseId: Type.Optional(text),
        reference: Type.Optional(text),
        amount: wholeNumber,
        currency: Type.Optional(text),
      }),
    }),
    ids: { id: "nothing", "data.purchaseId": "purchase", provider: "nothing" },
  },
  ...rowsOfAdmins,
  ...rowsOfCampaigns,
  ...rowsOfApps,
  ...rowsOfTeams,
  ...rowsOfImports,
  ...rowsOfOperating,
  ...rowsOfOperators,
  ...rowsOfPrivacy,
  ...rowsOfLife,
  ...rowsOfInbound,
  ...rowsOfTopups,
  ...rowsOfCompanyWebhooks,
};

/** The names of the parameters in a door's path. */
export function parametersOf({ path }: Route): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

/** A door's path, filled in from a body, and the rest of the body. */
export function addressed({ path }: Pick<Route, "path">, { ...body }: Json): { path: string; body: Json } {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = body[name];
    delete body[name];
    return encodeURIComponent(String(value));
  });
  return { path: filled, body };
}

/** Every member that a door reads, with its schema. */
export function membersOf(route: Route): [name: string, schema: TSchema][] {
  const { reads } = rowOf(route);
  return [...within(route.body), ...(reads ? within(reads) : [])];
}

/** Every member of a schema with its schema; `name[]` stands for the items of an array. */
function* within(schema: TSchema, at = ""): Generator<[name: string, schema: TSchema]> {
  const { properties, items, anyOf } = schema as {
    properties?: Record<string, TSchema>;
    items?: TSchema;
    anyOf?: TSchema[];
  };
  if (at) yield [at, schema];
  for (const [name, member] of Object.entries(properties ?? {})) {
    yield* within(member, at ? `${at}.${name}` : name);
  }
  if (items) yield* within(items, `${at}[]`);
  for (const one of anyOf ?? [])
    for (const [name, member] of within(one, at)) if (name !== at) yield [name, member];
}

/** The door's row. Fails for a door without one, since it would not be tested. */
export function rowOf({ path }: Route): Row {
  return rows[path] ?? assert.fail(`test/doors.ts has no row for ${path}`);
}
