// Statements: the changes of a pool's available credits, newest first, with the balance after each.
import { one, type Statements } from "../../platform/database/query.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { type Listed, offsetOf, type Page, type RowKey } from "../../platform/http/paging.ts";
import type { Movement } from "./shapes.ts";
import * as sql from "./sql.ts";

// A page costs more the further back it is: the first takes 25 ms, of which counting 100,000 rows takes 20, the last
// 330 ms (pool of 2 million holds, 2 cores under load, 2026-11-21).
const MOVEMENTS_AT_MOST = 100_000;

/**
 * Returns one page of a pool's statement, all of one instant; newest first only, since balances are calculated back
 * from the present one. Only the newest 100,000 movements can be read and are counted, so that the cost does not grow
 * with the history. Refuses `invalid-request` for a page beyond them.
 */
export async function readStatement(db: Statements, poolId: string, page: Page): Promise<Listed<Movement>> {
  const offset = page.after ? await findPlace(db, poolId, page.after) : offsetOf(page);
  const last = offset + page.limit;
  if (last > MOVEMENTS_AT_MOST)
    refuseField("page", {
      fr: `seules les ${MOVEMENTS_AT_MOST} dernières écritures peuvent être lues`,
      en: `only the latest ${MOVEMENTS_AT_MOST} entries can be read`,
    });
  const [rows, { count: totalCount }] = await Promise.all([
    db.run(sql.listMovements, { poolId, last, offset, limit: page.limit }),
    one(db, sql.countMovements, [poolId, MOVEMENTS_AT_MOST]),
  ]);
  const hasMore = last < Math.min(totalCount, MOVEMENTS_AT_MOST);
  return {
    rows: rows.map(movementOf),
    totalCount,
    next: hasMore ? (rows.at(-1)?.row_key ?? null) : null,
  };
}

/** Returns the number of movements up to the last one of the previous page: new movements come before it. */
async function findPlace(db: Statements, poolId: string, [at = "", key = ""]: RowKey): Promise<number> {
  const counted = await one(db, sql.countMovementsUntil, { poolId, at, key, atMost: MOVEMENTS_AT_MOST });
  return counted.count;
}

function movementOf({ row_key: _, key, ...movement }: sql.MovementRow): Movement {
  return { id: idOf({ ...movement, key }), ...movement };
}

/** The operation key of a release contains its settlement and its pool. */
function idOf({ kind, key }: Pick<sql.MovementRow, "kind" | "key">): string {
  return kind === "release" ? (key.split(":")[1] ?? key) : key;
}
