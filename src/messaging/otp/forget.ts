// Forgetting: what no limit of one-time passwords looks back to any more goes, in steps.
import { forgetCodes } from "../../delivery/sends/sends.ts";
import type { Tx } from "../../platform/database.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { deleteOldShares, deleteOldStops } from "./shares.sql.ts";
import * as sql from "./sql.ts";

// Deleted in steps, so that no statement is long.
const STEPS_AT_MOST = 100;

/**
 * Takes phone and digest out of codes after 24 hours, and deletes them and what webhooks are told of them after 48; work
 * of a job.
 */
export async function forgetOldOtps(app: Runtime, signal?: AbortSignal): Promise<void> {
  for (let step = 0; step < STEPS_AT_MOST && !signal?.aborted; step++)
    if ((await app.database.run(sql.emptyOldCodes)).length === 0) break;
  for (let step = 0; step < STEPS_AT_MOST && !signal?.aborted; step++)
    if (!(await app.database.transaction(deleteSome))) break;
  await app.database.run(sql.deleteOldCountries);
  await app.database.run(sql.deleteOldRefusals);
  await app.database.run(deleteOldShares);
  await app.database.run(deleteOldStops);
}

/** Deletes the next old codes. False if there are none. */
async function deleteSome(tx: Tx): Promise<boolean> {
  const gone = await tx.run(sql.deleteOldCodes);
  await forgetCodes(
    tx,
    gone.map(({ sendId }) => sendId),
  );
  return gone.length > 0;
}
