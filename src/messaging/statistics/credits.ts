// The credits of a company by day: the balance at the end of each day, and the credits used on it.
import { readDaysIn } from "../../delivery/sends/counters/tallies.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { readGiven } from "../../ledger/credits/days.ts";
import { now } from "../../platform/clock.ts";
import { pageAmong } from "../../platform/database/pages.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { dayIn, startOfDay } from "../../platform/zones.ts";
import type { CreditsOfDay } from "./shapes.ts";
import { DAY_MS, type DayRange, type DaysWanted, dayRangeOf, daysOf } from "./statistics.ts";

/** The maximum number of days back, since balances are computed backward from now. */
const DAYS_BACK = 366;

/**
 * Returns one page of a company's days, in its zone, up to today. Credits used on a day were captured on it: an
 * operator accepted the messages. The balance at the end of a day is computed backward from now, from later captures
 * and grants, so it includes credits then held for messages; today it is the current balance. Days before the newest
 * 100,000 entries of the ledger are left out. Refuses as `readCompanyDays`, and `invalid-request` for days more than a
 * year ago.
 */
export async function listCreditsOfDays(
  app: Runtime,
  { companyId, country }: CompanyCaller,
  { from, to, ...page }: Page & DaysWanted,
): Promise<Listed<CreditsOfDay>> {
  const wanted = dayRangeOf({ from, to }, country);
  const today = dayIn(country, now());
  if (Date.parse(today) - Date.parse(wanted.from) > DAYS_BACK * DAY_MS)
    refuseField("from", {
      fr: `est antérieur de plus de ${DAYS_BACK} jours à aujourd’hui`,
      en: `is more than ${DAYS_BACK} days ago`,
    });
  // The computation needs all entries after the last requested day, too.
  const range = { from: wanted.from, to: today };
  const found = await app.database.snapshot(async (tx) => {
    const [used, pool] = await Promise.all([
      readDaysIn(tx, { accountId: companyId, country }, range),
      readGiven(tx, companyId, startOfDay(country, range.from)!),
    ]);
    const usedOn = sumsOf(used.map(({ day, credits }) => [day, credits]));
    const givenOn = sumsOf(pool.given.map(({ at, amount }) => [dayIn(country, at), amount]));
    return reckonBack(range, { ...pool, usedOn, givenOn, since: dayIn(country, pool.since) });
  });
  const shown = found.filter(({ day }) => day <= wanted.to);
  const { rows, ...listed } = pageAmong(shown.toReversed(), page, ({ day }) => [day]);
  return {
    rows: rows.map(({ day, ...row }) => ({ ...row, createdAt: startOfDay(country, day)! })),
    ...listed,
  };
}

function sumsOf(lines: readonly (readonly [day: string, amount: number])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [day, amount] of lines) sums.set(day, (sums.get(day) ?? 0) + amount);
  return sums;
}

/** Returns the days of a range that ends today, newest first, as far back as all later grants are known. */
function reckonBack(
  range: DayRange,
  pool: {
    available: number;
    worth: number;
    since: string;
    usedOn: ReadonlyMap<string, number>;
    givenOn: ReadonlyMap<string, number>;
  },
): { day: string; creditAvailable: number; creditUsed: number }[] {
  let { worth } = pool;
  const rows = [];
  for (const day of daysOf(range).toReversed()) {
    if (day < pool.since) break;
    const creditUsed = pool.usedOn.get(day) ?? 0;
    rows.push({ day, creditAvailable: day === range.to ? pool.available : worth, creditUsed });
    worth += creditUsed - (pool.givenOn.get(day) ?? 0);
  }
  return rows;
}
