// The parts of an export, the sealed pieces that an attempt writes, with memory that does not grow with the export; and
// the links to them.

import type { KeyHolder } from "../../identity/accounts/callers.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import * as sql from "./exports.sql.ts";
import type { Progress } from "./shapes.ts";

/** An attempt without progress for this time is restarted by another process. */
export const LEASE_MS = 60_000;
const PART_BYTES = 256 * 1024;

export class TooLarge extends Error {
  override name = "TooLarge";
}

/** Stores the bytes of one attempt. */
export class PartWriter {
  readonly #app: Runtime;
  readonly #taken: sql.Taken;
  #chunks: Uint8Array[] = [];
  #waiting = 0;
  #bytes = 0;
  #count = 0;

  constructor(app: Runtime, taken: sql.Taken) {
    this.#app = app;
    this.#taken = taken;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
  }

  /** Stores full parts, and records the progress. Returns false if another process has restarted the export. */
  async note(progress: { percent: number; rows: number }): Promise<boolean> {
    while (this.#waiting >= PART_BYTES) await this.#storeOne();
    return this.#report(progress);
  }

  /** Stores the rest and finishes the export, which then has a link for `lifetimeMs`. */
  async finish(progress: { percent: number; rows: number }, lifetimeMs: number): Promise<void> {
    while (this.#waiting > 0) await this.#storeOne();
    if (!(await this.#report(progress))) return;
    const { id, attempt } = this.#taken;
    const token = newKey("");
    await this.#app.database.run(sql.finishExport, {
      id,
      attempt,
      status: "DONE",
      tokenDigest: digestToken(this.#app, token),
      sealedToken: this.#app.secrets.seal(tokenPlace(id), token),
      lifetimeMs,
    });
  }

  async #report(progress: { percent: number; rows: number }): Promise<boolean> {
    const { id, attempt } = this.#taken;
    const noted = { id, attempt, leaseMs: LEASE_MS, ...progress, bytes: this.#bytes };
    return (await this.#app.database.run(sql.noteProgress, noted)).length > 0;
  }

  async #storeOne(): Promise<void> {
    const { id: exportId, attempt } = this.#taken;
    const all = Buffer.concat(this.#chunks);
    const part = all.subarray(0, PART_BYTES);
    const rest = all.subarray(PART_BYTES);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#waiting = rest.length;
    this.#bytes += part.length;
    if (this.#bytes > this.#app.config.limits.exportBytes) throw new TooLarge();
    const id = `${exportId} ${attempt} ${this.#count}`;
    const sealed = this.#app.secrets.seal(partPlace(id), part.toString("base64"));
    await this.#app.database.run(sql.insertPart, { id, exportId, attempt, number: this.#count, sealed });
    this.#count++;
  }
}

/** Where the token of a link is stored. */
function tokenPlace(id: string) {
  return { table: "exports", column: "sealed_token", row: id };
}

/** Returns the progress of an export, and the link for this reader, which stops working with the reader's key. */
export function progressOf(app: Runtime, { keyDigest }: KeyHolder, row: sql.ExportRow): Progress {
  const { id, status, percent, rows, bytes, sealedToken, createdAt, expiresAt } = row;
  if (sealedToken === null || expiresAt === null)
    return { status, percent, rows, bytes, url: null, expiresAt: null, createdAt };
  const token = app.secrets.unseal(tokenPlace(id), sealedToken);
  const url = `${app.publicUrl}/exports/${token}.${proofOf(app, id, keyDigest)}`;
  return { status, percent, rows, bytes, url, expiresAt, createdAt };
}

const PROOF_CHARACTERS = 32;

/** Returns the part of a link that identifies the key that requested it. */
export function proofOf(app: Runtime, id: string, keyDigest: string): string {
  return app.secrets.digest("export-link", `${id} ${keyDigest}`).slice(0, PROOF_CHARACTERS);
}

export function digestToken(app: Runtime, token: string): string {
  return app.secrets.digest("export-token", token);
}

function partPlace(id: string) {
  return { table: "export_parts", column: "sealed", row: id };
}

/** Yields the bytes of a finished export, part by part. */
export async function* readParts(
  app: Runtime,
  db: Statements,
  { id, attempt, byte_count: bytes }: { id: string; attempt: number; byte_count: number },
): AsyncGenerator<Buffer> {
  for (let number = 0; number * PART_BYTES < bytes; number++) {
    const [part] = await db.run(sql.findPart, [id, attempt, number]);
    // It has expired meanwhile: the connection is cut, so that the client does not take the rest for the whole.
    if (!part) throw new Error("a part of an export is gone");
    yield Buffer.from(app.secrets.unseal(partPlace(part.id), part.sealed), "base64");
  }
}
