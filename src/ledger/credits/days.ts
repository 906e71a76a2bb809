// The credits of a pool by day: the balance at the end of each day, calculated back from the present balance.
import type { Statements } from "../../platform/database/query.ts";
import * as sql from "./sql.ts";

const ENTRIES_AT_MOST = 100_000;
const QUARTER_MS = 900_000;

/**
 * The credits of a pool now and the credits added since a time. `worth` is `available` plus the holds of sends that are
 * under way. `given` is the sum of what was added and removed other than by sends, by quarter of an hour, newest first.
 * It is complete from `since` on, which is later than requested if there are more than 100,000 entries.
 */
export type Given = {
  available: number;
  worth: number;
  given: { at: Date; amount: number }[];
  since: Date;
};

/** Reads both in a snapshot, so that they are of the same instant. */
export async function readGiven(tx: Statements, poolId: string, since: Date): Promise<Given> {
  const [[pool], rows] = await Promise.all([
    tx.run(sql.findWorth, [poolId]),
    tx.run(sql.sumGiven, [poolId, since, ENTRIES_AT_MOST]),
  ]);
  const entries = rows.reduce((sum, row) => sum + row.entries, 0);
  const given = rows.map(({ quarter, amount }) => ({ at: new Date(quarter * QUARTER_MS), amount }));
  // The oldest quarter of an hour that was read may be incomplete.
  const reached = entries === ENTRIES_AT_MOST ? given.at(-1)!.at.getTime() + QUARTER_MS : 0;
  return {
    available: pool?.available ?? 0,
    worth: pool?.worth ?? 0,
    given,
    since: new Date(Math.max(since.getTime(), reached)),
  };
}
