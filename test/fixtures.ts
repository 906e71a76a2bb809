// Helpers for tests of every endpoint: the kinds of callers, and companies that have something of everything.
import assert from "node:assert/strict";
import { openMemberSession } from "../src/identity/accounts/sessions.ts";
import { newId } from "../src/platform/ids.ts";
import { administer } from "./administrators.ts";
import { dataOf } from "./applications.ts";
import { connect, hear, makeKnown, pause, runNow, sell, sendKnownCode, wait } from "./belongings.ts";
import { newPhone } from "./codes.ts";
import { httpOperator } from "./httpprovider.ts";
import { emptiedGroup, endedWithContacts } from "./importing.ts";
import { JSON_TYPE } from "./listener.ts";
import { PAYMENT_SECRET, standardHeaders } from "./reselling.ts";
import { rows as select } from "./sending.ts";
import { afterMillisecond, type Company, type TestService, type TestServiceOptions } from "./testservice.ts";
import type { Things } from "./things.ts";
import { CHECKOUT_URL, pay, topUp } from "./topping.ts";

export type Json = Record<string, unknown>;

/** Every member that is a credential somewhere. No endpoint may recognise a kind of caller by the credential of another kind. */
export const CREDENTIALS = [
  "apiKey",
  "companyId",
  "adminKey",
  "apiSecret",
  "connectionToken",
  "serverApiKey",
] as const;

/** The kinds of callers, and the members that identify them. Add a new kind here and to `credentialsOf`. */
export const kinds = {
  company: ["apiKey", "companyId"],
  user: ["apiKey"],
  /** A person who signed in, for no company. */
  session: ["apiKey"],
  admin: ["adminKey"],
  /** The server of a reseller. */
  partner: ["serverApiKey"],
  /** The server of a third-party application. */
  app: ["apiSecret"],
  /** A third-party application that acts for an account. */
  connection: ["connectionToken"],
  /** A payment provider. Its signature identifies it; see `headersOf`. */
  provider: [],
  /** Endpoints that anybody may call. */
  nobody: [],
} as const satisfies Record<string, readonly (typeof CREDENTIALS)[number][]>;
export type Kind = keyof typeof kinds;

/** A company with something of everything. `phone` is its contact's, and has opted out of nothing. */
export type Fixture = Company & {
  own: Things;
  phone: string;
  node: string;
  serverApiKey: string;
  apiSecret: string;
  connectionToken: string;
  /** Another session of the member. */
  sessionKey: string;
};

export const given = (phone: string) => [
  { phone, name: "Awa Koné", firstName: "Awa", lastName: "Koné", sex: "F", fields: { city: "Man" } },
];

/** Endpoints that end the key of their caller, or another key of the fixture. */
export const NEW_KEY = new Set([
  "/v1/user/key/regenerate",
  "/v1/partner/app/server-key",
  "/v1/third-party-app/my/{appId}/regenerate-secret",
  "/v1/admin/company/{id}/suspend",
  "/v1/admin/company/{id}/key/reset",
  "/v1/admin/partner/{id}/disable",
  "/v1/company/close",
]);

export const CODE_PHONE = "2250700001100";
export const CODE = "471147";

const ENOUGH = 1_000_000;
export const QUOTAS = {
  ...{ contacts: ENOUGH, groups: ENOUGH, groupMembers: ENOUGH, optouts: ENOUGH, schedules: ENOUGH },
  ...{ drafts: ENOUGH, templates: ENOUGH },
  ...{ applications: ENOUGH, connections: ENOUGH, customers: ENOUGH, offers: ENOUGH },
  ...{ keys: ENOUGH, members: ENOUGH, imports: ENOUGH, webhooks: ENOUGH },
};
/** The settings of a test service whose endpoints can be asked without end. */
export const OPEN = {
  limits: {
    requestsPerSecond: ENOUGH,
    requestBurst: ENOUGH,
    refusedPauseMs: 0,
    webhookTestsPerHour: ENOUGH,
    authFailuresPerMinute: ENOUGH,
    quotas: QUOTAS,
    publicSubmitsPerHour: ENOUGH,
    publicSubmitsPerHourOfNetwork: ENOUGH,
    publicSubmitsPerDayOfOwner: ENOUGH,
    publicSubmitsPerDay: ENOUGH,
    pairingsPerHour: ENOUGH,
    pairingPollsAtOnce: ENOUGH,
    pairingMissesPerAccount: ENOUGH,
    pairingsPerApplication: ENOUGH,
    otpPerPhonePerDayInAll: ENOUGH,
    probes: ENOUGH,
    signInsPerTenMinutes: ENOUGH,
    signInsPerTenMinutesOfNetwork: ENOUGH,
    signInGuessesPerTenMinutes: ENOUGH,
    signInsPerPhone: ENOUGH,
    signInsPerPhoneOfUnknown: ENOUGH,
    signUpCodesPerPhone: ENOUGH,
    signUpCodesPerNetwork: ENOUGH,
    signUpCodesPerCountry: ENOUGH,
    signUpCodesPerDay: ENOUGH,
    signUpsPerPhone: ENOUGH,
    signUpsPerNetwork: ENOUGH,
    signUpsPerDay: ENOUGH,
    secondsBetweenSignIns: 1 / ENOUGH,
    adminFactorTries: ENOUGH,
    exportsPerDay: ENOUGH,
    importsPerDay: ENOUGH,
    sheetsPerDay: ENOUGH,
    topupOffers: ENOUGH,
    topupsPerDay: ENOUGH,
    checkoutsPerMinute: ENOUGH,
  },
  settings: { signInAnswerMs: 0 },
  config: {
    paymentWebhookSecret: PAYMENT_SECRET,
    webhookAllowCidrs: ["127.0.0.1"],
    carrierAllowCidrs: ["127.0.0.1"],
    paymentCheckoutUrl: CHECKOUT_URL,
  },
} satisfies TestServiceOptions;

/** Webhooks go to this address on this machine, where nobody listens. */
export const WEBHOOK_URL = "http://127.0.0.1:1/webhooks";

export const unique = () => `x${newId()}`;
export const letters = (first: string) => first + newId().slice(-10);
export const WEEK = { monday: "2027-01-04T09:00:00Z", friday: "2027-01-04T16:15:00+01:00" };

export const operator = () => ({
  systemId: "atumpan",
  password: "drum",
  name: unique(),
  host: "127.0.0.1",
  port: 1,
  prefixes: ["999"],
  enabled: false,
});

const HANDSET = { name: "Awa, Abidjan", consent: "Awa Koné, le 28/11/2026" };

/** Makes a company that has something of everything. */
export async function makeFixture(w: TestService): Promise<Fixture> {
  const made = await w.company({ credits: 1_000_000 });
  const phone = "2250700001099";
  const ok = async (answering: ReturnType<Company["call"]>) => {
    const answer = await answering;
    assert.equal(answer.success, true, JSON.stringify(answer));
    return answer.data;
  };
  const senderName = letters("A");
  const fields = { city: made.companyId };
  const [[{ id: contact }], { id: sender }, { id: operatorId }] = await Promise.all([
    ok(made.call("/v1/contact/create", { phone, name: `Client ${made.companyId}`, fields })),
    ok(made.call("/v1/sender/create", { name: senderName, description: "Promotions" })),
    ok(w.admin("/v1/admin/operator/create", operator())),
  ]);
  await ok(w.admin(`/v1/admin/sender/${sender}/accept`, { reason: "Test" }));
  const sends = { contacts: [phone], text: `Bonjour ${made.companyId}`, senderId: senderName };
  // Things in one list are made one after the other, because two fixtures must look alike.
  const [{ id: pending }, { id: group }, { id: campaign }] = await Promise.all([
    ok(made.call("/v1/sender/create", { name: letters("B"), description: "Promotions" })),
    ok(made.call("/v1/group/create", { name: "Clients", contactIds: [contact] })),
    ok(made.call("/v1/campaign/create", sends)),
  ]);
  const weekly = { ...sends, type: "RECURRING", recurring: WEEK };
  const { id: recurring } = await ok(made.call("/v1/campaign/create", weekly));
  const run = await runNow(w, made, recurring);
  const { id: paused } = await ok(made.call("/v1/campaign/create", weekly));
  await pause(w, paused);
  // As if what waited at a recovery had been given up before: to say so again is no conflict.
  await select(w.app, "UPDATE incarnations SET decision = 'UNKNOWN', decided_at = now(), since = made_at");
  // As if it had waited for an administrator.
  const waited = "INSERT INTO first_campaigns (company_id, send_id, campaign_id) VALUES ($1, $2, $2)";
  await select(w.app, waited, [made.companyId, campaign]);
  const unfinished = { name: "Rentrée", text: "Bonjour", contacts: [phone], groupsIds: [group] };
  const { id: draft } = await ok(made.call("/v1/campaign/draft/save", unfinished));
  const lasting = { name: "Rappel", text: "Bonjour @name" };
  const { id: template } = await ok(made.call("/v1/campaign/template/create", lasting));
  const token = await sendKnownCode(w, made);
  const { topupOffer, topup } = await topUp(w, made);
  const { topup: paidTopup, reference } = await topUp(w, made);
  await pay(w, reference);
  const reader = { name: "Yao Koffi", phone: newPhone(), role: "reader" };
  const { id: member } = await ok(made.call("/v1/company/member/create", reader));
  const { sessionKey, ...people } = await signPeopleIn(w, reader.phone);
  const [awaited, unwanted] = [await wait(w, made, weekly, member), await wait(w, made, weekly, member)];
  const { id: key } = await ok(made.call("/v1/company/key/create", { name: "Caisse", memberId: member }));
  const [{ serverApiKey, ...sold }, { apiSecret, connectionToken, ...connected }] = await Promise.all([
    sell(w, made),
    connect(w, made, senderName),
  ]);
  const own = {
    ...{
      contact,
      sender,
      senderName,
      pending,
      group,
      campaign,
      message: `${campaign}-1`,
      ...{ recurring, run, paused, draft, template, token },
      ...{ topupOffer, topup, paidTopup },
      ...sold,
      ...connected,
    },
    ...{
      operator: operatorId,
      httpOperator: (await ok(w.admin("/v1/admin/operator/create", await httpOperator(unique())))).id,
      phoneOperator: (
        await ok(
          w.admin("/v1/admin/operator/create", {
            ...{ name: unique(), kind: "phone", prefixes: ["997"], enabled: false },
          }),
        )
      ).id,
      ...(await testsOf(w, operatorId)),
      probe: (await ok(w.admin("/v1/admin/probe/create", { phone: newNobody(), ...HANDSET }))).id,
      ...(await administer(w, CODE)),
      ...(await hear(w, made, phone)),
      later: (await ok(made.call("/v1/campaign/create", weekly))).id,
      erasure: (await ok(made.call("/v1/contact/erase", { phone: "2250700001096" }))).id,
      companyExport: (await ok(made.call("/v1/company/export"))).id,
      import: await uploadedTo(made, PHONES_FILE),
      upload: (await ok(made.call("/v1/contact/import/begin", { fileName: "b.csv", bytes: 4 }))).importId,
      ...{ undoable: await endedWithContacts(w.app, made), contactDeletion: await emptiedGroup(made) },
      campaignExport: (await ok(made.call(`/v1/campaign/${campaign}/export`))).exportId,
      personErasure: (await ok(w.admin("/v1/admin/person/erase", { phone: newNobody() }))).id,
      company: made.companyId,
      user: made.userId,
      ...{ member, key, ...people, awaited, unwanted },
    },
  };
  const { node } = w.app.database;
  return { ...made, phone, node, serverApiKey, apiSecret, connectionToken, sessionKey, own };
}

/** Gives whoever has this phone two sessions, and begins another sign-in of that one and a sign-up of somebody else. */
async function signPeopleIn(w: TestService, phone: string) {
  const from = { address: "127.0.0.1", browser: "" };
  const open = () => w.app.database.transaction((tx) => openMemberSession(tx, w.app, phone, from));
  const [{ sessionKey }, { sessionId: session }] = [await open(), await afterMillisecond(open)];
  const signing = newPhone();
  const names = { companyName: "Boutique", name: "Awa" };
  const begun = await dataOf(w.call("/v1/session/begin", { phone }));
  const signUp = await dataOf(w.call("/v1/signup/begin", { phone: signing, ...names }));
  await makeKnown(w, begun.token, phone);
  await makeKnown(w, signUp.token, signing);
  return { sessionKey, session, memberSignIn: begun.token, signUp: signUp.token };
}

const PHONES_FILE = "tel;nom\n2250700001093;Awa\n";

/** Uploads a small file of contacts; returns the id of its import. */
async function uploadedTo(made: Company, text: string): Promise<string> {
  const bytes = Buffer.from(text);
  const begun = await dataOf(
    made.call("/v1/contact/import/begin", { fileName: "a.csv", bytes: bytes.length }),
  );
  const part = { offset: 0, data: bytes.toString("base64") };
  await dataOf(made.call(`/v1/contact/import/${begun.importId}/part`, part));
  return begun.importId;
}

let nobodies = 0;

/** A phone that nobody has written to. */
function newNobody(): string {
  return `22508${String(++nobodies).padStart(8, "0")}`;
}

/** A test that ended, and the operator that others may be sent through. */
async function testsOf(
  w: TestService,
  operatorId: string,
): Promise<Pick<Things, "operatorTest" | "simulated">> {
  const test = newId();
  await select(
    w.app,
    `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price)
     VALUES ($1, $2, 1, '2250700001097', 'EXPIRED', 1, 1)`,
    [operatorId, test],
  );
  const [simulator] = await select(w.app, "SELECT id FROM operators WHERE name = 'simulator'");
  return { operatorTest: test, simulated: simulator?.id ?? operatorId };
}

/** The credentials that a caller of this kind sends. */
export function credentialsOf(kind: Kind, w: TestService, fixture: Fixture): Json {
  const { apiKey, companyId, serverApiKey, apiSecret, connectionToken } = fixture;
  if (kind === "session") return { apiKey: fixture.sessionKey };
  const all = { apiKey, companyId, serverApiKey, apiSecret, connectionToken, adminKey: w.adminKey };
  return Object.fromEntries(kinds[kind].map((member) => [member, all[member]]));
}

/** The headers that a caller of this kind sends with these bytes. */
export function headersOf(kind: Kind, text: string): Record<string, string> {
  return { ...JSON_TYPE, ...(kind === "provider" && standardHeaders(text)) };
}
