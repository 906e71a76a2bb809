// Opt-outs: the phones that a company may no longer send messages to.
import { emitToAccounts } from "../../events/webhooks/webhooks.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { requireQuota } from "../../identity/accounts/quotas.ts";
import { pageAmong, readPagedFromNearerEnd } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Counted, Listed, Page } from "../../platform/http/paging.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { requirePhone } from "../../protocol/sms/phone.ts";
import type { Optout } from "./shapes.ts";
import * as sql from "./sql.ts";
import type { Wish } from "./words.ts";

export const OPTOUT_ORDERS = ["createdAt", "phone"] as const;

/**
 * Opts a phone out of the caller's company, and queues an event of a new opt-out: call `announceEvents` after the
 * commit. A repeat changes nothing. Refuses `invalid-phone-number`, and `conflict` beyond the quota.
 */
export async function createOptout(tx: Tx, caller: CompanyCaller, given: string): Promise<Optout> {
  const phone = phoneOf(caller, given);
  const optout = await optOut(tx, caller.companyId, phone, "COMPANY");
  const counted = await one(tx, sql.findOptoutCount, [caller.companyId]);
  requireQuota(caller.quotas, "optouts", counted.count, "phone");
  return optout;
}

async function optOut(tx: Tx, companyId: string, phone: string, source: Optout["source"]): Promise<Optout> {
  const { is_new: isNew, ...optout } = await one(tx, sql.upsertOptout, [companyId, phone, source]);
  if (isNew) {
    const data = { phone, source, createdAt: optout.createdAt.toISOString() };
    await emitToAccounts(tx, [{ accountId: companyId, type: "optout.created", data }]);
  }
  return optout;
}

/**
 * Returns one page of a company's opt-outs, or the opt-out of one phone. Refuses `invalid-request` if the page is too
 * deep, and `invalid-phone-number`.
 */
export async function listOptouts(
  db: Statements,
  caller: CompanyCaller,
  wanted: Page & { orderBy: (typeof OPTOUT_ORDERS)[number]; phone?: string | undefined },
): Promise<Listed<Optout>> {
  if (wanted.phone !== undefined) {
    const found = await db.run(sql.findListed, [caller.companyId, phoneOf(caller, wanted.phone)]);
    return pageAmong(found, wanted, ({ phone }) => [phone]);
  }
  const { companyId } = caller;
  const [counted] = await db.run(sql.findOptoutCount, [companyId]);
  const totalCount = counted?.count ?? 0;
  const list = sql.listOptouts[wanted.orderBy];
  return readPagedFromNearerEnd(db, list, wanted, totalCount, { companyId });
}

/**
 * Deletes an opt-out that the company itself entered. One that a person requested by STOP only ends by that person's
 * START: `isTheirs` is then true. `count` is the number deleted, 0 or 1. Refuses `invalid-phone-number`.
 */
export async function deleteOptout(
  app: Runtime,
  tx: Tx,
  caller: CompanyCaller,
  given: string,
): Promise<Counted & { isTheirs: boolean }> {
  const phone = phoneOf(caller, given);
  const digest = erasedKeyOf(app, phone);
  const deleted = await tx.run(sql.deleteOwnOptout, [caller.companyId, phone]);
  const erased = await tx.run(sql.deleteErasedOptout, [caller.companyId, digest, true]);
  const [left] = await tx.run(sql.findOptout, [caller.companyId, phone, digest]);
  return { count: Math.min(1, deleted.length + erased.length), isTheirs: left !== undefined };
}

/** Returns who opted a phone out of a company, the company or the person; null: nobody did. */
export async function readOptout(
  app: Runtime,
  db: Statements,
  companyId: string,
  phone: string,
): Promise<Optout["source"] | null> {
  const [found] = await db.run(sql.findOptout, [companyId, phone, erasedKeyOf(app, phone)]);
  return found?.source ?? null;
}

function phoneOf(caller: CompanyCaller, given: string): string {
  return requirePhone(given, "phone", caller.country);
}

/**
 * Carries out a person's reply STOP or START. A new opt-out queues an event for the company's webhooks: call
 * `announceEvents` after the commit. A repeat changes nothing, since operators deliver replies again.
 */
export async function heedWish(
  app: Runtime,
  tx: Tx,
  wish: Wish,
  { companyId, phone }: Wanted,
): Promise<void> {
  const digest = erasedKeyOf(app, phone);
  if (wish === "start") {
    await tx.run(sql.deleteOptout, [companyId, phone]);
    await tx.run(sql.deleteErasedOptout, [companyId, digest, false]);
    return;
  }
  // A STOP must not store the phone of a person whom the company has erased.
  if ((await tx.run(sql.markErasedTheirs, [companyId, digest])).length === 0)
    await optOut(tx, companyId, phone, "HANDSET");
}

/** A recipient's phone and the sending company. */
type Wanted = { companyId: string; phone: string };

/** Returns the keyed hash that identifies a person after an erasure. The key is not in the database. */
export function erasedKeyOf(app: Pick<Runtime, "secrets">, phone: string): string {
  return app.secrets.digest("erased-phone", phone);
}

/** Replaces the opt-outs of a phone from these companies by its keyed hash; returns how many. They stay in force. */
export async function hideOptouts(
  app: Runtime,
  tx: Tx,
  companyIds: readonly string[],
  phone: string,
): Promise<number> {
  return (await tx.run(sql.hideOptouts, [companyIds, phone, erasedKeyOf(app, phone)])).length;
}

/**
 * The data that sends use to find opt-outs of erased people: the hash function, and the companies known to this process
 * to have any. Few companies have any; hashing every phone took 4 % of the CPU time of a campaign (2026-11-23).
 */
export type ErasedKeys = { keyOf: (phone: string) => string; companies: Set<string> };

const COMPANIES_KNOWN_AT_MOST = 10_000;

export const erasedKeysOf = perRuntime(
  (app): ErasedKeys => ({ keyOf: (phone) => erasedKeyOf(app, phone), companies: new Set() }),
);

/**
 * For sends: fails by `must` if one of these phones has opted out of its company, or if the company has opt-outs of
 * erased people that this process does not know about; `listOptedOut` then learns it.
 */
export async function requireNoneOut(tx: Tx, erased: ErasedKeys, wanted: readonly Wanted[]): Promise<void> {
  const hashed = wanted.filter((key) => erased.companies.has(key.companyId));
  const companies = new Set(wanted.map((key) => key.companyId));
  await tx.run(sql.requireNoneOut, {
    phones: wanted,
    digests: hashed.map(({ companyId, phone }) => ({ companyId, digest: erased.keyOf(phone) })),
    companies: [...companies].filter((companyId) => !erased.companies.has(companyId)),
  });
}

/** Above this number, each phone is looked up instead. */
const HELD_AT_MOST = 50_000;

/**
 * Returns all phones that have opted out of a company, to price a large campaign: reading 20,000 takes 20 ms, while
 * looking up a million contacts among them takes 5 s (2 busy cores, 2026-11-24). Null: there are more than 50,000.
 */
export async function holdOptouts(db: Statements, companyId: string): Promise<ReadonlySet<string> | null> {
  const rows = await db.run(sql.listSomeOptouts, [companyId, HELD_AT_MOST + 1]);
  return rows.length > HELD_AT_MOST ? null : new Set(rows.map(({ phone }) => phone));
}

/** The opt-outs of a company, to count a campaign to very many people. Null: more than 50,000, so each is looked up. */
export type HeldOptouts = { phones: ReadonlySet<string> | null; digests: ReadonlySet<string> | null };

/** Reads the opt-outs of a company once, for `outAmong`; those of erased people as keyed hashes. */
export async function holdAllOptouts(db: Statements, companyId: string): Promise<HeldOptouts> {
  const phones = await holdOptouts(db, companyId);
  // After the phones, as in `listOptedOut`.
  const rows = await db.run(sql.listSomeErased, [companyId, HELD_AT_MOST + 1]);
  return { phones, digests: rows.length > HELD_AT_MOST ? null : new Set(rows.map(({ digest }) => digest)) };
}

/**
 * Returns which of these phones have opted out of the company. It runs no statement if `held` has the answer. A hash of a
 * phone takes 2 µs (2 busy cores, 2026-11-28), and is made only if erased people have opted out.
 */
export async function outAmong(
  db: Statements,
  erased: ErasedKeys,
  { companyId, held: { phones, digests } }: { companyId: string; held: HeldOptouts },
  asked: readonly string[],
): Promise<(phone: string) => boolean> {
  if (!phones || !digests) {
    const wanted = asked.map((phone) => ({ companyId, phone }));
    const out = await listOptedOut(db, erased, wanted, phones);
    return (phone) => out.has(`${companyId} ${phone}`);
  }
  if (digests.size === 0) return (phone) => phones.has(phone);
  return (phone) => phones.has(phone) || digests.has(erased.keyOf(phone));
}

/**
 * For sends: returns the phones that have opted out of these companies, as `companyId phone`. One-time passwords are
 * exempt. `held` are the opt-outs of their only company, if already read.
 */
export async function listOptedOut(
  db: Statements,
  erased: ErasedKeys,
  wanted: readonly Wanted[],
  held: ReadonlySet<string> | null = null,
): Promise<Set<string>> {
  if (wanted.length === 0) return new Set();
  const out = new Set(
    held
      ? wanted.filter(({ phone }) => held.has(phone)).map(({ companyId, phone }) => `${companyId} ${phone}`)
      : await lookUpOptouts(db, wanted),
  );
  // After the phones, because an erasure between the two statements moves an opt-out from the phones to the hashes.
  for (const key of await listErasedOut(db, erased, wanted)) out.add(`${key.companyId} ${key.phone}`);
  return out;
}

async function lookUpOptouts(db: Statements, wanted: readonly Wanted[]): Promise<string[]> {
  const rows = await db.run(sql.listOptedOut, { wanted });
  return rows.map((row) => `${row.company_id} ${row.phone}`);
}

async function listErasedOut(
  db: Statements,
  erased: ErasedKeys,
  wanted: readonly Wanted[],
): Promise<Wanted[]> {
  const companies = [...new Set(wanted.map((key) => key.companyId))];
  const concerned = new Set(
    (await db.run(sql.listWithErased, [companies])).map((company) => company.company_id),
  );
  if (concerned.size === 0) return [];
  if (erased.companies.size > COMPANIES_KNOWN_AT_MOST) erased.companies.clear();
  for (const companyId of concerned) erased.companies.add(companyId);
  const asked = wanted
    .filter((key) => concerned.has(key.companyId))
    .map((key) => ({ ...key, digest: erased.keyOf(key.phone) }));
  const rows = await db.run(sql.listErasedOut, { wanted: asked });
  const found = new Set(rows.map((row) => `${row.company_id} ${row.digest}`));
  return asked.filter((key) => found.has(`${key.companyId} ${key.digest}`));
}

const HIDDEN_AT_ONCE = 1_000;

/** Replaces some opt-outs of a closed account by keyed hashes; returns whether there were any. */
export async function emptyOptouts(app: Runtime, tx: Tx, companyId: string): Promise<boolean> {
  const some = await tx.run(sql.listSomeOptouts, [companyId, HIDDEN_AT_ONCE]);
  if (some.length === 0) return false;
  const hidden = some.map(({ phone }) => ({ phone, digest: erasedKeyOf(app, phone) }));
  await tx.run(sql.hideAll, { companyId, hidden });
  return true;
}
