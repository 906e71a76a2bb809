// What the tests of every door know of each: who may call it, a body that it accepts, and which members are ids.
import assert from "node:assert/strict";
import type { TSchema } from "typebox";
import { runDueCampaigns } from "../src/campaigns/campaigns.ts";
import { newId } from "../src/kernel/ids.ts";
import type { Door } from "../src/kernel/routes.ts";
import { doors as everyDoor } from "../src/routes.ts";
import { rows as select } from "./sending.ts";
import { type Company, until, type World } from "./world.ts";

export type Json = Record<string, unknown>;

/** Every member that is a credential somewhere; no kind of caller may be recognised by another's. */
export const CREDENTIALS = [
  "apiKey",
  "companyId",
  "adminKey",
  "apiSecret",
  "connectionToken",
  "serverApiKey",
] as const;

/** A kind of caller, and the members by which it is known. A new kind is added here and to `credentialsOf`. */
export const kinds = {
  company: ["apiKey", "companyId"],
  user: ["apiKey"],
  admin: ["adminKey"],
  /** Doors that anybody may call. */
  nobody: [],
} as const satisfies Record<string, readonly (typeof CREDENTIALS)[number][]>;
export type Kind = keyof typeof kinds;

/** Things that a company has, by which others might ask for them. A sender is named by its name too. */
export type Things = {
  contact: string;
  group: string;
  /** Accepted; `pending` is not yet. */
  sender: string;
  senderName: string;
  pending: string;
  campaign: string;
  /** Recurs, so that it can be canceled; `run` is a run of it. */
  recurring: string;
  run: string;
  company: string;
  user: string;
  /** An operator of its own, switched off: there for the administrator to change. */
  operator: string;
};

/** A company with something of everything; `phone` is its contact's and has opted out of nothing. */
export type Estate = Company & { own: Things; phone: string };

export type Row = {
  callers: readonly Kind[];
  /** A body that the door accepts, its path's parameters among the members. */
  body: (of: { own: Things; phone: string }) => Json;
  /** Its ids, `name[]` in an array: what of a company each one names, or `nothing` of a company. */
  ids?: Record<string, keyof Things | "nothing">;
  /** Cannot be done twice: the next call needs another estate. */
  spends?: true;
};

const company = ["company"] as const;
const admin = ["admin"] as const;
const byId = (thing: keyof Things) => ({ body: ({ own }: { own: Things }) => ({ id: own[thing] }) });
const unique = () => `x${newId()}`;
const letters = (first: string) => first + newId().slice(-10);
const WEEK_AHEAD_MS = 7 * 24 * 3_600_000;
const QUARTER_MS = 15 * 60_000;
const given = (phone: string) => [{ phone, name: "Awa Koné", firstName: "Awa", lastName: "Koné", sex: "F" }];
const WEEK = { monday: "2027-01-04T09:00:00Z", friday: "2027-01-04T16:15:00+01:00" };

const campaign = {
  callers: company,
  ids: { "contacts[].id": "nothing", "groupsIds[]": "group", senderId: "senderName" },
} as const;
const operator = () => ({
  systemId: "atumpan",
  password: "drum",
  name: unique(),
  host: "127.0.0.1",
  port: 1,
  prefixes: ["999"],
  enabled: false,
});

export const rows: Readonly<Record<string, Row>> = {
  "/v1/admin/company/create": {
    callers: admin,
    body: ({ phone }) => ({ name: "Boutique", ownerName: "Awa", ownerEmail: "a@b.ci", ownerPhone: phone }),
  },
  "/v1/admin/company/list": { callers: admin, body: () => ({ page: 1, limit: 2 }) },
  "/v1/user/key/regenerate": { callers: company, body: () => ({}) },
  "/v1/admin/credit/grant": {
    callers: admin,
    body: ({ own }) => ({ companyId: own.company, credit: 5, reason: "Cadeau", idempotencyKey: unique() }),
    ids: { companyId: "company", userId: "user", customerId: "nothing" },
  },
  "/v1/credit/balance": { callers: company, body: () => ({}) },
  "/v1/user/credit": { callers: company, body: () => ({}) },
  "/v1/credit/statement": { callers: company, body: () => ({ limit: 5 }) },
  "/v1/admin/otp/guard": { callers: admin, body: () => ({ limit: 5 }), ids: { companyId: "company" } },
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
  "/v1/contact/{id}": { callers: company, ...byId("contact"), ids: { id: "contact" } },
  "/v1/contact/{id}/update": {
    callers: company,
    body: ({ own }) => ({ id: own.contact, phone: "0700000013", firstName: "Yao" }),
    ids: { id: "contact" },
  },
  "/v1/group/create": {
    callers: company,
    body: ({ own }) => ({ name: "Clients", description: "Les fidèles", contactIds: [own.contact] }),
    ids: { "contactIds[]": "contact", "contacts[].id": "nothing" },
  },
  "/v1/group/list": { callers: company, body: () => ({ orderBy: "name" }) },
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
  "/v1/admin/sender/list": { callers: admin, body: () => ({ status: "ACCEPTED", limit: 2 }) },
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
  "/v1/admin/operator/create": { callers: admin, body: operator, ids: { systemId: "nothing" } },
  "/v1/admin/operator/list": { callers: admin, body: () => ({ sort: "asc" }) },
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
  "/v1/admin/credit/audit": { callers: admin, body: () => ({}) },
  "/v1/campaign/create": {
    ...campaign,
    body: ({ own, phone }) => ({
      name: "Promo",
      text: "Bonjour @firstName",
      contacts: given(phone),
      groupsIds: [own.group],
      senderId: own.senderName,
      type: "RECURRING",
      scheduledDate: new Date(
        Math.ceil((Date.now() + WEEK_AHEAD_MS) / QUARTER_MS) * QUARTER_MS,
      ).toISOString(),
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
  "/v1/sender/{id}/campaign": { callers: company, ...byId("sender"), ids: { id: "sender" } },
  "/v1/campaign/{id}/cancel": {
    callers: company,
    ...byId("recurring"),
    ids: { id: "recurring" },
    spends: true,
  },
  "/v1/admin/simulator/inbox": { callers: admin, body: ({ phone }) => ({ phone, limit: 5 }) },
  "/v1/admin/simulator/reply": {
    callers: admin,
    body: ({ phone }) => ({ from: phone, to: "ATUMPAN", text: "Merci" }),
  },
};

/**
 * Doors whose callers or bodies need more than an estate has (a code read from a handset, a reseller's server key, a
 * provider's signature), and the test that attacks each.
 */
export const elsewhere: Readonly<Record<string, string>> = {
  "/v1/auth/otp/get": "src/otp/otp.test.ts",
  "/v1/auth/otp/verify": "src/otp/otp.test.ts",
  "/v1/admin/partner/enable": "src/partners/partners.test.ts",
  "/v1/partner/app/server-key": "src/partners/partners.test.ts",
  "/v1/partner/customer/create": "src/partners/partners.test.ts",
  "/v1/partner/customer/list": "src/partners/partners.test.ts",
  "/v1/partner/customer/{id}": "src/partners/partners.test.ts",
  "/v1/partner/customer/{id}/statement": "src/partners/partners.test.ts",
  "/v1/partner/grant-credit": "src/partners/partners.test.ts",
  "/v1/partner/app/offers/create": "src/partners/purchases.test.ts",
  "/v1/partner/app/offers/list": "src/partners/purchases.test.ts",
  "/v1/partner/app/offers/{id}/archive": "src/partners/purchases.test.ts",
  "/v1/partner/offer/purchase": "src/partners/purchases.test.ts",
  "/v1/partner/purchase/{id}": "src/partners/purchases.test.ts",
  "/v1/payment/webhook/{provider}": "src/partners/payments.test.ts",
};

/** The doors that these tests attack: all others. */
export const doors: readonly Door[] = everyDoor.filter(({ path }) => !(path in elsewhere));

/** Makes a company that has something of everything. */
export async function makeEstate(w: World): Promise<Estate> {
  const made = await w.company({ credits: 1_000_000 });
  const phone = "2250700001099";
  const ok = async (answering: ReturnType<Company["call"]>) => {
    const answer = await answering;
    assert.equal(answer.success, true, JSON.stringify(answer));
    return answer.data;
  };
  const senderName = letters("A");
  const [[{ id: contact }], { id: sender }, { id: operatorId }] = await Promise.all([
    ok(made.call("/v1/contact/create", { phone, name: `Client ${made.companyId}` })),
    ok(made.call("/v1/sender/create", { name: senderName, description: "Promotions" })),
    ok(w.admin("/v1/admin/operator/create", operator())),
  ]);
  await ok(w.admin(`/v1/admin/sender/${sender}/accept`));
  const sends = { contacts: [phone], text: `Bonjour ${made.companyId}`, senderId: senderName };
  // One after the other where a list shows their order: two estates are to look alike.
  const [{ id: pending }, { id: group }, { id: campaign }] = await Promise.all([
    ok(made.call("/v1/sender/create", { name: letters("B"), description: "Promotions" })),
    ok(made.call("/v1/group/create", { name: "Clients", contactIds: [contact] })),
    ok(made.call("/v1/campaign/create", sends)),
  ]);
  const weekly = { ...sends, type: "RECURRING", recurring: WEEK };
  const { id: recurring } = await ok(made.call("/v1/campaign/create", weekly));
  const own = { contact, sender, senderName, pending, group, campaign, recurring, operator: operatorId };
  const run = await runNow(w, made, recurring);
  return { ...made, phone, own: { ...own, run, company: made.companyId, user: made.userId } };
}

/** Lets a recurring campaign be due now; returns the id of its run, whoever runs it. */
async function runNow(w: World, of: Company, campaignId: string): Promise<string> {
  const now = new Date();
  await select(w.app, "UPDATE campaigns SET next_at = $2 WHERE id = $1", [campaignId, now]);
  await runDueCampaigns(w.app, now);
  return until(async () => (await of.call(`/v1/campaign/${campaignId}`)).data.runs[0]?.id);
}

/** What a caller of this kind says of itself. */
export function credentialsOf(kind: Kind, w: World, { apiKey, companyId }: Company): Json {
  const all = { apiKey, companyId, adminKey: w.adminKey };
  return Object.fromEntries(kinds[kind].map((member) => [member, all[member]]));
}

/** A door's path with its parameters out of a body, and the rest of the body. */
export function addressed({ path }: Door, { ...body }: Json): { path: string; body: Json } {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = body[name];
    delete body[name];
    return encodeURIComponent(String(value));
  });
  return { path: filled, body };
}

/** Every member of a schema, `name[]` for the items of an array, with the schema of each. */
export function* membersOf(schema: TSchema, at = ""): Generator<[name: string, schema: TSchema]> {
  const { properties, items, anyOf } = schema as {
    properties?: Record<string, TSchema>;
    items?: TSchema;
    anyOf?: TSchema[];
  };
  if (at) yield [at, schema];
  for (const [name, member] of Object.entries(properties ?? {})) {
    yield* membersOf(member, at ? `${at}.${name}` : name);
  }
  if (items) yield* membersOf(items, `${at}[]`);
  for (const one of anyOf ?? [])
    for (const [name, member] of membersOf(one, at)) if (name !== at) yield [name, member];
}

/** The door's row; a door without one is not tested, and fails here. */
export function rowOf({ path }: Door): Row {
  return rows[path] ?? assert.fail(`test/doors.ts has no row for ${path}`);
}
