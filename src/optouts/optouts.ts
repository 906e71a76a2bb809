// Opt-outs: the phones that want no more messages of a company.
import { type CompanyCaller, requireQuota } from "../accounts/accounts.ts";
import { readPage } from "../contacts/contacts.ts";
import type { Statements, Tx } from "../kernel/database.ts";
import type { Counted, Listed, Page } from "../kernel/schemas.ts";
import { requirePhone } from "../sms/sms.ts";
import type { Optout } from "./shapes.ts";
import * as sql from "./sql.ts";
import type { Wish } from "./words.ts";

export { readWish, type Wish } from "./words.ts";

export const OPTOUT_ORDERS = ["createdAt", "phone"] as const;

function optoutOf(row: sql.OptoutRow): Optout {
  return { phone: row.phone, source: row.source, createdAt: row.created_at };
}

/** Opts a phone out of the caller's company. A repeat changes nothing. Refuses `invalid-phone-number`, and `conflict` beyond the quota. */
export async function createOptout(tx: Tx, caller: CompanyCaller, given: string): Promise<Optout> {
  const phone = phoneOf(caller, given);
  const [row] = await tx.run(sql.upsertOptout, [caller.companyId, phone, "COMPANY"]);
  const [counted] = await tx.run(sql.findOptoutCount, [caller.companyId]);
  requireQuota(caller.quotas, "optouts", counted!.count, "phone");
  return optoutOf(row!);
}

/** One page of a company's opt-outs. Refuses `invalid-request` where the page is too deep. */
export async function listOptouts(
  db: Statements,
  caller: CompanyCaller,
  wanted: Page & { orderBy: (typeof OPTOUT_ORDERS)[number] },
): Promise<Listed<Optout>> {
  const [counted] = await db.run(sql.findOptoutCount, [caller.companyId]);
  const totalCount = counted?.count ?? 0;
  const rows = await readPage(wanted, totalCount, (direction, limit, offset) =>
    db.run(sql.listOptouts[wanted.orderBy][direction], [caller.companyId, limit, offset]),
  );
  return { rows: rows.map(optoutOf), totalCount };
}

/**
 * Ends an opt-out that the company entered itself. What a person said by a STOP is theirs to end, by a START: `isTheirs`.
 * `count` is how many ended, 0 or 1. Refuses `invalid-phone-number`.
 */
export async function deleteOptout(
  tx: Tx,
  caller: CompanyCaller,
  given: string,
): Promise<Counted & { isTheirs: boolean }> {
  const key = [caller.companyId, phoneOf(caller, given)];
  const deleted = await tx.run(sql.deleteOwnOptout, key);
  const [left] = await tx.run(sql.findOptout, key);
  return { count: deleted.length, isTheirs: left !== undefined };
}

function phoneOf(caller: CompanyCaller, given: string): string {
  return requirePhone(given, "phone", caller.country);
}

/** Carries out a person's reply STOP or START. A repeat changes nothing, since operators deliver replies again. */
export async function heedWish(tx: Tx, wish: Wish, companyId: string, phone: string): Promise<void> {
  if (wish === "stop") await tx.run(sql.upsertOptout, [companyId, phone, "HANDSET"]);
  else await tx.run(sql.deleteOptout, [companyId, phone]);
}

/** For sends: fails by `must` if one of these phones has opted out of its company. */
export async function requireNoneOut(
  tx: Tx,
  wanted: readonly { companyId: string; phone: string }[],
): Promise<void> {
  await tx.run(sql.requireNoneOut, [wanted.map((key) => key.companyId), wanted.map((key) => key.phone)]);
}

/** For sends: the phones that have opted out of these companies, as `companyId phone`. One-time passwords are exempt. */
export async function listOptedOut(
  db: Statements,
  wanted: readonly { companyId: string; phone: string }[],
): Promise<Set<string>> {
  if (wanted.length === 0) return new Set();
  const rows = await db.run(sql.listOptedOut, [
    wanted.map((key) => key.companyId),
    wanted.map((key) => key.phone),
  ]);
  return new Set(rows.map((row) => `${row.company_id} ${row.phone}`));
}
