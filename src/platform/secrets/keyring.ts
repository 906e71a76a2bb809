// The keyring: keys that outlive a master key, and sealing everything again when that changes.
import { BadConfiguration } from "../config.ts";
import type { Statements } from "../database/query.ts";
import * as sql from "../database/sql.ts";
import { perRuntime, type Runtime } from "../runtime.ts";
import type { SealedColumn } from "./sealed.ts";
import { readSecretsFile, type SealedPlace, type Secrets } from "./secrets.ts";

const DIGEST = "digest";
const DIGEST_PLACE: SealedPlace = { table: "keyring", column: "sealed", row: DIGEST };

/** The sealed columns of the platform's own tables. */
export const sealedByKernel: readonly SealedColumn[] = [sql.sealedKeys, sql.sealedAnswers];

/**
 * Reads the key of all digests from the database. The first start stores there the one that was derived from the master
 * key until then, so that its digests stay valid. Throws `BadConfiguration` if no master key opens it.
 */
export async function openKeyring({ database, secrets }: Runtime): Promise<void> {
  const first = secrets.seal(DIGEST_PLACE, secrets.digestKey);
  await database.run(sql.insertKey, [DIGEST, first]);
  secrets.digestKey = (await readDigestKey(database, secrets))!;
}

/** Returns the key of all digests, if there is one. Throws `BadConfiguration` if no master key opens it. */
export async function readDigestKey(db: Statements, secrets: Secrets): Promise<string | undefined> {
  const [kept] = await db.run(sql.findKey, [DIGEST]);
  try {
    return kept && secrets.unseal(DIGEST_PLACE, kept.sealed);
  } catch (error) {
    throw new BadConfiguration(
      `MASTER_KEY is not the key of this database: the keyring cannot be decrypted, ${(error as Error).message}`,
    );
  }
}

/** Values that are sealed again in one transaction. */
const STEP = 500;
// A transaction that began before the rotation may commit after the first pass, so another follows soon. Later passes
// are rare, because each reads whole tables.
const PASS_SOON_MS = 60_000;
const PASS_RARELY_MS = 600_000;

const passes = perRuntime(() => ({ nextAt: Number.NEGATIVE_INFINITY }));

/**
 * One step of a rotation. Reads `secrets.json` again if the keys are there. While an old master key is known, seals its
 * values again with the current one, in batches. It may stop anywhere and be repeated, also while other processes run
 * it. A tick runs it.
 */
export async function resealAll(
  app: Runtime,
  columns: readonly SealedColumn[],
  signal: AbortSignal,
): Promise<void> {
  followFile(app);
  const pass = passes(app);
  if (app.secrets.oldKeyId === undefined || performance.now() < pass.nextAt) return;
  let count = 0;
  for (const column of columns) count += await resealColumn(app, column, signal);
  if (signal.aborted) return;
  pass.nextAt = performance.now() + (count > 0 ? PASS_SOON_MS : PASS_RARELY_MS);
  if (count > 0) app.log.info({ count }, "values of the old master key were sealed with the new one");
}

/** Loads the new key from a file that `npm run keys -- rotate` has written. */
function followFile(app: Runtime): void {
  if (app.config.keys) return;
  const before = app.secrets.oldKeyId;
  try {
    app.secrets.rotate(readSecretsFile(app.config.dataDir));
  } catch (error) {
    app.log.error(
      { reason: (error as Error).message },
      "the keys cannot be read again; those of the start stay",
    );
  }
  if (app.secrets.oldKeyId !== before) passes(app).nextAt = Number.NEGATIVE_INFINITY;
}

/** Seals the old values of one column again. Returns their number. */
async function resealColumn(app: Runtime, column: SealedColumn, signal: AbortSignal): Promise<number> {
  let count = 0;
  let after = "";
  while (!signal.aborted) {
    const rows = await app.database.run(column.list, [after, STEP]);
    const old = rows.filter(({ sealed }) => sealed.startsWith(`1.${app.secrets.oldKeyId}.`));
    const fresh = old.flatMap((row) => resealed(app, column, row) ?? []);
    if (fresh.length > 0) await app.database.transaction((tx) => tx.run(column.update, { fresh }));
    count += fresh.length;
    if (rows.length < STEP) break;
    after = rows.at(-1)!.id;
  }
  return count;
}

/** Returns the value sealed with the current key. Undefined if it does not open, so that the others continue. */
function resealed(
  app: Runtime,
  { table, column }: SealedColumn,
  { id, sealed: old }: { id: string; sealed: string },
): { id: string; old: string; sealed: string } | undefined {
  const place: SealedPlace = { table, column, row: id };
  try {
    return { id, old, sealed: app.secrets.seal(place, app.secrets.unseal(place, old)) };
  } catch (error) {
    app.log.error(
      { table, column, row: id, reason: (error as Error).message },
      "a sealed value does not open",
    );
    return undefined;
  }
}
