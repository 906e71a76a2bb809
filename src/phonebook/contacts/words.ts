// The words by which contacts are found. Triggers maintain them (migration 0112); this job adds them to older contacts.

import type { Tx } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./sql.ts";

/** The number of contacts that one step locks against changes, for 0.1 s. */
const CONTACTS_AT_ONCE = 1_000;

/**
 * Adds the search words of contacts older than migration 0112, until all have them or `signal` aborts. A job runs it.
 * Until then, a search finds them by phone only. Several processes may run this: only one adds words at a time.
 */
export async function addWords(app: Runtime, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await app.database.transaction(addSome)));
}

/** Returns whether there may be more. */
async function addSome(tx: Tx): Promise<boolean> {
  const [mark] = await tx.run(sql.lockWordsMark);
  if (!mark) return false;
  const [last] = await tx.run(sql.insertNextWords, [mark.company_id, mark.contact_id, CONTACTS_AT_ONCE]);
  if (last) await tx.run(sql.updateWordsMark, [last.company_id, last.id]);
  else await tx.run(sql.deleteWordsMark);
  return last !== undefined;
}
