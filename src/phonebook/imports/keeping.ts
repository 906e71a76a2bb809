// The deletion of imports: erased people are left out of pending files, abandoned files are deleted, and old imports
// too.
import type { Tx } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./keeping.sql.ts";
import { deleteErasures, deleteParts, endImport } from "./sql.ts";
import { deleteOldMade, deleteSomeMade } from "./undo.sql.ts";
import { UNDO_MS } from "./views.ts";

/** Returns the keyed hash by which a pending file excludes an erased person. */
export function digestErased(app: Runtime, companyId: string, phone: string): string {
  return app.secrets.digest("import-erased", `${companyId} ${phone}`);
}

/** Deletes the rejected rows of a person, and excludes the person's rows of pending files from the import. */
export async function eraseInImports(
  app: Runtime,
  tx: Tx,
  companyIds: readonly string[],
  phone: string,
): Promise<void> {
  await tx.run(sql.deleteRejectsOf, [companyIds, phone]);
  for (const { id, company_id } of await tx.run(sql.listOpen, [companyIds]))
    await tx.run(sql.insertErased, [id, digestErased(app, company_id, phone)]);
}

const AT_ONCE = 100;
const REJECTS_AT_ONCE = 5_000;
const MADE_AT_ONCE = 10_000;

/** Deletes some of a closed company's imports; returns whether there were any. */
export async function emptyImports(tx: Tx, companyId: string): Promise<boolean> {
  const ids = (await tx.run(sql.listSomeImports, [companyId, AT_ONCE])).map((row) => row.id);
  if (ids.length > 0) await deleteSome(tx, ids);
  else await tx.run(sql.deleteMappings, [companyId]);
  return ids.length > 0;
}

/** Deletes the imports whose rows fit in one transaction, and some rows of the others. */
async function deleteSome(tx: Tx, ids: readonly string[]): Promise<void> {
  const made = await tx.run(deleteSomeMade, [ids, MADE_AT_ONCE]);
  if (made.length === MADE_AT_ONCE) return;
  const gone: string[] = [];
  for (const id of ids) {
    const rejects = await tx.run(sql.deleteSomeRejects, [id, REJECTS_AT_ONCE]);
    if (rejects.length === REJECTS_AT_ONCE) break;
    gone.push(id);
  }
  if (gone.length === 0) return;
  await tx.run(deleteParts, [gone]);
  await tx.run(deleteErasures, [gone]);
  await tx.run(sql.deleteImports, [gone]);
}

const STEPS_AT_MOST = 1_000;

/** Cancels abandoned imports and deletes their files, and deletes old imports. A job runs it. */
export async function forgetImports(app: Runtime, signal: AbortSignal): Promise<void> {
  const { importWaitMs, importLifetimeMs } = app.config.settings;
  const { database } = app;
  const cancel = async (tx: Tx) => {
    const ids = (await tx.run(sql.lockForgotten, [importWaitMs, AT_ONCE])).map((row) => row.id);
    for (const id of ids) await tx.run(endImport, [id, "CANCELED", null]);
    await tx.run(deleteParts, [ids]);
    await tx.run(deleteErasures, [ids]);
    return ids.length;
  };
  const forget = async (tx: Tx) => {
    const ids = (await tx.run(sql.listOld, [importLifetimeMs, AT_ONCE])).map((row) => row.id);
    await deleteSome(tx, ids);
    return ids.length;
  };
  const forgetMade = async (tx: Tx) => (await tx.run(deleteOldMade, [UNDO_MS, MADE_AT_ONCE])).length;
  for (const work of [cancel, forget, forgetMade])
    for (let step = 0; step < STEPS_AT_MOST && !signal.aborted; step++)
      if ((await database.transaction(work)) === 0) break;
}
