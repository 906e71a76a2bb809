// Accounts: companies, the users who act for them, and their keys.

import type { Static } from "typebox";
import { Type } from "typebox";
import type { Tx } from "../kernel/database.ts";
import { newId } from "../kernel/ids.ts";
import { refuse } from "../kernel/refusals.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
import { type Listed, Name, offsetOf, type Page } from "../kernel/schemas.ts";
import { newKey } from "../kernel/secrets.ts";
import { normalisePhone } from "../sms/sms.ts";
import { digestKey } from "./callers.ts";
import * as sql from "./sql.ts";

export {
  type AdminCaller,
  adminCaller,
  type CompanyCaller,
  companyCaller,
  countFailure,
  credential,
  findMember,
  refuseStranger,
  takeFromRate,
  type UserCaller,
  userCaller,
} from "./callers.ts";

const SENDERS_AT_MOST = 10_000;

/** What an administrator says of a new company. */
export const CompanyInput = Type.Object({
  name: Name,
  ownerName: Type.Optional(Name),
  ownerEmail: Type.Optional(Type.String({ format: "email", maxLength: 254 })),
  ownerPhone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  senderLimit: Type.Optional(Type.Integer({ minimum: 0, maximum: SENDERS_AT_MOST })),
  country: Type.Optional(Type.String({ pattern: "^[A-Z]{2}$" })),
  language: Type.Optional(Type.Enum(["fr", "en"])),
});
export type CompanyInput = Static<typeof CompanyInput>;

type Keys = Pick<Runtime, "secrets" | "config">;

/**
 * Makes a company and its first user. The key is in the answer and nowhere else: we keep a digest of it.
 * `ids` are given only for the demo company. Refuses `invalid-phone-number`.
 */
export async function createCompany(
  tx: Tx,
  app: Keys,
  input: CompanyInput,
  ids = { companyId: newId(), userId: newId() },
): Promise<{ companyId: string; userId: string; apiKey: string }> {
  const { companyId, userId } = ids;
  const country = input.country ?? "CI";
  const phone = input.ownerPhone === undefined ? null : normalisePhone(input.ownerPhone, country);
  if (input.ownerPhone !== undefined && phone === null) refuse("invalid-phone-number");
  const apiKey = newKey("");
  const senderLimit = input.senderLimit ?? app.config.limits.sendersPerCompany;
  const owner = [userId, input.ownerName ?? null, input.ownerEmail ?? null, phone, digestKey(app, apiKey)];
  await tx.run(sql.insertUser, owner);
  await tx.run(sql.insertCompany, [companyId, input.name, country, input.language ?? "fr", senderLimit]);
  await tx.run(sql.insertMembership, [companyId, userId]);
  return { companyId, userId, apiKey };
}

/** All companies with their balances, newest first. */
export async function listCompanies(tx: Tx, page: Page): Promise<Listed<sql.CompanyRow>> {
  const listed = page.sort === "asc" ? sql.listCompaniesAscending : sql.listCompanies;
  const [companies, [total]] = await Promise.all([
    tx.run(listed, [page.limit, offsetOf(page)]),
    tx.run(sql.countCompanies),
  ]);
  return { rows: companies, totalCount: total!.count };
}

/** What may be made only so many times for a company is made one after another, until the commit. */
export async function lockCompany(tx: Tx, companyId: string): Promise<void> {
  await tx.run(sql.lockCompany, [companyId]);
}

/** Notes that a company is a reseller; false where there is no such company. */
export async function markPartner(tx: Tx, companyId: string): Promise<boolean> {
  return (await tx.run(sql.markPartner, [companyId])).length > 0;
}

/** Gives the user a new key, or answers null where there is no such user; the old key is dead on every node once this is committed. */
export async function regenerateKey(tx: Tx, app: Keys, userId: string): Promise<string | null> {
  const apiKey = newKey("");
  const changed = await tx.run(sql.updateKeyDigest, [userId, digestKey(app, apiKey)]);
  return changed.length > 0 ? apiKey : null;
}

/** Told of each new key after its commit, on the process that made it: `quickstart.json` follows the demo's key. */
export const keyFollowers = perRuntime(() => new Set<(userId: string, apiKey: string) => void>());
