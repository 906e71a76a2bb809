// Callers: finds out from a request's credentials who calls, and for which account.
import { Type } from "typebox";
import { batchLookUps } from "../../platform/batcher.ts";
import type { Fields } from "../../platform/body.ts";
import type { Tx } from "../../platform/database.ts";
import { isWithin } from "../../platform/origins.ts";
import { type Language, refuse, type Sentence } from "../../platform/refusals.ts";
import { type Acting, actingAs, credential, identify, type Request } from "../../platform/routes.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { SharedRates } from "../../platform/sharedrates.ts";
import { refuseUnauthenticated } from "../../platform/unauthenticated.ts";
import { isOpenToClosed } from "./closing.ts";
import { mayAny, type Permission, type Rights, requirePermission } from "./permissions.ts";
import { type Quotas, quotasOf } from "./quotas.ts";
import * as sql from "./sql.ts";
import { refuseSuspended } from "./suspensions.ts";
import { noteSessionUse, noteUse } from "./uses.ts";

/** A user who acts for a company. */
export type CompanyCaller = {
  userId: string;
  companyId: string;
  /** ISO 3166: how numbers without a country code are read. */
  country: string;
  language: Language;
  /** Whether somebody has chosen the language. */
  saysLanguage?: boolean;
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
  saysLanguage?: boolean;
  /** Whether a webhook of the company is told of sends; a user without a company has none. */
  listens: boolean;
};

const Key = Type.String();
const CompanyKeys = Type.Object({ apiKey: Key, companyId: Key });
const UserKeys = Type.Object({ apiKey: Key, companyId: Type.Optional(Key) });

/**
 * A user of a company, and the digest of the key or session by which it acts: who grants something has to hold it still.
 * `isFresh`: by a key, or by a session whose person has signed in lately.
 */
export type KeyHolder = CompanyCaller &
  Acting &
  Approval &
  Listening & { keyDigest: string; isFresh: boolean };

/**
 * A user of a company by a key or a session, with what it may do. `keyId` is null for the first key of the user and for a
 * session.
 */
export type Member = CompanyCaller &
  Rights &
  Approval &
  Listening & { keyId: string | null; sessionId: string | null; keyDigest: string; isFresh: boolean };

/** Whether a webhook of the company is told of sends. */
export type Listening = { listens: boolean };

/** Whether a second person has to approve what a caller does. */
export type Approval = {
  /** The recipients from which on a campaign of this caller waits; undefined: none does. */
  approvalFrom: number | undefined;
  /** It is a key that is limited to scopes, as machines have. */
  isMachine: boolean;
};

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
  if (apiKey === undefined || companyId === undefined) return refuseUnauthenticated(app, request);
  const found = await findMember(app, { apiKey, companyId }, request);
  if (!found) return refuseUnauthenticated(app, request);
  const { role, scopes, keyId, sessionId, ...caller } = found;
  await takeFromRate(app, caller.companyId);
  if (wanted) requirePermission({ role, scopes }, wanted);
  return { ...caller, ...actingAs("user", caller.userId, request, { keyId, sessionId }) };
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
    if (apiKey === undefined) return refuseUnauthenticated(app, request);
    const found = await findUserCaller(app)(digestApiKey(app, apiKey));
    if (found === null || !isWithin(found.networks, request.ip)) return refuseUnauthenticated(app, request);
    const { userId, keyId, suspended, roles } = found;
    await takeFromRate(app, userId);
    if (keyId !== null) refuse("not-authorized", { details: [{ field: "companyId", message: ONE_COMPANY }] });
    if (suspended) refuseSuspended("apiKey");
    // Who has several companies may do as a user what one of them allows.
    const role = roles.find((one) => mayAny(one, OTP)) ?? roles[0]!;
    requirePermission({ role, scopes: null }, OTP);
    const user = {
      userId,
      companyId: null,
      country: "CI",
      language: "fr",
      saysLanguage: false,
      listens: false,
    } as const;
    return { ...user, ...actingAs("user", userId, request) };
  }),
  { permissions: OTP },
);

const ONE_COMPANY: Sentence = {
  fr: "cette clé appartient à une entreprise ; indiquez son companyId",
  en: "this key belongs to one company; give its companyId",
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
  const found = await findCaller(app, { digest, companyId: given.companyId });
  if (!found || !isWithin(found.networks, ip)) return null;
  const { suspended, closed, quotas, networks, sessionAgeMs, approvalFrom, approvalOfKeys, ...caller } =
    found;
  if (isShut({ suspended, closed }, door)) {
    await takeFromRate(app, caller.companyId);
    refuseSuspended(field);
  }
  if (caller.keyId !== null) noteUse(app, caller.keyId);
  if (caller.sessionId !== null) noteSessionUse(app, caller.sessionId);
  const isFresh = sessionAgeMs === null || sessionAgeMs < app.config.settings.memberFreshMs;
  const isMachine = caller.scopes !== null;
  return {
    ...caller,
    quotas: quotasOf(app.config, quotas),
    keyDigest: digest,
    isFresh,
    isMachine,
    approvalFrom: isMachine && !approvalOfKeys ? undefined : (approvalFrom ?? undefined),
  };
}

/** Refuses `sign-in-required` to a session that is not fresh: a stolen one is turned into nothing that lasts. */
export function requireFresh({ isFresh }: Pick<KeyHolder, "isFresh">, field = "apiKey"): void {
  if (!isFresh) refuse("sign-in-required", { details: [{ field, message: SIGN_IN_TOO_OLD }] });
}

const SIGN_IN_TOO_OLD: Sentence = {
  fr: "reconnectez-vous ; cette opération exige une connexion récente",
  en: "sign in again; this operation requires a recent sign-in",
};

/**
 * Locks the company of a caller, and looks its key up again: one that was taken back, or whose company was suspended, while
 * the request was under way grants nothing any more, nor does a session that is not fresh. Refuses `not-authenticated`,
 * `not-authorized` and `sign-in-required`.
 */
export async function lockAsOwner(tx: Tx, caller: KeyHolder): Promise<void> {
  requireFresh(caller);
  await lockAsAnyOwner(tx, caller);
}

/** As `lockAsOwner`, for what takes rights away or gives nothing: any session will do. */
export async function lockAsAnyOwner(tx: Tx, { companyId, keyDigest, by }: KeyHolder): Promise<void> {
  await tx.run(sql.lockCompany, [companyId]);
  const now = await findCallerNow(tx, { digest: keyDigest, companyId });
  if (!now) refuse("not-authenticated");
  requirePermission(now, ["manage"]);
  if (isShut(now, by.door)) refuseSuspended("apiKey");
}

/** Who acts by a key or a session at this moment, in this transaction; undefined where it was taken back. */
export async function findCallerNow(
  tx: Tx,
  { digest, companyId }: Asked,
): Promise<sql.CompanyCallerRow | sql.SessionCallerRow | undefined> {
  const list = isOfSession(digest) ? sql.listSessionCallers : sql.listCompanyCallers;
  const [now] = await tx.run<sql.CompanyCallerRow | sql.SessionCallerRow>(list, [[digest], [companyId]]);
  return now;
}

/** A suspended company is shut; to one that has closed itself some doors are open. */
function isShut({ suspended, closed }: { suspended: boolean; closed: boolean }, door: string): boolean {
  return suspended && !(closed && isOpenToClosed(door));
}

/** What keys of sessions begin with. */
export const MEMBER_PREFIX = "ses_";

/** What `users.key_digest`, `api_keys.digest` and `member_sessions.digest` hold for a key. */
export function digestApiKey(app: Pick<Runtime, "secrets">, apiKey: string): string {
  const digest = app.secrets.digest("apiKey", apiKey);
  return apiKey.startsWith(MEMBER_PREFIX) ? OF_SESSION + digest : digest;
}

/** What digests of sessions begin with. */
const OF_SESSION = "ses ";

function isOfSession(digest: string): boolean {
  return digest.startsWith(OF_SESSION);
}

/** Counts a request against the account's rate; refuses `too-many-requests`. */
export async function takeFromRate(app: Runtime, accountId: string): Promise<void> {
  const waitSeconds = await requests(app).take(accountId);
  if (waitSeconds > 0) refuse("too-many-requests", { retryAfterSeconds: waitSeconds });
}

/** As `takeFromRate`; false where that refuses. */
export async function mayTakeFromRate(app: Runtime, accountId: string): Promise<boolean> {
  return (await requests(app).take(accountId)) === 0;
}

/** Undoes `mayTakeFromRate`. */
export function giveBackToRate(app: Runtime, accountId: string): void {
  requests(app).giveBack(accountId);
}

// Keys are not cached, so a replaced key is dead for the next request on every node. Requests that come together share one
// statement instead.
type Asked = { digest: string; companyId: string };

const columnsOf = (asked: readonly Asked[]) => [
  asked.map((one) => one.digest),
  asked.map((one) => one.companyId),
];

const findCompanyCaller = perRuntime((app) =>
  batchLookUps<Asked, sql.CompanyCallerRow>((asked) =>
    app.database.run(sql.listCompanyCallers, columnsOf(asked)),
  ),
);

const findSessionCaller = perRuntime((app) =>
  batchLookUps<Asked, sql.SessionCallerRow>((asked) =>
    app.database.run(sql.listSessionCallers, columnsOf(asked)),
  ),
);

/** The caller with a key or a session. */
async function findCaller(app: Runtime, asked: Asked) {
  if (!isOfSession(asked.digest)) {
    const found = await findCompanyCaller(app)(asked);
    return found && { ...found, sessionId: null, sessionAgeMs: null };
  }
  const found = await findSessionCaller(app)(asked);
  return found && { ...found, keyId: null };
}

const findUserCaller = perRuntime((app) =>
  batchLookUps<string, sql.UserCallerRow>((digests) => app.database.run(sql.listUserCallers, [digests])),
);

const requests = perRuntime((app) => {
  const { requestsPerSecond: perSecond, requestBurst: burst } = app.config.limits;
  return new SharedRates(app, { name: "requests", perSecond, burst });
});
