// Callers: finds out from a request's credentials who calls, and for which account.
import { Type } from "typebox";
import type { Fields } from "../kernel/body.ts";
import { gatherLookUps } from "../kernel/gather.ts";
import { Rates } from "../kernel/rates.ts";
import { type Language, refuse } from "../kernel/refusals.ts";
import { type Acting, actingAs, identify } from "../kernel/routes.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
import { refuseStranger } from "../kernel/strangers.ts";
import { isOpenToClosed } from "./closing.ts";
import { type Quotas, quotasOf } from "./quotas.ts";
import * as sql from "./sql.ts";
import { refuseSuspended } from "./suspensions.ts";

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

export type AdminCaller = { language: Language };

const CREDENTIAL_CHARACTERS_AT_MOST = 200;

const Key = Type.String();
const CompanyKeys = Type.Object({ apiKey: Key, companyId: Key });
const UserKeys = Type.Object({ apiKey: Key, companyId: Type.Optional(Key) });
const AdminKeys = Type.Object({ adminKey: Key });

/** The caller of most routes: `apiKey` and `companyId`. Every failure gets the same answer. */
export const companyCaller = identify(
  CompanyKeys,
  async (app, body, request): Promise<CompanyCaller & Acting> => {
    const apiKey = credential(body, "apiKey");
    const companyId = credential(body, "companyId");
    if (apiKey === undefined || companyId === undefined) return refuseStranger(app, request);
    const caller = await findMember(app, { apiKey, companyId }, "apiKey", request.door);
    if (!caller) return refuseStranger(app, request);
    takeFromRate(app, caller.companyId);
    return { ...caller, ...actingAs("user", caller.userId, request) };
  },
);

/** The caller of one-time passwords: `apiKey`, and `companyId` where the company pays. */
export const userCaller = identify(UserKeys, async (app, body, request): Promise<UserCaller & Acting> => {
  // Empty means absent, as in any member that is optional.
  if (body.companyId !== undefined && body.companyId !== "") return companyCaller(app, body, request);
  const apiKey = credential(body, "apiKey");
  if (apiKey === undefined) return refuseStranger(app, request);
  const found = await findUserCaller(app)(digestApiKey(app, apiKey));
  if (found === null) return refuseStranger(app, request);
  const { userId, suspended } = found;
  takeFromRate(app, userId);
  if (suspended) refuseSuspended("apiKey");
  return { userId, companyId: null, country: "CI", language: "fr", ...actingAs("user", userId, request) };
});

/** The administrator: `adminKey`. */
export const adminCaller = identify(AdminKeys, async (app, body, request): Promise<AdminCaller & Acting> => {
  const adminKey = credential(body, "adminKey");
  if (adminKey === undefined || !app.secrets.isAdminKey(adminKey)) return refuseStranger(app, request);
  return { language: "fr", ...actingAs("administrator", null, request) };
});

/**
 * The user with this key, if it acts for this company; null else. Refuses `not-authorized` where the company is
 * suspended, or has closed itself and `door` changes something; `field` is the name that its key has in the body.
 */
export async function findMember(
  app: Runtime,
  given: { apiKey: string; companyId: string },
  field = "apiKey",
  door = "",
): Promise<CompanyCaller | null> {
  const digest = digestApiKey(app, given.apiKey);
  const found = await findCompanyCaller(app)({ digest, companyId: given.companyId });
  if (!found) return null;
  const { suspended, closed, quotas, ...caller } = found;
  if (suspended && !(closed && isOpenToClosed(door))) {
    takeFromRate(app, caller.companyId);
    refuseSuspended(field);
  }
  return { ...caller, quotas: quotasOf(app.config, quotas) };
}

/** What `users.key_digest` holds for a key. */
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

/** A credential in a body that no schema has checked yet; undefined when it cannot be one. */
export function credential(body: Fields, name: string): string | undefined {
  const value = body[name];
  if (typeof value !== "string" || value === "" || value.length > CREDENTIAL_CHARACTERS_AT_MOST)
    return undefined;
  return value;
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
  gatherLookUps<string, { userId: string; suspended: boolean }>((digests) =>
    app.database.run(sql.listUserCallers, [digests]),
  ),
);

const requests = perRuntime(({ config }) => {
  return new Rates({ perSecond: config.limits.requestsPerSecond, burst: config.limits.requestBurst });
});
