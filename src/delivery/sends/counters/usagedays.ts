// Usage by day: the messages of an account that operators accepted, by kind, with deltas not added up yet.
import type { Runtime } from "../../../platform/runtime.ts";
import * as sql from "./tallies.sql.ts";
import { readDaysIn } from "./tallies.ts";
import { UNADDED_AT_MOST } from "./tallydays.ts";
import { addTo, usageKeyOf, usageOf } from "./usage.ts";

/** Messages of one kind that an operator accepted on a day. `kind` null: the kind is unknown. */
export type UsageOfDay = Omit<sql.UsageRow, "kind" | "operator_id"> & {
  kind: sql.UsageRow["kind"] | null;
  operatorId: string;
};

/**
 * Reads the usage of an account within a range of days in its zone, exact to the last commit, in order. Messages that
 * the days count beyond it are of unknown kind: sent before the upgrade that introduced kinds, or moved out of their
 * batch before they were accepted.
 */
export async function readUsageDays(
  app: Runtime,
  account: { accountId: string; country: string },
  range: { from: string; to: string },
): Promise<UsageOfDay[]> {
  return app.database.snapshot(async (tx) => {
    const days = await readDaysIn(tx, account, range);
    const sums = new Map<string, sql.UsageRow>();
    for (const row of await tx.run(sql.listUsage, [account.accountId, range.from, range.to]))
      addTo(sums, usageKeyOf(row), row);
    for (const line of await tx.run(sql.listTallies, [account.accountId, UNADDED_AT_MOST])) {
      const row = usageOf(line, account.country);
      if (row && row.day >= range.from && row.day <= range.to) addTo(sums, usageKeyOf(row), row);
    }
    const known = [...sums.values()].map(({ operator_id: operatorId, ...row }) => ({ ...row, operatorId }));
    const others = days.map(({ day, operatorId, sent, credits }) => {
      const some = known.filter((row) => row.day === day && row.operatorId === operatorId);
      const sum = (member: "sent" | "credits") => some.reduce((total, row) => total + row[member], 0);
      return { day, kind: null, operatorId, sent: sent - sum("sent"), credits: credits - sum("credits") };
    });
    return [...known, ...others.filter(({ sent }) => sent > 0)].sort((a, b) =>
      orderOf(a) < orderOf(b) ? -1 : 1,
    );
  });
}

function orderOf({ day, kind, operatorId }: UsageOfDay): string {
  return `${day} ${kind ?? "~"} ${operatorId}`;
}
