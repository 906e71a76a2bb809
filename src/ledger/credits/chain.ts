// The chain of days: a keyed digest over the entries of each day and the day before. It shows whether somebody changed,
// deleted or added entries directly in the database.

import { one, type Statements } from "../../platform/database/query.ts";
import { nextSlice } from "../../platform/limits/slices.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { sameDigest } from "../../platform/secrets/secrets.ts";
import * as sql from "./chain.sql.ts";

const ENTRIES_AT_ONCE = 2_500;
/** One run of the job adds at most a million entries: an installation older than the chain catches up within hours. */
const EXTENSIONS_AT_MOST = 400;
/** Entries that an audit compares itself, newest days first: 0.6 s of CPU (2 busy cores, 2026-11-26). */
const COMPARED_BY_AUDIT = 100_000;
/** Entries that the hourly job compares in addition, of randomly chosen days. */
const COMPARED_BY_JOB = 1_000_000;
const DAYS_AT_ONCE = 500;
/** The clock may have been this far ahead before it was corrected. Backdating by less gains an attacker nothing. */
const CLOCK_MS = 24 * 3_600_000;
/** The maximum number of days that are read: 137 years. */
const DAYS_AT_MOST = 50_000;
const NEWEST_AT_MOST = 100_000;
const ENTRIES_IN_A_SLICE = 100;

const FIRST_DAY = "0001-01-01";
const FIRST_ID = Number.MIN_SAFE_INTEGER;

/** Days whose entries differ from the written ones, and by how many credits or entries, at least 1 for each day. */
export type ChainFaults = { days: string[]; difference: number };

/** The end of the chain that this process has seen. If the chain is shorter later, or a different one, it was cut. */
const ends = perRuntime(() => ({ seen: undefined as sql.DayRow | undefined }));

/** Returns the keyed digest over an entry and, by `digest`, all before it. It takes 4 µs with its text (2026-11-26). */
function chained(app: Runtime, digest: string, entry: sql.ChainedEntry): string {
  const { id, key, kind, from_pool, to_pool, amount, reason, at } = entry;
  return app.secrets.digest(
    "ledger",
    JSON.stringify([digest, id, key, kind, from_pool, to_pool, amount, reason, at]),
  );
}

type Sealed = Omit<sql.DayRow, "seal" | "difference">;

function sealOf(app: Runtime, day: Sealed, before: sql.DayRow | undefined): string {
  const { last_id, entries, amount, backdated, until, digest, forgotten } = day;
  const row = [
    before?.digest ?? null,
    day.day,
    last_id,
    entries,
    amount,
    backdated,
    until,
    digest,
    forgotten,
  ];
  return app.secrets.digest("ledger day", JSON.stringify(row));
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, FIRST_DAY.length);
}

/**
 * Adds the entries that were written before `until` to the chain, in steps of one transaction each. No transaction that
 * began before `until` may still be open: otherwise an entry could commit later with an id below the end of the chain.
 * Safe to repeat and to run in several processes.
 */
export async function extendChain(app: Runtime, until: Date, signal?: AbortSignal): Promise<void> {
  const [last] = await app.database.run(sql.findLastDay);
  const [end] = await app.database.run(sql.findLastBefore, [last?.last_id ?? FIRST_ID, until]);
  if (!end) return;
  const extendOnce = (tx: Statements) => extendTo(app, tx, end.id, until.getTime());
  for (let step = 0; step < EXTENSIONS_AT_MOST && !signal?.aborted; step++)
    if (!(await app.database.transaction(extendOnce))) return;
}

/** Adds the next entries up to the id `end`, the last one from before `until`; returns whether there may be more. */
async function extendTo(app: Runtime, tx: Statements, end: number, until: number): Promise<boolean> {
  await tx.run(sql.lockChain);
  const [last] = await tx.run(sql.findLastDay);
  const after = last?.last_id ?? FIRST_ID;
  if (after >= end) return false;
  const entries = await tx.run(sql.listEntriesBetween, [after, end, ENTRIES_AT_ONCE]);
  const isWhole = entries.at(-1)?.id === end;
  const days = addToDays(app, last, entries, { until, isWhole });
  const before = last && days[0]?.day === last.day ? (await tx.run(sql.findDayBefore, [last.day]))[0] : last;
  const written: sql.DayRow[] = [];
  for (const day of days)
    written.push({ ...day, difference: 0, seal: sealOf(app, day, written.at(-1) ?? before) });
  await tx.run(sql.upsertDays, { days: written.map((day) => ({ ...day, lastId: day.last_id })) });
  return !isWhole;
}

/** Returns the days that the entries after the end of the chain create or extend. */
function addToDays(
  app: Runtime,
  last: sql.DayRow | undefined,
  entries: readonly sql.ChainedEntry[],
  { until, isWhole }: { until: number; isWhole: boolean },
): Sealed[] {
  const days: Sealed[] = [];
  // A wrong clock may have written a time in the future: it does not close the present day.
  const newest = dayOf(until);
  const complete = last?.until ?? 0;
  let open: Sealed | undefined = last && !last.forgotten ? { ...last } : undefined;
  let digest = last?.digest ?? "";
  for (const entry of entries) {
    const written = dayOf(Math.min(entry.at / 1_000, until));
    if (!open || written > open.day) {
      // No entries are added to a forgotten day.
      const day = last?.forgotten && written <= last.day ? newest : written;
      open = { day, last_id: 0, entries: 0, amount: 0, backdated: 0, until: 0, digest, forgotten: false };
    }
    digest = chained(app, digest, entry);
    Object.assign(open, {
      last_id: entry.id,
      entries: open.entries + 1,
      amount: open.amount + entry.amount,
      // Every entry written before that time already has an id in the chain.
      backdated: open.backdated + Number(entry.at < (complete - CLOCK_MS) * 1_000),
      until: isWhole ? until : complete,
      digest,
    });
    if (days.at(-1) !== open) days.push(open);
  }
  return days;
}

/**
 * Compares the chain with the entries: the seal of every day, the entries of the newest days, the job's findings in the
 * other days, and entries that are too new for the chain but are dated before its end.
 */
export async function auditChain(app: Runtime): Promise<ChainFaults> {
  const state = ends(app);
  // Read before the days: another audit may see a longer chain meanwhile.
  const { seen } = state;
  const days = await listChain(app.database);
  const faults = new Map<string, number>();
  const add = (day: string, difference: number) => {
    if (difference > 0) faults.set(day, Math.max(faults.get(day) ?? 0, difference));
  };
  let room = COMPARED_BY_AUDIT;
  for (let at = days.length - 1; at >= 0; at--) {
    const day = days[at]!;
    if (!sameDigest(sealOf(app, day, days[at - 1]), day.seal)) add(day.day, 1);
    add(day.day, day.backdated);
    if (day.forgotten) continue;
    room -= day.entries;
    add(day.day, room < 0 ? day.difference : await compareDay(app, day, days[at - 1]));
    if (at % ENTRIES_IN_A_SLICE === 0) await nextSlice(app, "foreground");
  }
  const end = days.at(-1);
  if (seen && isCut(days, seen)) add(seen.day, 1);
  else if (end) state.seen = end;
  if (end) {
    const { entries, amount } = await one(app.database, sql.countBackdated, {
      after: end.last_id,
      before: new Date(end.until - CLOCK_MS),
      atMost: NEWEST_AT_MOST,
      firstId: FIRST_ID,
    });
    add(end.day, Math.max(entries, amount));
  }
  const sum = [...faults.values()].reduce((all, difference) => all + difference, 0);
  return { days: [...faults.keys()].sort(), difference: Math.min(sum, Number.MAX_SAFE_INTEGER) };
}

/** Returns whether the days lack the end that was seen before. */
function isCut(days: readonly sql.DayRow[], seen: sql.DayRow): boolean {
  const day = days.find(({ day }) => day === seen.day);
  return !day || day.last_id < seen.last_id || (day.last_id === seen.last_id && day.digest !== seen.digest);
}

async function listChain(db: Statements): Promise<sql.DayRow[]> {
  const days: sql.DayRow[] = [];
  while (days.length < DAYS_AT_MOST) {
    const next = await db.run(sql.listDaysAfter, [days.at(-1)?.day ?? FIRST_DAY, DAYS_AT_ONCE]);
    days.push(...next);
    if (next.length < DAYS_AT_ONCE) break;
  }
  return days;
}

/**
 * Compares the entries of a day with its digest. Returns 0 if they match; otherwise the difference in their sum or
 * number, and 1 if both are equal.
 */
async function compareDay(app: Runtime, day: sql.DayRow, before: sql.DayRow | undefined): Promise<number> {
  let [after, entries, amount, digest] = [before?.last_id ?? FIRST_ID, 0, 0, before?.digest ?? ""];
  while (after < day.last_id) {
    const rows = await app.database.run(sql.listEntriesBetween, [after, day.last_id, ENTRIES_AT_ONCE]);
    for (const [at, row] of rows.entries()) {
      digest = chained(app, digest, row);
      amount += row.amount;
      if (at % ENTRIES_IN_A_SLICE === 0) await nextSlice(app, "foreground");
    }
    entries += rows.length;
    if (rows.length < ENTRIES_AT_ONCE) break;
    after = rows.at(-1)!.id;
  }
  if (sameDigest(digest, day.digest)) return 0;
  // The day may have been forgotten meanwhile.
  const [now] = await app.database.run(sql.listDaysAfter, [previousDay(day.day), 1]);
  if (now?.day === day.day && now.forgotten && sameDigest(sealOf(app, now, before), now.seal)) return 0;
  return Math.max(1, Math.abs(amount - day.amount), Math.abs(entries - day.entries));
}

function previousDay(day: string): string {
  return dayOf(Date.parse(day) - 1);
}

/**
 * Compares random days with their digests, up to a million entries but at least one day, and stores its findings for
 * the audits. The days are random because an attacker could mark changed days as just compared. Run by a job.
 */
export async function checkChain(app: Runtime, signal?: AbortSignal): Promise<void> {
  let room = COMPARED_BY_JOB;
  for (const day of await app.database.run(sql.listDaysToCheck, [DAYS_AT_ONCE])) {
    if (signal?.aborted || room <= 0) return;
    room -= day.entries;
    const [before] = await app.database.run(sql.findDayBefore, [day.day]);
    await app.database.run(sql.updateDayChecked, [day.day, await compareDay(app, day, before)]);
  }
}

/** Logs the end of the chain. A copy of the log elsewhere shows later whether the chain was cut or rewritten. */
export async function logChainEnd(app: Runtime): Promise<void> {
  const [end] = await app.database.run(sql.findLastDay);
  if (!end) return;
  const { day, last_id: lastId, digest } = end;
  app.log.info({ day, lastId, digest }, "the end of the chain of the ledger");
}

/** Marks the days that ended before a time as forgotten: their entries may be deleted, and are no longer compared. */
export async function forgetDays(app: Runtime, tx: Statements, before: Date): Promise<void> {
  await tx.run(sql.lockChain);
  const days = await listChain(tx);
  const gone: { day: string; seal: string }[] = [];
  for (const [at, day] of days.entries()) {
    if (day.day >= dayOf(before.getTime())) break;
    if (!day.forgotten)
      gone.push({ day: day.day, seal: sealOf(app, { ...day, forgotten: true }, days[at - 1]) });
  }
  if (gone.length === 0) return;
  await tx.run(sql.updateDaysForgotten, { days: gone });
}
