// Callers of resellers: a reseller's server by its server key, its people by their own keys.

import { Type } from "typebox";
import { companyMay, takeFromRate } from "../../identity/accounts/callers.ts";
import type { Permission } from "../../identity/accounts/permissions.ts";
import { rolesWith } from "../../identity/accounts/permissions.ts";
import { type QuotaChoice, type Quotas, quotasOf } from "../../identity/accounts/quotas.ts";
import { refuseSuspended } from "../../identity/accounts/suspensions.ts";
import { member } from "../../platform/http/meanings.ts";
import { type Language, refuse, type Sentence } from "../../platform/http/refusals.ts";
import { type Acting, actingAs, credential, identify } from "../../platform/http/routes.ts";
import { refuseUnauthenticated } from "../../platform/http/unauthenticated.ts";
import { batchLookUps } from "../../platform/jobs/batcher.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { partnerMeanings } from "./shapes.ts";
import * as sql from "./sql.ts";

/** A reseller, called by its server or by one of its people. */
export type PartnerCaller = { companyId: string; language: Language; quotas: Quotas };

const Key = Type.Optional(Type.String());
/** One schema for all endpoints: those with the same credentials identify callers by the same code. */
const SellerKeys = Type.Object({
  serverApiKey: member(Key, partnerMeanings.serverApiKey),
  apiKey: Key,
  companyId: Key,
});

/**
 * The server of a reseller by `serverApiKey`, or a person: `apiKey` and `companyId` of a member with one of these
 * permissions. If a server key is given, only it counts. Refuses `not-authorized` as `partnerMay`.
 */
export function sellerMay(...wanted: [Permission, ...Permission[]]) {
  const person = partnerMay(...wanted);
  const caller = identify(
    SellerKeys,
    async (app, body, request): Promise<PartnerCaller & Acting> => {
      // An empty text counts as absent, as in any optional member.
      const isServer = body.serverApiKey !== undefined && body.serverApiKey !== "";
      if (!isServer) return person(app, body, request);
      const key = credential(body, "serverApiKey");
      const partner = key === undefined ? null : await findPartner(app, key);
      if (!partner) return refuseUnauthenticated(app, request);
      await takeFromRate(app, partner.companyId);
      return { ...partner, ...actingAs("reseller", partner.companyId, request) };
    },
    [{ field: "serverApiKey", message: WANTED }],
  );
  return Object.assign(caller, { permissions: wanted, roles: rolesWith(wanted) });
}

const WANTED: Sentence = {
  fr: "cette URL exige serverApiKey, ou apiKey et companyId d’un revendeur, dans le corps",
  en: "this URL requires serverApiKey, or apiKey and companyId of a reseller, in the body",
};

/** Like `companyMay`, for a company that is a reseller. Refuses `not-authorized` for any other. */
export function partnerMay(...wanted: [Permission, ...Permission[]]) {
  const ofCompany = companyMay(...wanted);
  const caller = identify(ofCompany.credentials, async (app, body, request) => {
    const found = await ofCompany(app, body, request);
    if (!found.isPartner) refuse("not-authorized");
    return found;
  });
  return Object.assign(caller, { permissions: wanted, roles: rolesWith(wanted) });
}

type FoundPartner = Omit<PartnerCaller, "quotas"> & { quotas: QuotaChoice; suspended: boolean };

// Not cached, like apiKeys: a replaced key is dead for the very next request, on every node.
const finder = perRuntime((app) =>
  batchLookUps<string, FoundPartner>((digests) => app.database.run(sql.listPartnerCallers, [digests])),
);

/**
 * Returns the reseller with this live server key; otherwise null. Refuses `not-authorized` if it is suspended; `field`
 * is the name of the key in the body.
 */
export async function findPartner(
  app: Runtime,
  serverApiKey: string,
  field = "serverApiKey",
): Promise<PartnerCaller | null> {
  const found = await finder(app)(digestServerKey(app, serverApiKey));
  if (!found) return null;
  const { suspended, quotas, ...partner } = found;
  if (suspended) {
    await takeFromRate(app, partner.companyId);
    refuseSuspended(field);
  }
  return { ...partner, quotas: quotasOf(app.config, quotas) };
}

/** Returns the digest of a key that `partners.key_digest` stores. */
export function digestServerKey(app: Pick<Runtime, "secrets">, serverApiKey: string): string {
  return app.secrets.digest("serverApiKey", serverApiKey);
}
