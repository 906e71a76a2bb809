// Accounts: companies, the users who act for them, and their keys.
import { type Static, Type } from "typebox";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuse, requireRow } from "../../platform/http/refusals.ts";
import { changeOf, emptiable, Name } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import { CountryCode, requireCountry } from "../../protocol/sms/countrycodes.ts";
import { requirePhone } from "../../protocol/sms/phone.ts";
import { revokeAllKeys } from "./apikeys.ts";
import { digestApiKey } from "./callers.ts";
import { Email, OwnPhone } from "./members.ts";
import { chosenJson, QuotaChoice } from "./quotas.ts";
import type { NewCompany } from "./shapes.ts";
import * as sql from "./sql.ts";

const SENDERS_AT_MOST = 10_000;

/** A new company. */
export const CompanyInput = Type.Object({
  name: Name,
  ownerName: Type.Optional(Name),
  ownerEmail: Type.Optional(Email),
  ownerPhone: Type.Optional(OwnPhone),
  senderLimit: Type.Optional(Type.Integer({ minimum: 0, maximum: SENDERS_AT_MOST })),
  country: Type.Optional(CountryCode),
  language: Type.Optional(Type.Enum(["fr", "en"])),
});
export type CompanyInput = Static<typeof CompanyInput>;

type SecretsAndConfig = Pick<Runtime, "secrets" | "config">;

/**
 * Creates a company and its first user. The key appears only in the response; the database stores a digest of it. `ids`
 * are given only for the demo company. Refuses `invalid-phone-number`, and `invalid-request` for an unknown country.
 */
export async function createCompany(
  tx: Tx,
  app: SecretsAndConfig,
  input: CompanyInput,
  ids = { companyId: newId(), userId: newId() },
): Promise<NewCompany> {
  const { companyId, userId } = ids;
  const country = input.country ?? "CI";
  requireCountry(country);
  const phone = input.ownerPhone === undefined ? null : requirePhone(input.ownerPhone, "ownerPhone", country);
  const apiKey = newKey("");
  const senderLimit = input.senderLimit ?? app.config.limits.sendersPerCompany;
  await tx.run(sql.insertUser, {
    id: userId,
    name: input.ownerName ?? null,
    email: input.ownerEmail ?? null,
    phone,
    keyDigest: digestApiKey(app, apiKey),
  });
  const { name, language = null } = input;
  await tx.run(sql.insertCompany, { id: companyId, name, country, language, senderLimit });
  await tx.run(sql.insertMembership, [companyId, userId, "owner"]);
  return { companyId, userId, apiKey };
}

/** What an administrator may change of a company and its owner. Absent members stay unchanged. */
export const CompanyChanges = Type.Object({
  ...Type.Partial(Type.Omit(CompanyInput, ["ownerName", "ownerEmail", "ownerPhone"])).properties,
  ownerName: emptiable(Name),
  ownerEmail: emptiable(Email),
  ownerPhone: emptiable(OwnPhone),
  quotas: Type.Optional(QuotaChoice),
});

/**
 * Updates a company and its owner. A phone is read in the company's country: the new one if both change. Refuses
 * `not-found` and `invalid-phone-number`.
 */
export async function updateCompany(
  tx: Tx,
  companyId: string,
  change: Static<typeof CompanyChanges>,
): Promise<void> {
  const { name, country, language, senderLimit, quotas, ownerName, ownerEmail, ownerPhone } = change;
  if (country !== undefined) requireCountry(country);
  const updated = tx.run(sql.updateCompany, {
    id: companyId,
    name: name ?? null,
    country: country ?? null,
    language: language ?? null,
    senderLimit: senderLimit ?? null,
    quotas: quotas ? chosenJson(quotas) : null,
  });
  const company = await requireRow(updated, "not-found");
  const phone =
    typeof ownerPhone === "string" ? requirePhone(ownerPhone, "ownerPhone", company.country) : ownerPhone;
  const { id } = (await findOwner(tx, companyId)) ?? refuse("not-found");
  await tx.run(sql.updateUser, {
    id,
    name: changeOf(ownerName),
    email: changeOf(ownerEmail),
    phone: changeOf(phone),
  });
}

/** Returns a company's owner, the oldest of several, with contact details; undefined if there is no such company. */
export async function findOwner(tx: Tx, companyId: string) {
  const [owner] = await tx.run(sql.findOwner, [companyId]);
  return owner;
}

/**
 * Replaces the first key of a company's owner, for an administrator, after the old one was stolen or lost: the old one
 * stops working on every node with the commit. With `all`, so do all other keys of its members, also their first ones.
 * Refuses `not-found`.
 */
export async function resetKey(
  tx: Tx,
  app: SecretsAndConfig,
  companyId: string,
  all = false,
): Promise<NewCompany> {
  // A thief's pending request for another key waits for this lock; after that, its key is dead.
  await lockCompany(tx, companyId);
  const { id: userId } = (await findOwner(tx, companyId)) ?? refuse("not-found");
  if (all) await revokeAllKeys(tx, companyId, userId);
  return { companyId, userId, apiKey: (await regenerateKey(tx, app, userId))! };
}

/**
 * Locks a company until the commit, so that things with a limit per company are created one after another. Returns
 * false if there is no such company.
 */
export async function lockCompany(tx: Tx, companyId: string): Promise<boolean> {
  return (await tx.run(sql.lockCompany, [companyId])).length > 0;
}

/** Sets whether a webhook of a company is subscribed to events of sends. The caller has locked the company. */
export async function markListening(tx: Tx, companyId: string, listens: boolean): Promise<void> {
  await tx.run(sql.updateListening, [companyId, listens]);
}

/** Makes a company a reseller, or an ordinary company again; returns false if there is no such company. */
export async function markPartner(tx: Tx, companyId: string, isPartner: boolean): Promise<boolean> {
  return (await tx.run(sql.updatePartner, [companyId, isPartner])).length > 0;
}

/** Replaces a user's first key; null if there is no such user. The old key stops working everywhere with the commit. */
export async function regenerateKey(tx: Tx, app: SecretsAndConfig, userId: string): Promise<string | null> {
  const apiKey = newKey("");
  const changed = await tx.run(sql.updateKeyDigest, [userId, digestApiKey(app, apiKey)]);
  return changed.length > 0 ? apiKey : null;
}

/** Called with each new key after its commit, in the same process, to keep `quickstart.json` current. */
export const keyFollowers = perRuntime(() => new Set<(userId: string, apiKey: string) => void>());
