// The credits of a pool day by day: what it had at the end of each, reckoned back from what it has now.
import type { Statements } from "../../platform/database.ts";
import * as sql from "./sql.ts";

const ENTRIES_AT_MOST = 100_000;
const QUARTER_MS = 900_000;

/**
 * What a pool has and what came to it since a time. `worth` is `available` and what is held for sends that are under way.
 * `given` is what came, less what went otherwise than by sends, in quarters of an hour, the newest first; `since` is from
 * when on it is whole: later than asked where there are more than 100,000 entries.
 */
export type Given = {
  available: number;
  worth: number;
  given: { at: Date; amount: number }[];
  since: Date;
};

/** Reads it in a snapshot, so that all of it is of one instant. */
export async function readGiven(tx: Statements, poolId: string, since: Date): Promise<Given> {
  const [[pool], rows] = await Promise.all([
    tx.run(sql.findWorth, [poolId]),
    tx.run(sql.sumGiven, [poolId, since, ENTRIES_AT_MOST]),
  ]);
  const entries = rows.reduce((sum, row) => sum + row.entries, 0);
  const given = rows.map(({ quarter, amount }) => ({ at: new Date(quarter * QUARTER_MS), amount }));
  // Of the oldest quarter that was reached some may be missing.
  const reached = entries === ENTRIES_AT_MOST ? given.at(-1)!.at.getTime() + QUARTER_MS : 0;
  return {
    available: pool?.available ?? 0,
    worth: pool?.worth ?? 0,
    given,
    since: new Date(Math.max(since.getTime(), reached)),
  };
}
