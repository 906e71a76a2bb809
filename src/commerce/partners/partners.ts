// Resellers: companies that sell credits to customers of their own, and the server key that they use for it.

import { markPartner, resetKey } from "../../identity/accounts/accounts.ts";
import { type KeyHolder, lockAsOwner } from "../../identity/accounts/callers.ts";
import type { NewCompany } from "../../identity/accounts/shapes.ts";
import { isOnTrial } from "../../identity/accounts/trials.ts";
import { emptying } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { refuse, type Sentence } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import { digestServerKey } from "./callers.ts";
import type { Partner, ServerKey } from "./shapes.ts";
import * as sql from "./sql.ts";

/** Makes a company a reseller. Refuses `not-found`, and `conflict` for one on trial: its customers would not be. */
export async function enablePartner(tx: Tx, app: Runtime, companyId: string): Promise<Partner> {
  if (await isOnTrial(app, tx, companyId)) refuseConflict("companyId", ON_TRIAL);
  if (!(await markPartner(tx, companyId, true))) refuse("not-found");
  await tx.run(sql.upsertPartner, [companyId]);
  return { companyId, partner: true };
}

const ON_TRIAL: Sentence = {
  fr: "cette entreprise est à l’essai ; acceptez d’abord un de ses expéditeurs",
  en: "this company is on trial; accept one of its senders first",
};

/**
 * Ends a company's status as a reseller: its server key stops working with the commit, and its users can no longer
 * change offers or create a key. Customers keep their credits, and payments under way still count. All of it is
 * available if the company becomes a reseller again. Refuses `not-found`.
 */
export async function disablePartner(tx: Tx, companyId: string): Promise<Partner> {
  if (!(await markPartner(tx, companyId, false))) refuse("not-found");
  await tx.run(sql.deleteServerKey, [companyId]);
  return { companyId, partner: false };
}

/**
 * Replaces the first key of a company's owner. With `all` every other key of the company stops working too, including a
 * reseller's server key: a thief may have created one. Refuses `not-found`.
 */
export async function resetKeys(tx: Tx, app: Runtime, companyId: string, all = false): Promise<NewCompany> {
  const made = await resetKey(tx, app, companyId, all);
  if (all) await tx.run(sql.deleteServerKey, [companyId]);
  return made;
}

/**
 * Replaces a reseller's server key, shown only here; the old one is dead on every node after the commit. Refuses
 * `not-authenticated` and `not-authorized` if the caller's key was revoked meanwhile.
 */
export async function makeServerKey(tx: Tx, app: Runtime, caller: KeyHolder): Promise<ServerKey> {
  await lockAsOwner(tx, caller);
  const serverApiKey = newKey("psk_");
  await tx.run(sql.updateServerKey, [caller.companyId, digestServerKey(app, serverApiKey), caller.userId]);
  return { serverApiKey };
}

/** Clears the names of some customers of a closed reseller; returns whether there were any. */
export const emptyCustomers = emptying(sql.emptySomeCustomers, 1_000);
