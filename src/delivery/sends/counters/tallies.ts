// Statistics: adds up counter deltas by day and by send, and reads the sums with the deltas not added up yet.
import { one, type Statements } from "../../../platform/database/query.ts";
import type { Tx } from "../../../platform/database/transaction.ts";
import type { Runtime } from "../../../platform/runtime.ts";
import { countLine, emptyCounts, type SendCounts } from "./counted.ts";
import * as sql from "./tallies.sql.ts";
import { type CountryOf, dayOf, UNADDED_AT_MOST } from "./tallydays.ts";
import { addUsage } from "./usage.ts";

/** The counts of messages of one day at one operator; see migration 0069. `operatorId` '': no operator had them. */
export type DayCounts = Omit<sql.DayRow, "operator_id"> & { operatorId: string };

const TAKEN_AT_ONCE = 500;
const STEPS_AT_MOST = 100;
/** The rows of all accounts together. */
const ALL = "";

/** Adds up counter deltas, in steps. For a tick; only one of several workers does it. */
export async function addCounters(app: Runtime, signal?: AbortSignal): Promise<void> {
  for (let steps = 0; steps < STEPS_AT_MOST && !signal?.aborted; steps++)
    if (!(await app.database.transaction(addSome))) return;
}

/** Returns false if no deltas are left, or another process adds up. */
async function addSome(tx: Tx): Promise<boolean> {
  const lock = await one(tx, sql.lockTallies);
  if (!lock.locked) return false;
  const lines = await tx.run(sql.takeTallies, [TAKEN_AT_ONCE]);
  if (lines.length === 0) return false;
  const countryOf = await countriesOf(tx, lines);
  await addDays(tx, lines, countryOf);
  await addUsage(tx, lines, countryOf);
  await addSends(tx, lines);
  return true;
}

async function addDays(tx: Tx, lines: readonly sql.CounterDelta[], countryOf: CountryOf): Promise<void> {
  const days = new Days();
  for (const line of lines) {
    const day = dayOf(line, countryOf(line.account_id));
    days.add(line.account_id, day, line);
    // An operator test counts for no company.
    if (line.account_id !== line.operator_id) days.add(ALL, day, line);
  }
  await tx.run(sql.upsertDays, { days: days.inOrder() });
}

/** A reseller's customers have no country, so their days are those of UTC. */
async function countriesOf(db: Statements, lines: readonly sql.CounterDelta[]): Promise<CountryOf> {
  const ids = [...new Set(lines.map((line) => line.account_id))];
  const known = new Map((await db.run(sql.listCountries, [ids])).map(({ id, country }) => [id, country]));
  return (accountId) => known.get(accountId) ?? NOWHERE;
}

/** A country whose time zone is UTC. */
const NOWHERE = "ZZ";

/** Counts by account, day and operator. */
class Days {
  readonly #rows = new Map<string, DayCounts & { accountId: string }>();

  add(accountId: string, day: string, line: sql.CounterDelta): void {
    const { operator_id: operatorId, status, quarter, count, credits } = line;
    const row = this.of(accountId, day, operatorId ?? "");
    row.credits += credits;
    if (quarter !== null) row[status === "DELIVERED" ? "delivered" : "undelivered"] += count;
    else if (status === "SENT") row.sent += count;
    else {
      row.failed += count;
      if (status === "EXPIRED") row.expired += count;
      if (status === "CANCELED") row.canceled += count;
    }
  }

  of(accountId: string, day: string, operatorId: string) {
    const key = `${accountId} ${day} ${operatorId}`;
    let row = this.#rows.get(key);
    if (!row) {
      const none = { sent: 0, delivered: 0, undelivered: 0, failed: 0, expired: 0, canceled: 0, credits: 0 };
      row = { accountId, day, operatorId, ...none };
      this.#rows.set(key, row);
    }
    return row;
  }

  inOrder() {
    return [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }
}

/** Adds to sends to several phones. Only this transaction adds up, so no other changes them meanwhile. */
async function addSends(tx: Tx, lines: readonly sql.CounterDelta[]): Promise<void> {
  const bySend = Map.groupBy(lines, (line) => line.send_id);
  bySend.delete(null);
  if (bySend.size === 0) return;
  const known = await tx.run(sql.listCounted, [[...bySend.keys()]]);
  const sends = known.flatMap(({ send_id: sendId, counted }) => {
    const sum = (counted as SendCounts | null) ?? emptyCounts();
    const added = bySend.get(sendId) ?? [];
    for (const line of added) countLine(sum, line);
    // All lines of a send are of one account.
    return added
      .slice(0, 1)
      .map((line) => ({ sendId, accountId: line.account_id, counted: JSON.stringify(sum) }));
  });
  await tx.run(sql.upsertCounted, { sends });
}

/**
 * Reads the counts of an account, or of all together (null), by day and operator, within a range of days, exact to the
 * last commit. `country` determines the days of deltas not added up yet; null: each account's own.
 */
export async function readDays(
  app: Runtime,
  account: { accountId: string | null; country: string | null },
  range: { from: string; to: string },
): Promise<DayCounts[]> {
  return app.database.snapshot((tx) => readDaysIn(tx, account, range));
}

/** Like `readDays`, in the caller's snapshot, which sees all accounts. */
export async function readDaysIn(
  tx: Tx,
  { accountId, country }: { accountId: string | null; country: string | null },
  { from, to }: { from: string; to: string },
): Promise<DayCounts[]> {
  const rows = await tx.run(sql.listDays, [accountId ?? ALL, from, to]);
  const lines = await tx.run(sql.listTallies, [accountId, UNADDED_AT_MOST]);
  const countryOf = country === null ? await countriesOf(tx, lines) : () => country;
  const days = new Days();
  for (const { operator_id, ...row } of rows) Object.assign(days.of(ALL, row.day, operator_id), row);
  for (const line of lines) {
    const day = dayOf(line, countryOf(line.account_id));
    const isTest = accountId === null && line.account_id === line.operator_id;
    if (day >= from && day <= to && !isTest) days.add(ALL, day, line);
  }
  return days.inOrder();
}

/** Reads the counts of a send's messages by outcome, exact to the last commit. */
export async function readCounted(
  app: Runtime,
  { accountId, sendId, total }: { accountId: string; sendId: string; total: number },
): Promise<SendCounts> {
  if (total === 1) return readAlone(app.database.of(accountId), accountId, sendId);
  return app.database.snapshot(async (tx) => {
    const [row] = await tx.run(sql.findCounted, [accountId, sendId]);
    const sum = (row?.counted as SendCounts | undefined) ?? emptyCounts();
    const lines = await tx.run(sql.listTallies, [accountId, UNADDED_AT_MOST]);
    for (const line of lines) if (line.send_id === sendId) countLine(sum, line);
    return sum;
  });
}

/** Sends to one phone have no counts of their own: they follow from the record of the message. */
async function readAlone(db: Statements, accountId: string, sendId: string): Promise<SendCounts> {
  const sum = emptyCounts();
  const [message] = await db.run(sql.findAlone, [accountId, sendId]);
  if (!message) return sum;
  const { sent_at, delivered_at, ...fate } = message;
  const line = { ...fate, account_id: accountId, send_id: sendId, kind: null, count: 1, credits: 0 };
  if (sent_at) countLine(sum, { ...line, status: "SENT", error: null, quarter: null, at: sent_at });
  if (!sent_at || fate.status !== "SENT")
    countLine(sum, { ...line, quarter: sent_at && 0, at: delivered_at ?? sent_at ?? NEVER });
  return sum;
}

/** The time of an outcome without a point on the curve. */
const NEVER = new Date(0);
