// The words by which contacts are found. Triggers keep them (migration 0112); contacts that are older get them here.
import type { Tx } from "../../platform/database.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./sql.ts";

/** A step locks so many contacts against changes, for 0.1 s. */
const CONTACTS_AT_ONCE = 1_000;

/**
 * Adds the words of the contacts that are older than migration 0112, until all have them or `signal` aborts; work of a tick.
 * A search finds by phone alone those that have no words yet. Safe beside other processes: one of them adds words at a time.
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
