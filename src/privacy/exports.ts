// Exports: an archive of what a company has, written in the background and fetched by a link.
import { Zip, ZipDeflate } from "fflate";
import type { KeyHolder } from "../accounts/accounts.ts";
import type { Statements, Tx } from "../kernel/database.ts";
import { newId } from "../kernel/ids.ts";
import { refuse } from "../kernel/refusals.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { newKey, sameDigest } from "../kernel/secrets.ts";
import { BYTE_ORDER_MARK, csvLine } from "./csv.ts";
import * as sql from "./exports.sql.ts";
import type { Export } from "./shapes.ts";

function exportOf(app: Runtime, reader: KeyHolder, row: sql.ExportRow): Export {
  const isThere = row.sealed_token !== null && row.expires_at !== null;
  return {
    id: row.id,
    status: row.status,
    percent: row.percent,
    rows: row.row_count,
    bytes: row.byte_count,
    url: isThere ? urlOf(app, reader, row) : null,
    expiresAt: isThere ? row.expires_at : null,
    createdAt: row.created_at,
  };
}

/** The link that this reader gets. It dies with the key by which it was read. */
function urlOf(app: Runtime, { keyDigest }: KeyHolder, { id, sealed_token: sealed }: sql.ExportRow): string {
  const token = app.secrets.unseal(tokenPlace(id), sealed!);
  return `${app.publicUrl}/exports/${token}.${proofOf(app, id, keyDigest)}`;
}

const PROOF_CHARACTERS = 32;

/** What a link says of the key by which it was read. */
function proofOf(app: Runtime, id: string, keyDigest: string): string {
  return app.secrets.digest("export-link", `${id} ${keyDigest}`).slice(0, PROOF_CHARACTERS);
}

function tokenPlace(id: string) {
  return { table: "exports", column: "sealed_token", row: id };
}

const DAY_SECONDS = 24 * 3_600;

/**
 * Begins an archive of what the caller's company has. While one is written, a repeat answers that one. Refuses
 * `too-many-requests` beyond the archives of a day.
 */
export async function beginExport(app: Runtime, tx: Tx, caller: KeyHolder): Promise<Export> {
  const { companyId } = caller;
  const [running] = await tx.run(sql.findRunning, [companyId]);
  if (running) return exportOf(app, caller, running);
  const [today] = await tx.run(sql.countOfDay, [companyId]);
  if (today!.count >= app.config.limits.exportsPerDay)
    refuse("too-many-requests", { retryAfterSeconds: DAY_SECONDS });
  const [made] = await tx.run(sql.insertExport, [newId(), companyId]);
  return exportOf(app, caller, made ?? (await tx.run(sql.findRunning, [companyId]))[0]!);
}

/** How far an export is, and where it can be fetched. Refuses `not-found`. */
export async function readExport(app: Runtime, caller: KeyHolder, id: string): Promise<Export> {
  const { companyId } = caller;
  const [row] = await app.database.of(companyId).run(sql.findExport, [companyId, id]);
  return row ? exportOf(app, caller, row) : refuse("not-found");
}

/** An attempt that reports nothing for so long is begun anew by another process. */
const LEASE_MS = 60_000;

/** Writes the archives that are asked for, one after the other; work of a tick. Safe beside other processes. */
export async function writeExports(app: Runtime, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const [taken] = await app.database.run(sql.takeExport, [LEASE_MS]);
    if (!taken) return;
    try {
      if (taken.attempt > ATTEMPTS_AT_MOST) throw new TooLarge();
      await new Writer(app, taken).writeAll(signal);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      app.log.warn({ export: taken.id }, "an export is too large, or was begun too often");
      await app.database.run(sql.finishExport, [taken.id, taken.attempt, "FAILED", null, null, 0]);
    }
  }
}

/** An archive that so many processes could not finish kills them, or is never written within their lives. */
const ATTEMPTS_AT_MOST = 5;

class TooLarge extends Error {
  override name = "TooLarge";
}

const ROWS_AT_ONCE = 1_000;
const PART_BYTES = 256 * 1024;
/** A file of a ZIP archive without extensions has less than 4 GiB. */
const FILE_BYTES_AT_MOST = 4_000_000_000;

/** Writes one archive, in memory that does not grow with it: each page of rows is compressed and stored at once. */
class Writer {
  readonly #app: Runtime;
  readonly #taken: { id: string; company_id: string; attempt: number };
  /** What goes into the archive is read as the company sees it. */
  readonly #company: Statements;
  #chunks: Uint8Array[] = [];
  #waiting = 0;
  #bytes = 0;
  #rows = 0;
  #parts = 0;
  #percent = 0;
  readonly #zip = new Zip((error, chunk) => {
    if (error) throw error;
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
  });

  constructor(app: Runtime, taken: { id: string; company_id: string; attempt: number }) {
    this.#app = app;
    this.#taken = taken;
    this.#company = app.database.of(taken.company_id);
  }

  /** Writes all files and ends the export; nothing is done if another process has begun it anew. */
  async writeAll(signal: AbortSignal): Promise<void> {
    const { id, attempt } = this.#taken;
    const contents: sql.Content[] = Object.values(sql.contents);
    for (const [position, content] of contents.entries()) {
      this.#percent = Math.floor((position * 100) / contents.length);
      for (const form of ["csv", "json"] as const)
        if (!(await this.#writeFile(content, form, signal))) return;
    }
    this.#zip.end();
    while (this.#waiting > 0) await this.#storePart();
    if (!(await this.#note())) return;
    const token = newKey("");
    await this.#app.database.run(sql.finishExport, [
      ...[id, attempt, "DONE", digestToken(this.#app, token)],
      ...[this.#app.secrets.seal(tokenPlace(id), token), this.#app.config.settings.exportLifetimeMs],
    ]);
  }

  /** False if the process stops, or another one has begun the export anew. */
  async #writeFile(content: sql.Content, form: "csv" | "json", signal: AbortSignal): Promise<boolean> {
    const { members, sources, first } = content;
    const file = new ZipDeflate(`${content.file}.${form}`);
    this.#zip.add(file);
    let size = 0;
    let isFirst = true;
    const push = (text: string, isLast = false) => {
      const bytes = Buffer.from(text);
      size += bytes.length;
      if (size > FILE_BYTES_AT_MOST) throw new TooLarge();
      file.push(bytes, isLast);
    };
    push(form === "csv" ? BYTE_ORDER_MARK + csvLine(members) : "[");
    for (const source of Object.values(sources)) {
      for (let place: string[] | undefined = first; place !== undefined; ) {
        const rows: { row: unknown; place: string[] }[] = await this.#company.run(source, [
          ...[this.#taken.company_id, place, ROWS_AT_ONCE],
        ]);
        for (const { row } of rows) {
          const values = row as Record<string, unknown>;
          if (form === "csv") push(csvLine(members.map((member) => values[member])));
          else push(`${isFirst ? "\n" : ",\n"}${JSON.stringify(values)}`);
          isFirst = false;
        }
        if (form === "csv") this.#rows += rows.length;
        while (this.#waiting >= PART_BYTES) await this.#storePart();
        if (signal.aborted || !(await this.#note())) return false;
        place = rows.length === ROWS_AT_ONCE ? rows.at(-1)!.place : undefined;
      }
    }
    push(form === "csv" ? "" : "\n]\n", true);
    return true;
  }

  async #note(): Promise<boolean> {
    const { id, attempt } = this.#taken;
    const progress = [this.#percent, this.#rows, this.#bytes];
    return (await this.#app.database.run(sql.noteProgress, [id, attempt, LEASE_MS, ...progress])).length > 0;
  }

  /** Stores the next part of what was compressed. */
  async #storePart(): Promise<void> {
    const { id: exportId, attempt } = this.#taken;
    const all = Buffer.concat(this.#chunks);
    const part = all.subarray(0, PART_BYTES);
    const rest = all.subarray(PART_BYTES);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#waiting = rest.length;
    this.#bytes += part.length;
    if (this.#bytes > this.#app.config.limits.exportBytes) throw new TooLarge();
    const id = `${exportId} ${attempt} ${this.#parts}`;
    const sealed = this.#app.secrets.seal(partPlace(id), part.toString("base64"));
    await this.#app.database.run(sql.insertPart, [id, exportId, attempt, this.#parts, sealed]);
    this.#parts++;
  }
}

function partPlace(id: string) {
  return { table: "export_parts", column: "sealed", row: id };
}

function digestToken(app: Runtime, token: string): string {
  return app.secrets.digest("export-token", token);
}

/**
 * The archive that a link opens, with its size and its parts; undefined where the token is unknown or has expired, or the
 * key by which the link was read may ask for no archive any more.
 */
export async function openArchive(
  app: Runtime,
  { token, proof }: { token: string; proof: string },
): Promise<{ id: string; bytes: number; parts: AsyncGenerator<Buffer> } | undefined> {
  const [archive] = await app.database.run(sql.findArchive, [digestToken(app, token)]);
  if (!archive) return undefined;
  const keys = await app.database.run(sql.listOwnerKeys, [archive.company_id]);
  if (!keys.some(({ digest }) => sameDigest(proof, proofOf(app, archive.id, digest)))) return undefined;
  return { id: archive.id, bytes: archive.byte_count, parts: readParts(app, app.database, archive) };
}

async function* readParts(
  app: Runtime,
  db: Statements,
  { id, attempt, byte_count: bytes }: { id: string; attempt: number; byte_count: number },
): AsyncGenerator<Buffer> {
  for (let number = 0; number * PART_BYTES < bytes; number++) {
    const [part] = await db.run(sql.findPart, [id, attempt, number]);
    // It has expired meanwhile: the connection is cut, so that nobody takes the rest for the whole.
    if (!part) throw new Error("a part of an export is gone");
    yield Buffer.from(app.secrets.unseal(partPlace(part.id), part.sealed), "base64");
  }
}

const PARTS_AT_ONCE = 100;
const STEPS_AT_MOST = 1_000;

/** Deletes the parts of archives that nobody can fetch any more, and old exports; work of a job. */
export async function forgetExports(app: Runtime, signal: AbortSignal): Promise<void> {
  for (let step = 0; step < STEPS_AT_MOST && !signal.aborted; step++)
    if ((await app.database.run(sql.deleteOldParts, [PARTS_AT_ONCE])).length === 0) break;
  await app.database.run(sql.deleteOldExports, [PARTS_AT_ONCE]);
}
