// Retention: deletes one-time passwords that no limit counts any longer, in steps.
import { forgetCodes } from "../../delivery/sends/settlement/erase.ts";
import { deleteInSteps, inSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { deleteOldShares, deleteOldStops } from "./shares.sql.ts";
import * as sql from "./sql.ts";

const STEPS = { atOnce: 10_000, most: 100 };

/**
 * Removes phone and digest from codes after 24 hours, and deletes them and their webhook subscriptions after 48. A job
 * runs it.
 */
export async function forgetOldOtps(app: Runtime, signal?: AbortSignal): Promise<void> {
  await deleteInSteps(app, sql.emptyOldCodes, [], STEPS, signal);
  await inSteps(signal, () => app.database.transaction(deleteSome), STEPS.most);
  await app.database.run(sql.deleteOldCountries);
  await app.database.run(sql.deleteOldRefusals);
  await app.database.run(deleteOldShares);
  await app.database.run(deleteOldStops);
}

/** Deletes the next old codes. Returns false if there are none. */
async function deleteSome(tx: Tx): Promise<boolean> {
  const gone = await tx.run(sql.deleteOldCodes);
  await forgetCodes(
    tx,
    gone.map(({ sendId }) => sendId),
  );
  return gone.length > 0;
}
