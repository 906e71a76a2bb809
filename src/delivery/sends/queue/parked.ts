// Parked messages: messages before bulk share batches. Those of a suspended account are moved into batches of that
// account, which no link takes. Bulk batches belong to one account anyway.
import type { Runtime } from "../../../platform/runtime.ts";
import { announceSends } from "./announce.ts";
import * as sql from "./parked.sql.ts";

const RELEASED_AT_ONCE = 500;

/**
 * Releases parked messages of accounts that are no longer suspended. A link that does not know this yet parks them
 * again for a moment.
 */
export async function releaseResumed(app: Runtime, signal?: AbortSignal): Promise<void> {
  for (const { account_id: accountId } of await app.database.run(sql.listResumed)) {
    for (let count = RELEASED_AT_ONCE; count === RELEASED_AT_ONCE && !signal?.aborted; ) {
      count = (await app.database.run(sql.releaseBatches, [accountId, RELEASED_AT_ONCE])).length;
      if (count > 0) announceSends(app);
    }
  }
}
