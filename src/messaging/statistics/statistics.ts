// Statistics by day: the outcomes of a company's messages, or of everybody's, in the days of its country.
import { type DayCounts, readDays } from "../../delivery/sends/counters/tallies.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { now } from "../../platform/clock.ts";
import type { Statements } from "../../platform/database/query.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { refuse } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { dayIn } from "../../platform/zones.ts";
import type { StatisticsDay, StatisticsDayOfAll } from "./shapes.ts";
import * as sql from "./sql.ts";

const DAYS_AT_MOST = 92;
const DAYS_UNASKED = 30;
export const DAY_MS = 86_400_000;
/** A pseudo-country in UTC, for accounts without a country. */
const NOWHERE = "ZZ";

/** The requested days. */
export type DaysWanted = { from?: string | undefined; to?: string | undefined };

/**
 * Returns each day of the range for the caller's company, oldest first; of all operators, or of those with a name.
 * Refuses `invalid-request` for an invalid range or one longer than 92 days.
 */
export async function readCompanyDays(
  app: Runtime,
  caller: CompanyCaller,
  { operator, ...wanted }: DaysWanted & { operator?: string | undefined },
): Promise<StatisticsDay[]> {
  const { companyId, country } = caller;
  const range = dayRangeOf(wanted, country);
  const found = await readDays(app, { accountId: companyId, country }, range);
  const days = await sumDays(
    app.database,
    found,
    range,
    (row) => operator === undefined || row.operator === operator,
  );
  return days.map(({ byOperator, ...day }) => ({
    ...day,
    byOperator: byOperator.map(({ operatorId, ...row }) => row),
  }));
}

/**
 * Returns the days of all accounts together, each in its own zone, or of one company; of all operators or of one.
 * Refuses `not-found`, and as `readCompanyDays`.
 */
export async function readAllDays(
  app: Runtime,
  {
    companyId,
    operatorId,
    ...wanted
  }: DaysWanted & { companyId?: string | undefined; operatorId?: string | undefined },
): Promise<StatisticsDayOfAll[]> {
  const [company] = companyId === undefined ? [] : await app.database.run(sql.findCountry, [companyId]);
  if (companyId !== undefined && !company) refuse("not-found");
  const range = dayRangeOf(wanted, company?.country ?? NOWHERE);
  const account = { accountId: companyId ?? null, country: company?.country ?? null };
  const found = await readDays(app, account, range);
  return sumDays(
    app.database,
    found,
    range,
    (row) => operatorId === undefined || row.operatorId === operatorId,
  );
}

/** A range of days that includes both ends. */
export type DayRange = { from: string; to: string };

/** Returns the requested range, by default the newest 30 days. Refuses `invalid-request`. */
export function dayRangeOf({ from, to }: DaysWanted, country: string): DayRange {
  const last = dayOf("to", to ?? dayIn(country, now()));
  const first = from === undefined ? last - (DAYS_UNASKED - 1) * DAY_MS : dayOf("from", from);
  if (first > last) refuseField("from", { fr: "est postérieur à to", en: "is after to" });
  if (last - first >= DAYS_AT_MOST * DAY_MS)
    refuseField("from", {
      fr: `est antérieur à to de plus de ${DAYS_AT_MOST} jours`,
      en: `is more than ${DAYS_AT_MOST} days before to`,
    });
  return { from: textOf(first), to: textOf(last) };
}

/** Returns the time at which a day begins in UTC. Refuses a date that does not exist. */
function dayOf(field: string, text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time) || textOf(time) !== text)
    refuseField(field, { fr: "n’est pas une date comme 2026-11-22", en: "is not a date such as 2026-11-22" });
  return time;
}

function textOf(time: number): string {
  return new Date(time).toISOString().slice(0, "2026-11-22".length);
}

/** Returns the days of a range, oldest first. */
export function daysOf({ from, to }: DayRange): string[] {
  const days: string[] = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += DAY_MS) days.push(textOf(time));
  return days;
}

type Named = { operatorId: string | null; operator: string | null };

async function sumDays(
  db: Statements,
  rows: readonly DayCounts[],
  range: DayRange,
  isWanted: (row: Named) => boolean,
): Promise<StatisticsDayOfAll[]> {
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.operatorId),
  );
  const byDay = Map.groupBy(rows, (row) => row.day);
  return daysOf(range).map((day) => {
    const found = (byDay.get(day) ?? []).map(({ operatorId, ...row }) => ({
      ...row,
      operatorId: operatorId || null,
      operator: nameOf(operatorId),
    }));
    return sumDay(day, found.filter(isWanted));
  });
}

function sumDay(day: string, rows: readonly (Named & Omit<DayCounts, "operatorId">)[]): StatisticsDayOfAll {
  const sum = (member: Exclude<keyof DayCounts, "day" | "operatorId">) =>
    rows.reduce((total, row) => total + row[member], 0);
  return {
    day,
    sent: sum("sent"),
    delivered: sum("delivered"),
    undelivered: sum("undelivered"),
    failed: sum("failed"),
    expired: sum("expired"),
    canceled: sum("canceled"),
    credits: sum("credits"),
    byOperator: rows.map(({ operatorId, operator, sent, delivered, undelivered, failed }) => ({
      ...{ operatorId, operator, sent, delivered, undelivered, failed },
    })),
  };
}

/** Returns the names of operators, or the id of a deleted one. Null: no operator. */
export async function namesOf(
  db: Statements,
  ids: readonly (string | null)[],
): Promise<(id: string | null) => string | null> {
  const names = await db.run(sql.listNames, [[...new Set(ids)]]);
  const known = new Map(names.map(({ id, name }) => [id, name]));
  return (id) => (id ? (known.get(id) ?? id) : null);
}
