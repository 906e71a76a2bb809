// Resellers: companies that sell credits to customers of their own, and the server key with which they do it.
import {
  isOnTrial,
  type KeyHolder,
  lockAsOwner,
  markPartner,
  type NewCompany,
  resetKey,
} from "../../identity/accounts/accounts.ts";
import type { Tx } from "../../platform/database.ts";
import { refuse, type Sentence } from "../../platform/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets.ts";
import { digestServerKey } from "./callers.ts";
import type { Partner, ServerKey } from "./shapes.ts";
import * as sql from "./sql.ts";

export { customerOf } from "./customers.ts";
export { fundPurchases } from "./purchases.ts";
export { resume, suspend } from "./suspension.ts";

/** Makes a company a reseller. Refuses `not-found`, and `conflict` for one on trial, whose customers would be on none. */
export async function enablePartner(tx: Tx, app: Runtime, companyId: string): Promise<Partner> {
  if (await isOnTrial(app, tx, companyId))
    refuse("conflict", { details: [{ field: "companyId", message: ON_TRIAL }] });
  if (!(await markPartner(tx, companyId, true))) refuse("not-found");
  await tx.run(sql.upsertPartner, [companyId]);
  return { companyId, partner: true };
}

const ON_TRIAL: Sentence = {
  fr: "cette entreprise est à l’essai ; acceptez d’abord un de ses expéditeurs",
  en: "this company is on trial; accept one of its senders first",
};

/**
 * Ends that a company is a reseller: its server key dies with the commit, and its own users may change no offers and
 * make no key. Customers keep the credits that they paid for, and payments that were begun still count. A company that
 * is made a reseller again finds all of it. Refuses `not-found`.
 */
export async function disablePartner(tx: Tx, companyId: string): Promise<Partner> {
  if (!(await markPartner(tx, companyId, false))) refuse("not-found");
  await tx.run(sql.deleteServerKey, [companyId]);
  return { companyId, partner: false };
}

/**
 * Gives a company's owner a new first key. With `all` every other key of the company dies too, also the server key of a
 * reseller: a thief may have made one. Refuses `not-found`.
 */
export async function resetKeys(tx: Tx, app: Runtime, companyId: string, all = false): Promise<NewCompany> {
  const made = await resetKey(tx, app, companyId, all);
  if (all) await tx.run(sql.deleteServerKey, [companyId]);
  return made;
}

/**
 * Gives a reseller a new server key, shown only here; the old one is dead on every node once this is committed. Refuses
 * `not-authenticated` and `not-authorized` where the caller's key was taken back meanwhile.
 */
export async function makeServerKey(tx: Tx, app: Runtime, caller: KeyHolder): Promise<ServerKey> {
  await lockAsOwner(tx, caller);
  const serverApiKey = newKey("psk_");
  await tx.run(sql.updateServerKey, [caller.companyId, digestServerKey(app, serverApiKey), caller.userId]);
  return { serverApiKey };
}

const EMPTIED_AT_ONCE = 1_000;

/** Forgets the names of some customers of a reseller that has closed; returns whether there were any. */
export async function emptyCustomers(tx: Tx, companyId: string): Promise<boolean> {
  return (await tx.run(sql.emptySomeCustomers, [companyId, EMPTIED_AT_ONCE])).length > 0;
}
