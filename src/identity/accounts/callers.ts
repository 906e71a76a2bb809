// Callers: identifies from a request's credentials who calls, and for which account.
import { Type } from "typebox";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Fields } from "../../platform/http/body.ts";
import { isWithin } from "../../platform/http/origins.ts";
import { type Language, refuse, type Sentence } from "../../platform/http/refusals.ts";
import { type Acting, actingAs, credential, identify, type Request } from "../../platform/http/routes.ts";
import { refuseUnauthenticated } from "../../platform/http/unauthenticated.ts";
import { batchLookUps } from "../../platform/jobs/batcher.ts";
import { SharedRates } from "../../platform/limits/sharedrates.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { mayAny, type Permission, type Rights, requirePermission, rolesWith } from "./permissions.ts";
import { type Quotas, quotasOf } from "./quotas.ts";
import * as sql from "./sql.ts";
import { refuseSuspended } from "./suspensions.ts";
import { noteSessionUse, noteUse } from "./uses.ts";

/** A user who acts for a company. */
export type CompanyCaller = {
  userId: string;
  companyId: string;
  /** ISO 3166: the country for phone numbers without a country code. */
  country: string;
  language: Language;
  /** Whether the language was chosen explicitly. */
  saysLanguage?: boolean;
  senderLimit: number;
  isPartner: boolean;
  quotas: Quotas;
};

/** A user who acts for a company or, without one, for themselves. */
export type UserCaller = Pick<CompanyCaller, "userId" | "country" | "language" | "saysLanguage"> & {
  companyId: string | null;
  /** Whether a webhook of the company is subscribed to events of sends; always false without a company. */
  listens: boolean;
};

const Key = Type.String();
const CompanyKeys = Type.Object({ apiKey: Key, companyId: Key });
const UserKeys = Type.Object({ apiKey: Key, companyId: Type.Optional(Key) });

/**
 * A user of a company, and the digest of the key or session in use: whoever grants a right must still hold it at the
 * commit. `isFresh`: a key, or a session with a recent sign-in.
 */
export type KeyHolder = CompanyCaller &
  Acting &
  Approval &
  Listening &
  Reaching &
  WhenClosed & { keyDigest: string; isFresh: boolean };

/**
 * A user of a company, by a key or a session, with its rights. `keyId` is null for the user's first key and for a
 * session.
 */
export type Member = CompanyCaller &
  Rights &
  Approval &
  Listening &
  Reaching &
  WhenClosed & { keyId: string | null; sessionId: string | null; keyDigest: string; isFresh: boolean };

/** Whether a webhook of the company is subscribed to events of sends. */
export type Listening = { listens: boolean };

/** The countries beside its own that the company chose (ISO 3166); null: the default of the installation. */
export type Reaching = { countries: readonly string[] | null };

/** Whether the endpoint that was called is one that a company may call after it has closed itself. */
type WhenClosed = { whenClosed: boolean };

/** Whether a second person must approve the caller's actions. */
export type Approval = {
  /** Campaigns of this caller to this many recipients or more wait for approval; undefined: none do. */
  approvalFrom: number | undefined;
  /** Whether this is a key limited to scopes, as machines use. */
  isMachine: boolean;
};

/** A user of a company: any key of any member. Every failure gets the same response. */
export const companyCaller = identify(CompanyKeys, (app, body, request) =>
  identifyMember(app, body, request),
);

/**
 * A user with one of the `wanted` permissions: the caller of most routes. Refuses as `companyCaller`, and
 * `not-authorized`.
 */
export function companyMay(...wanted: [Permission, ...Permission[]]) {
  const caller = identify(CompanyKeys, (app, body, request) => identifyMember(app, body, request, wanted));
  return Object.assign(caller, { permissions: wanted, roles: rolesWith(wanted) });
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
 * The caller of one-time passwords: `apiKey`, and `companyId` if the company pays. Without it the user pays, by the
 * first key: any other key belongs to one company. Refuses as `companyMay("otp")`.
 */
export const userCaller = Object.assign(
  identify(UserKeys, async (app, body, request): Promise<UserCaller & Acting> => {
    // An empty text counts as absent, as in any optional member.
    if (body.companyId !== undefined && body.companyId !== "") return companyOfOtp(app, body, request);
    const apiKey = credential(body, "apiKey");
    if (apiKey === undefined) return refuseUnauthenticated(app, request);
    const found = await findUserCaller(app)(digestApiKey(app, apiKey));
    if (found === null || !isWithin(found.networks, request.ip)) return refuseUnauthenticated(app, request);
    const { userId, keyId, suspended, roles } = found;
    await takeFromRate(app, userId);
    if (keyId !== null) refuse("not-authorized", { details: [{ field: "companyId", message: ONE_COMPANY }] });
    if (suspended) refuseSuspended("apiKey");
    // A user of several companies may do what any one of them allows.
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
  { permissions: OTP, roles: rolesWith(OTP) },
);

const ONE_COMPANY: Sentence = {
  fr: "cette clé appartient à une entreprise ; indiquez son companyId",
  en: "this key belongs to one company; give its companyId",
};

/**
 * Returns the user with this key if it acts for this company from the address of this request; otherwise null. The
 * caller must check the permission by `requirePermission`. Refuses `not-authorized` if the company is suspended, or has
 * closed itself and its endpoint is not `whenClosed`; `field` is the name of the key in the body.
 */
export async function findMember(
  app: Runtime,
  given: { apiKey: string; companyId: string },
  { ip, whenClosed = false }: Pick<Request, "ip" | "whenClosed">,
  field = "apiKey",
): Promise<Member | null> {
  const digest = digestApiKey(app, given.apiKey);
  const found = await findCaller(app, { digest, companyId: given.companyId });
  if (!found || !isWithin(found.networks, ip)) return null;
  const { suspended, closed, quotas, networks, sessionAgeMs, approvalFrom, approvalOfKeys, ...caller } =
    found;
  if (isShut({ suspended, closed }, whenClosed)) {
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
    whenClosed,
    approvalFrom: isMachine && !approvalOfKeys ? undefined : (approvalFrom ?? undefined),
  };
}

/** Refuses `sign-in-required` for a session that is not fresh: a stolen one must not lead to lasting access. */
export function requireFresh({ isFresh }: Pick<KeyHolder, "isFresh">, field = "apiKey"): void {
  if (!isFresh) refuse("sign-in-required", { details: [{ field, message: SIGN_IN_TOO_OLD }] });
}

const SIGN_IN_TOO_OLD: Sentence = {
  fr: "reconnectez-vous ; cette opération exige une connexion récente",
  en: "sign in again; this operation requires a recent sign-in",
};

/**
 * Locks the caller's company and looks the key up again: a key that was revoked, or whose company was suspended, during
 * the request grants nothing, nor does a session that is not fresh. Refuses `not-authenticated`, `not-authorized` and
 * `sign-in-required`.
 */
export async function lockAsOwner(tx: Tx, caller: KeyHolder): Promise<void> {
  requireFresh(caller);
  await lockAsAnyOwner(tx, caller);
}

/** Like `lockAsOwner`, for actions that remove rights or grant none: any session suffices. */
export async function lockAsAnyOwner(tx: Tx, { companyId, keyDigest, whenClosed }: KeyHolder): Promise<void> {
  await tx.run(sql.lockCompany, [companyId]);
  const now = await findCallerNow(tx, { digest: keyDigest, companyId });
  if (!now) refuse("not-authenticated");
  requirePermission(now, ["manage"]);
  if (isShut(now, whenClosed)) refuseSuspended("apiKey");
}

/** Returns the caller with a key or a session at this moment, in this transaction; undefined if it was revoked. */
export async function findCallerNow(
  tx: Tx,
  asked: sql.Asked,
): Promise<sql.CompanyCallerRow | sql.SessionCallerRow | undefined> {
  const list = isOfSession(asked.digest) ? sql.listSessionCallers : sql.listCompanyCallers;
  const [now] = await tx.run<sql.CompanyCallerRow | sql.SessionCallerRow, { asked: readonly sql.Asked[] }>(
    list,
    { asked: [asked] },
  );
  return now;
}

/** A suspended company may use no endpoint; one that has closed itself may use some. */
function isShut(
  { suspended, closed }: { suspended: boolean; closed: boolean },
  whenClosed: boolean,
): boolean {
  return suspended && !(closed && whenClosed);
}

/** The prefix of session keys. */
export const MEMBER_PREFIX = "ses_";

/** Returns the digest of a key that `users.key_digest`, `api_keys.digest` and `member_sessions.digest` store. */
export function digestApiKey(app: Pick<Runtime, "secrets">, apiKey: string): string {
  const digest = app.secrets.digest("apiKey", apiKey);
  return apiKey.startsWith(MEMBER_PREFIX) ? OF_SESSION + digest : digest;
}

/** The prefix of session digests. */
const OF_SESSION = "ses ";

function isOfSession(digest: string): boolean {
  return digest.startsWith(OF_SESSION);
}

/** Counts a request against the account's rate limit; refuses `too-many-requests`. */
export async function takeFromRate(app: Runtime, accountId: string): Promise<void> {
  const waitSeconds = await requests(app).take(accountId);
  if (waitSeconds > 0) refuse("too-many-requests", { retryAfterSeconds: waitSeconds });
}

/** Like `takeFromRate`, but returns false instead of refusing. */
export async function mayTakeFromRate(app: Runtime, accountId: string): Promise<boolean> {
  return (await requests(app).take(accountId)) === 0;
}

/** Undoes `mayTakeFromRate`. */
export function giveBackToRate(app: Runtime, accountId: string): void {
  requests(app).giveBack(accountId);
}

// Keys are not cached, so a replaced key is dead for the next request on every node. Concurrent requests share one
// statement instead.
const findCompanyCaller = perRuntime((app) =>
  batchLookUps<sql.Asked, sql.CompanyCallerRow>((asked) =>
    app.database.run(sql.listCompanyCallers, { asked }),
  ),
);

const findSessionCaller = perRuntime((app) =>
  batchLookUps<sql.Asked, sql.SessionCallerRow>((asked) =>
    app.database.run(sql.listSessionCallers, { asked }),
  ),
);

/** Finds the caller with a key or a session. */
async function findCaller(app: Runtime, asked: sql.Asked) {
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
