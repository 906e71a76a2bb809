// Exports: archives of companies' data, and sheets of sends, written in the background and fetched by links.
import type { KeyHolder } from "../../identity/accounts/callers.ts";
import { one } from "../../platform/database/query.ts";
import { deleteInSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuse } from "../../platform/http/refusals.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { sameDigest } from "../../platform/secrets/secrets.ts";
import { writeArchive } from "./archives.ts";
import * as sql from "./exports.sql.ts";
import { digestToken, LEASE_MS, progressOf, proofOf, readParts, TooLarge } from "./parts.ts";
import type { Export } from "./shapes.ts";
import { listReaders, writeSheet } from "./sheets.ts";

function exportOf(app: Runtime, reader: KeyHolder, row: sql.ExportRow): Export {
  return { id: row.id, ...progressOf(app, reader, row) };
}

const DAY_SECONDS = 24 * 3_600;

/**
 * Begins an archive of the data of the caller's company. While one is being written, a repeat returns that one. Refuses
 * `too-many-requests` beyond the daily archives.
 */
export async function beginExport(app: Runtime, tx: Tx, caller: KeyHolder): Promise<Export> {
  const { companyId } = caller;
  const [running] = await tx.run(sql.findRunning, [companyId]);
  if (running) return exportOf(app, caller, running);
  const today = await one(tx, sql.countOfDay, [companyId]);
  if (today.count >= app.config.limits.exportsPerDay)
    refuse("too-many-requests", { retryAfterSeconds: DAY_SECONDS });
  const [made] = await tx.run(sql.insertExport, [newId(), companyId]);
  return exportOf(app, caller, made ?? (await one(tx, sql.findRunning, [companyId])));
}

/** Returns the progress of an export, and its link. Refuses `not-found`. */
export async function readExport(app: Runtime, caller: KeyHolder, id: string): Promise<Export> {
  const { companyId } = caller;
  const [row] = await app.database.of(companyId).run(sql.findExport, [companyId, id]);
  return row ? exportOf(app, caller, row) : refuse("not-found");
}

/** Writes the requested archives, one after the other. Run by a tick. Safe to run in several processes. */
export function writeExports(app: Runtime, signal: AbortSignal): Promise<void> {
  return writeAll(app, "RUNNING", writeArchive, signal);
}

/** Writes the requested sheets, like `writeExports`, so that no archive delays them. */
export function writeSheets(app: Runtime, signal: AbortSignal): Promise<void> {
  return writeAll(app, "WAITING", writeSheet, signal);
}

/** An export that this many processes could not finish kills them, or takes longer than they live. */
const ATTEMPTS_AT_MOST = 5;

async function writeAll(
  app: Runtime,
  status: "RUNNING" | "WAITING",
  write: typeof writeArchive,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const [taken] = await app.database.run(sql.takeExport, [LEASE_MS, status]);
    if (!taken) return;
    try {
      if (taken.attempt > ATTEMPTS_AT_MOST) throw new TooLarge();
      await write(app, taken, signal);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      app.log.warn({ export: taken.id }, "an export is too large, or was begun too often");
      const { id, attempt } = taken;
      const failed = { status: "FAILED", tokenDigest: null, sealedToken: null, lifetimeMs: 0 } as const;
      await app.database.run(sql.finishExport, { id, attempt, ...failed });
    }
  }
}

/** An archive or sheet opened by a link. Its parts are read one by one, each by a statement of its own. */
type Opened = {
  id: string;
  companyId: string;
  isSheet: boolean;
  bytes: number;
  parts: AsyncGenerator<Buffer>;
};

/**
 * Returns the archive or sheet of a link, with its size and its parts; undefined if the token is unknown or has
 * expired, or the key that got the link may no longer request one. A sheet is compressed by gzip.
 */
export async function openArchive(
  app: Runtime,
  { token, proof }: { token: string; proof: string },
): Promise<Opened | undefined> {
  const [archive] = await app.database.run(sql.findArchive, [digestToken(app, token)]);
  if (!archive) return undefined;
  const isSheet = archive.send_id !== null;
  const keys = await (isSheet ? listReaders : listOwners)(app, archive.company_id);
  if (!keys.some((digest) => sameDigest(proof, proofOf(app, archive.id, digest)))) return undefined;
  const { id, company_id: companyId, byte_count: bytes } = archive;
  return { id, companyId, isSheet, bytes, parts: readParts(app, app.database, archive) };
}

async function listOwners(app: Runtime, companyId: string): Promise<string[]> {
  return (await app.database.run(sql.listOwnerKeys, [companyId])).map((key) => key.digest);
}

const STEPS = { atOnce: 100, most: 1_000 };

/** Deletes the parts of archives that nobody can fetch any longer, and old exports. Run by a job. */
export async function forgetExports(app: Runtime, signal: AbortSignal): Promise<void> {
  await deleteInSteps(app, sql.deleteOldParts, [], STEPS, signal);
  await app.database.run(sql.deleteOldExports, [STEPS.atOnce]);
}
