// Archives: a company's data, as a ZIP of CSV and JSON, written page by page.
import { Zip, ZipDeflate } from "fflate";
import { BYTE_ORDER_MARK, csvLine } from "../../platform/csv.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { contents as archived, type Content } from "./contents.sql.ts";
import type * as sql from "./exports.sql.ts";
import { PartWriter, TooLarge } from "./parts.ts";

const ROWS_AT_ONCE = 1_000;
/** A file in a ZIP archive without extensions is smaller than 4 GiB. */
const FILE_BYTES_AT_MOST = 4_000_000_000;

/** Writes one archive; stops if another process has restarted it. */
export function writeArchive(app: Runtime, taken: sql.Taken, signal: AbortSignal): Promise<void> {
  return new ArchiveWriter(app, taken).writeAll(signal);
}

class ArchiveWriter {
  readonly #app: Runtime;
  readonly #taken: sql.Taken;
  /** The archive's content is read with the company's access. */
  readonly #company: Statements;
  readonly #parts: PartWriter;
  #rows = 0;
  #percent = 0;
  readonly #zip = new Zip((error, chunk) => {
    if (error) throw error;
    this.#parts.push(chunk);
  });

  constructor(app: Runtime, taken: sql.Taken) {
    this.#app = app;
    this.#taken = taken;
    this.#company = app.database.of(taken.company_id);
    this.#parts = new PartWriter(app, taken);
  }

  async writeAll(signal: AbortSignal): Promise<void> {
    const contents: Content[] = Object.values(archived);
    for (const [position, content] of contents.entries()) {
      this.#percent = Math.floor((position * 100) / contents.length);
      for (const form of ["csv", "json"] as const)
        if (!(await this.#writeFile(content, form, signal))) return;
    }
    this.#zip.end();
    await this.#parts.finish(this.#progress(), this.#app.config.settings.exportLifetimeMs);
  }

  /** Returns false if the process stops, or another one has restarted the export. */
  async #writeFile(content: Content, form: "csv" | "json", signal: AbortSignal): Promise<boolean> {
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
        if (signal.aborted || !(await this.#parts.note(this.#progress()))) return false;
        place = rows.length === ROWS_AT_ONCE ? rows.at(-1)!.place : undefined;
      }
    }
    push(form === "csv" ? "" : "\n]\n", true);
    return true;
  }

  #progress() {
    return { percent: this.#percent, rows: this.#rows };
  }
}
