// Aside: messages before bulk share batches. Those of a suspended account are put into batches of that account, which no
// link takes. Bulk has batches of its account anyway.
import type { Runtime } from "../kernel/runtime.ts";
import { announceSends } from "./announce.ts";
import * as sql from "./aside.sql.ts";

const RELEASED_AT_ONCE = 500;

/**
 * Lets go on what was put aside, once its account is suspended no more. A link that has not heard of that yet puts it
 * aside again for a moment.
 */
export async function releaseResumed(app: Runtime, signal?: AbortSignal): Promise<void> {
  for (let count = RELEASED_AT_ONCE; count === RELEASED_AT_ONCE && !signal?.aborted; ) {
    count = await app.database.transaction(async (tx) => {
      const rows = await tx.run(sql.lockResumed, [RELEASED_AT_ONCE]);
      if (rows.length > 0) await tx.run(sql.releaseBatches, [rows.map(({ id }) => id)]);
      return rows.length;
    });
    if (count > 0) announceSends(app);
  }
}
