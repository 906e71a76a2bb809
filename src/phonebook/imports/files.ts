// The stored file: its encrypted parts in order, readable from any byte.
import { Readable } from "node:stream";
import { RandomAccessReader } from "yauzl";
import type { Statements } from "../../platform/database/query.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./sql.ts";

/** The size of all parts but the last: even a slow network uploads one within a request's time limit. */
export const PART_BYTES = 262_144;

export function partId(importId: string, number: number): string {
  return `${importId} ${number}`;
}

function placeOf(id: string) {
  return { table: "import_parts", column: "sealed", row: id };
}

/** Encrypts a part for the row with this id. */
export function sealPart(app: Runtime, id: string, base64: string): string {
  return app.secrets.seal(placeOf(id), base64);
}

/** Reads a stored file. It caches the last part, since readers request small pieces. */
export class StoredFile {
  readonly #app: Runtime;
  readonly #db: Statements;
  readonly #id: string;
  readonly size: number;
  /** The error of a part that could not be read, which is not the file's fault. */
  fault: unknown;
  #last: { number: number; bytes: Buffer } | undefined;

  constructor(app: Runtime, db: Statements, { id, bytes }: { id: string; bytes: number }) {
    this.#app = app;
    this.#db = db;
    this.#id = id;
    this.size = bytes;
  }

  async part(number: number): Promise<Buffer> {
    if (this.#last?.number === number) return this.#last.bytes;
    const row = await this.#find(number);
    const bytes = Buffer.from(this.#app.secrets.unseal(placeOf(row.id), row.sealed), "base64");
    this.#last = { number, bytes };
    return bytes;
  }

  async #find(number: number): Promise<{ id: string; sealed: string }> {
    try {
      const [row] = await this.#db.run(sql.findPart, [this.#id, number]);
      if (!row) throw new PartGone();
      return row;
    } catch (error) {
      this.fault = error;
      throw error;
    }
  }

  /** The bytes from `start` to before `end`, at most one part at a time. */
  async *bytes(start = 0, end = this.size): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const number = Math.floor(at / PART_BYTES);
      const inside = at - number * PART_BYTES;
      const piece = (await this.part(number)).subarray(inside, inside + end - at);
      yield piece;
      at += piece.length;
    }
  }
}

/** The import was canceled or deleted meanwhile. */
export class PartGone extends Error {
  override name = "PartGone";
}

/** Adapts a stored file to yauzl. */
export class StoredArchive extends RandomAccessReader {
  readonly #file: StoredFile;

  constructor(file: StoredFile) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#file.bytes(start, end), { objectMode: false });
  }
}
