// Callers of resellers: a reseller's server by its key, and a company that is a reseller.
import { Type } from "typebox";
import {
  companyMay,
  type Permission,
  type QuotaChoice,
  type Quotas,
  quotasOf,
  refuseSuspended,
  takeFromRate,
} from "../accounts/accounts.ts";
import { gatherLookUps } from "../kernel/gather.ts";
import { type Language, refuse } from "../kernel/refusals.ts";
import { type Acting, actingAs, credential, identify } from "../kernel/routes.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
import { refuseStranger } from "../kernel/strangers.ts";
import * as sql from "./sql.ts";

/** A reseller, called by its server. */
export type PartnerCaller = { companyId: string; language: Language; quotas: Quotas };

/** The server of a reseller: `serverApiKey`. */
export const partnerCaller = identify(
  Type.Object({ serverApiKey: Type.String() }),
  async (app, body, request): Promise<PartnerCaller & Acting> => {
    const key = credential(body, "serverApiKey");
    const partner = key === undefined ? null : await findPartner(app, key);
    if (!partner) return refuseStranger(app, request);
    takeFromRate(app, partner.companyId);
    return { ...partner, ...actingAs("reseller", partner.companyId, request) };
  },
);

/** As `companyMay`, for a company that is a reseller. Refuses `not-authorized` to any other. */
export function partnerMay(...wanted: [Permission, ...Permission[]]) {
  const ofCompany = companyMay(...wanted);
  const caller = identify(ofCompany.credentials, async (app, body, request) => {
    const found = await ofCompany(app, body, request);
    if (!found.isPartner) refuse("not-authorized");
    return found;
  });
  return Object.assign(caller, { permissions: wanted });
}

type FoundPartner = Omit<PartnerCaller, "quotas"> & { quotas: QuotaChoice; suspended: boolean };

// No cache, as with apiKeys: a key that was replaced is dead for the very next request, on every node.
const finder = perRuntime((app) =>
  gatherLookUps<string, FoundPartner>((digests) => app.database.run(sql.listPartnerCallers, [digests])),
);

/**
 * The reseller whose live server key this is; null else. Refuses `not-authorized` where it is suspended; `field` is the
 * name that its key has in the body.
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
    takeFromRate(app, partner.companyId);
    refuseSuspended(field);
  }
  return { ...partner, quotas: quotasOf(app.config, quotas) };
}

/** What `partners.key_digest` holds for a key. */
export function digestServerKey(app: Pick<Runtime, "secrets">, serverApiKey: string): string {
  return app.secrets.digest("serverApiKey", serverApiKey);
}
