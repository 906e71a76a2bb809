// Callers: finds out from a request's credentials who calls, and for which account.
import { Type } from "typebox";
import type { Fields } from "../kernel/body.ts";
import type { Tx } from "../kernel/database.ts";
import { gatherLookUps } from "../kernel/gather.ts";
import { isWithin } from "../kernel/origins.ts";
import { Rates } from "../kernel/rates.ts";
import { type Language, refuse, type Sentence } from "../kernel/refusals.ts";
import { type Acting, actingAs, credential, identify, type Request } from "../kernel/routes.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
import { refuseStranger } from "../kernel/strangers.ts";
import { isOpenToClosed } from "./closing.ts";
import { mayAny, type Permission, type Rights, requirePermission } from "./permissions.ts";
import { type Quotas, quotasOf } from "./quotas.ts";
import * as sql from "./sql.ts";
import { refuseSuspended } from "./suspensions.ts";
import { noteUse } from "./uses.ts";

/** A user who acts for a company. */
export type CompanyCaller = {
  userId: string;
  companyId: string;
  /** ISO 3166: how numbers without a country code are read. */
  country: string;
  language: Language;
  senderLimit: number;
  isPartner: boolean;
  quotas: Quotas;
};

/** A user, acting for a company or, without one, for itself. */
export type UserCaller = {
  userId: string;
  companyId: string | null;
  country: string;
  language: Language;
};

const Key = Type.String();
const CompanyKeys = Type.Object({ apiKey: Key, companyId: Key });
const UserKeys = Type.Object({ apiKey: Key, companyId: Type.Optional(Key) });

/** A user of a company, and the digest of the key by which it acts: who grants something has to hold it still. */
export type KeyHolder = CompanyCaller & Acting & { keyDigest: string };

/** A user of a company by a key, with what it may do. `keyId` is null for the first key of the user. */
export type Member = CompanyCaller & Rights & { keyId: string | null; keyDigest: string };

/** A user of a company: any key of any member. Every failure gets the same answer. */
export const companyCaller = identify(CompanyKeys, (app, body, request) =>
  identifyMember(app, body, request),
);

/**
 * A user who has one of the permissions that are `wanted`: the caller of most routes. Refuses as `companyCaller`, and
 * `not-authorized`.
 */
export function companyMay(...wanted: [Permission, ...Permission[]]) {
  const caller = identify(CompanyKeys, (app, body, request) => identifyMember(app, body, request, wanted));
  return Object.assign(caller, { permissions: wanted });
}

async function identifyMember(
  app: Runtime,
  body: Fields,
  request: Request,
  wanted?: readonly Permission[],
): Promise<KeyHolder> {
  const apiKey = credential(body, "apiKey");
  const companyId = credential(body, "companyId");
  if (apiKey === undefined || companyId === undefined) return refuseStranger(app, request);
  const found = await findMember(app, { apiKey, companyId }, request);
  if (!found) return refuseStranger(app, request);
  const { role, scopes, keyId, ...caller } = found;
  takeFromRate(app, caller.companyId);
  if (wanted) requirePermission({ role, scopes }, wanted);
  return { ...caller, ...actingAs("user", caller.userId, request, keyId) };
}

const OTP = ["otp"] as const;
const companyOfOtp = companyMay(...OTP);

/**
 * The caller of one-time passwords: `apiKey`, and `companyId` where the company pays. Without it the user pays, by the
 * first key: any other key is of one company. Refuses as `companyMay("otp")`.
 */
export const userCaller = Object.assign(
  identify(UserKeys, async (app, body, request): Promise<UserCaller & Acting> => {
    // Empty means absent, as in any member that is optional.
    if (body.companyId !== undefined && body.companyId !== "") return companyOfOtp(app, body, request);
    const apiKey = credential(body, "apiKey");
    if (apiKey === undefined) return refuseStranger(app, request);
    const found = await findUserCaller(app)(digestApiKey(app, apiKey));
    if (found === null || !isWithin(found.networks, request.ip)) return refuseStranger(app, request);
    const { userId, keyId, suspended, roles } = found;
    takeFromRate(app, userId);
    if (keyId !== null) refuse("not-authorized", { details: [{ field: "companyId", message: ONE_COMPANY }] });
    if (suspended) refuseSuspended("apiKey");
    // Who has several companies may do as a user what one of them allows.
    const role = roles.find((one) => mayAny(one, OTP)) ?? roles[0]!;
    requirePermission({ role, scopes: null }, OTP);
    return { userId, companyId: null, country: "CI", language: "fr", ...actingAs("user", userId, request) };
  }),
  { permissions: OTP },
);

const ONE_COMPANY: Sentence = {
  fr: "cette clé est celle d’une entreprise : donnez son companyId",
  en: "this key is of one company: give its companyId",
};

/**
 * The user with this key, if it acts for this company from the address of this request; null else. The caller has to ask
 * for the permission, by `requirePermission`. Refuses `not-authorized` where the company is suspended, or has
 * closed itself and the door changes something; `field` is the name that its key has in the body.
 */
export async function findMember(
  app: Runtime,
  given: { apiKey: string; companyId: string },
  { ip, door = "" }: Pick<Request, "ip"> & Partial<Pick<Request, "door">>,
  field = "apiKey",
): Promise<Member | null> {
  const digest = digestApiKey(app, given.apiKey);
  const found = await findCompanyCaller(app)({ digest, companyId: given.companyId });
  if (!found || !isWithin(found.networks, ip)) return null;
  const { suspended, closed, quotas, networks, ...caller } = found;
  if (isShut({ suspended, closed }, door)) {
    takeFromRate(app, caller.companyId);
    refuseSuspended(field);
  }
  if (caller.keyId !== null) noteUse(app, caller.keyId);
  return { ...caller, quotas: quotasOf(app.config, quotas), keyDigest: digest };
}

/**
 * Locks the company of a caller, and looks its key up again: one that was taken back, or whose company was suspended, while
 * the request was under way grants nothing any more. Refuses `not-authenticated` and `not-authorized`.
 */
export async function lockAsOwner(tx: Tx, { companyId, keyDigest, by }: KeyHolder): Promise<void> {
  await tx.run(sql.lockCompany, [companyId]);
  const [now] = await tx.run(sql.listCompanyCallers, [[keyDigest], [companyId]]);
  if (!now) refuse("not-authenticated");
  requirePermission(now, ["manage"]);
  if (isShut(now, by.door)) refuseSuspended("apiKey");
}

/** A suspended company is shut; to one that has closed itself some doors are open. */
function isShut({ suspended, closed }: { suspended: boolean; closed: boolean }, door: string): boolean {
  return suspended && !(closed && isOpenToClosed(door));
}

/** What `users.key_digest` and `api_keys.digest` hold for a key. */
export function digestApiKey(app: Pick<Runtime, "secrets">, apiKey: string): string {
  return app.secrets.digest("apiKey", apiKey);
}

/** Counts a request against the account's rate; refuses `too-many-requests`. */
export function takeFromRate(app: Runtime, accountId: string): void {
  const waitSeconds = requests(app).take(accountId);
  if (waitSeconds > 0) refuse("too-many-requests", { retryAfterSeconds: waitSeconds });
}

/** As `takeFromRate`; false where that refuses. */
export function mayTakeFromRate(app: Runtime, accountId: string): boolean {
  return requests(app).take(accountId) === 0;
}

/** Undoes `mayTakeFromRate`. */
export function giveBackToRate(app: Runtime, accountId: string): void {
  requests(app).spend(accountId, -1);
}

// Keys are not cached, so a replaced key is dead for the next request on every node. Requests that come together share one
// statement instead.
const findCompanyCaller = perRuntime((app) =>
  gatherLookUps<{ digest: string; companyId: string }, sql.CompanyCallerRow>((asked) =>
    app.database.run(sql.listCompanyCallers, [
      asked.map((one) => one.digest),
      asked.map((one) => one.companyId),
    ]),
  ),
);

const findUserCaller = perRuntime((app) =>
  gatherLookUps<string, sql.UserCallerRow>((digests) => app.database.run(sql.listUserCallers, [digests])),
);

const requests = perRuntime(({ config }) => {
  return new Rates({ perSecond: config.limits.requestsPerSecond, burst: config.limits.requestBurst });
});
