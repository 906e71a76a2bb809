// Usage: adds up by day how many messages of each kind operators accepted. It costs sending one value per line.
import type { Tx } from "../../../platform/database/transaction.ts";
import * as sql from "./tallies.sql.ts";
import { type CountryOf, dayOf } from "./tallydays.ts";

/** Adds deltas to the usage of their days; part of the tick that adds them up. */
export async function addUsage(
  tx: Tx,
  lines: readonly sql.CounterDelta[],
  countryOf: CountryOf,
): Promise<void> {
  const sums = new Map<string, sql.UsageRow & { accountId: string }>();
  for (const line of lines) {
    const row = usageOf(line, countryOf(line.account_id));
    if (row) addTo(sums, `${line.account_id} ${usageKeyOf(row)}`, { ...row, accountId: line.account_id });
  }
  const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  const days = rows.map(({ operator_id: operatorId, ...row }) => ({ ...row, operatorId }));
  if (days.length > 0) await tx.run(sql.upsertUsage, { days });
}

/** Returns what a delta adds to a day's usage; undefined: nothing. */
export function usageOf(line: sql.CounterDelta, country: string): sql.UsageRow | undefined {
  const { kind, status, quarter, operator_id: operatorId, count, credits } = line;
  if (kind === null || status !== "SENT" || quarter !== null) return undefined;
  return { day: dayOf(line, country), kind, operator_id: operatorId ?? "", sent: count, credits };
}

/** Returns the key of a row within one account. */
export function usageKeyOf({ day, kind, operator_id: operatorId }: sql.UsageRow): string {
  return `${day} ${kind} ${operatorId}`;
}

/** Adds a row to the row with the same key. */
export function addTo<Row extends sql.UsageRow>(sums: Map<string, Row>, key: string, row: Row): void {
  const known = sums.get(key);
  if (!known) sums.set(key, { ...row });
  else {
    known.sent += row.sent;
    known.credits += row.credits;
  }
}
