// The import job: rows become contacts in chunks, each one transaction that also stores the position in the file.
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { quotasOf } from "../../identity/accounts/quotas.ts";
import type { Access } from "../../platform/database/database.ts";
import { reportFailure } from "../../platform/database/outages.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { Refusal } from "../../platform/http/refusals.ts";
import { nextSlice } from "../../platform/limits/slices.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { importContacts } from "../contacts/contacts.ts";
import type { GivenContact } from "../contacts/given.ts";
import { addToGroup } from "../groups/groups.ts";
import type { Row } from "./delimited.ts";
import { type Failure, Unreadable } from "./failures.ts";
import { PartGone, StoredFile } from "./files.ts";
import { digestErased } from "./keeping.ts";
import { type Format, readRows } from "./preview.ts";
import { type Reject, type RowReading, readRow } from "./rows.ts";
import * as sql from "./sql.ts";
import { PhoneSet } from "./tables.ts";
import { insertMade } from "./undo.sql.ts";

/** An import without a report for this long is taken over by another process. */
const LEASE_MS = 60_000;
/** An import on which this many processes in a row made no progress fails. */
const TRIES_AT_MOST = 5;
const ROWS_AT_ONCE = 2_000;
/** The number of rows after which a process that took over renews the lease while it skips to the stored position. */
const SKIPPED_AT_ONCE = 100_000;
/** The maximum number of rejected rows stored per import: enough to correct a list by hand. */
const REJECTS_KEPT = 10_000;
/** The maximum number of stored notes about rows imported in part. */
const NOTES_KEPT = 1_000;
const ROWS_AT_MOST = 1_048_576;

/** The process is stopping; another one continues. */
class Stopped extends Error {
  override name = "Stopped";
}

/** Another process has the import, it was canceled, or its company is suspended. */
class Lost extends Error {
  override name = "Lost";
}

/**
 * Runs the imports of at most this many bytes, one after the other. A job runs it; small files have their own job, so
 * that none waits behind a million rows. Several processes may run this at the same time.
 */
export async function runImports(
  app: Runtime,
  signal: AbortSignal,
  bytesAtMost = app.config.limits.importBytes,
): Promise<void> {
  while (!signal.aborted) {
    const [taken] = await app.database.run(sql.takeImport, [LEASE_MS, bytesAtMost]);
    if (!taken) return;
    await runOne(app, taken, signal);
  }
}

async function runOne(app: Runtime, taken: sql.TakenImport, signal: AbortSignal): Promise<void> {
  const { id, attempt } = taken;
  try {
    if (taken.tries > TRIES_AT_MOST) throw new Unreadable("given-up");
    await new Importer(app, taken, signal).run();
  } catch (error) {
    if (error instanceof Stopped) await app.database.run(sql.releaseImport, [id, attempt]);
    else if (!(error instanceof Lost || error instanceof PartGone)) {
      const failure = failureIn(error);
      if (failure) await finish(app, taken, "FAILED", failure);
      else reportFailure(app, error, "an import stopped, and goes on later", { level: "error", import: id });
    }
  }
}

/** Returns the failure that ends an import, if the error is a limit of the company or the file itself. */
function failureIn(error: unknown): Failure | undefined {
  if (error instanceof Unreadable) return error.failure;
  if (!(error instanceof Refusal)) return undefined;
  if (error.code === "too-many-contacts") return "contacts-full";
  // The only `invalid-request` possible here is a contact with too many custom fields.
  if (error.code === "invalid-request") return "fields-full";
  if (error.code === "conflict") return "groups-full";
  return error.code === "group-not-found" ? "group-gone" : undefined;
}

/** Ends an import, and deletes its file. */
async function finish(
  app: Runtime,
  { id, companyId, attempt }: sql.TakenImport,
  status: "DONE" | "FAILED",
  failure: Failure | null,
): Promise<void> {
  await app.database.of(companyId).transaction(async (tx) => {
    const [ended] = await tx.run(sql.finishImport, { id, attempt, status, failure });
    if (!ended) return;
    await tx.run(sql.deleteParts, [[id]]);
    await tx.run(sql.deleteErasures, [[id]]);
  });
}

/** Rows of a chunk, in order. */
type Chunk = {
  contacts: GivenContact[];
  rejects: Reject[];
  /** What was left out of imported rows. */
  notes: Reject[];
  repeated: number;
  last: number;
};

class Importer {
  readonly #app: Runtime;
  readonly #taken: sql.TakenImport;
  readonly #signal: AbortSignal;
  readonly #company: Access;
  readonly #caller: CompanyCaller;
  /** The phones of the file so far, including rows that another process has imported. */
  readonly #phones = new PhoneSet();
  #chunk: Chunk = newChunk();
  #rejected: number;
  #noted: number;
  #skipped = 0;

  constructor(app: Runtime, taken: sql.TakenImport, signal: AbortSignal) {
    this.#app = app;
    this.#taken = taken;
    this.#signal = signal;
    this.#company = app.database.of(taken.companyId);
    this.#rejected = taken.rejected;
    this.#noted = taken.noted;
    this.#caller = {
      ...{ userId: taken.userId, companyId: taken.companyId, country: taken.country },
      ...{ language: taken.language, quotas: quotasOf(app.config, taken.quotas) },
      // Contacts and groups do not use these.
      ...{ senderLimit: 0, isPartner: false },
    };
  }

  async run(): Promise<void> {
    const { id, bytes, kind, encoding, delimiter, reached } = this.#taken;
    const { columns, country, converts, hasHeader, nameOrder, startRow } = this.#taken;
    const pause = async () => {
      if (this.#signal.aborted) throw new Stopped();
      await nextSlice(this.#app, "foreground");
    };
    const file = new StoredFile(this.#app, this.#company, { id, bytes });
    const { rows, share } = await readRows(file, { kind, encoding, delimiter } as Format, pause);
    const reading: RowReading = { columns, country, converts, nameOrder };
    let isFirst = hasHeader;
    for await (const some of rows)
      for (const row of some) {
        if (row.number > ROWS_AT_MOST) throw new Unreadable("too-many-rows");
        if (row.number < startRow) continue;
        if (isFirst && row.cells.some((cell) => cell.trim() !== "")) {
          isFirst = false;
          continue;
        }
        this.#take(row, reading, reached);
        const { contacts, rejects } = this.#chunk;
        if (contacts.length + rejects.length >= ROWS_AT_ONCE || this.#skipped >= SKIPPED_AT_ONCE)
          await this.#write(share());
      }
    await this.#write(share());
    await finish(this.#app, this.#taken, "DONE", null);
  }

  #take(row: Row, reading: RowReading, reached: number): void {
    const read = readRow(row, reading);
    if (read === null) return;
    const isRepeated = read.contact !== null && !this.#phones.add(read.contact.phone);
    if (row.number <= reached) {
      this.#skipped++;
      return;
    }
    this.#chunk.last = row.number;
    if (read.contact === null) this.#chunk.rejects.push(read.reject);
    else {
      this.#chunk.contacts.push(read.contact);
      if (read.leftOut) this.#chunk.notes.push(read.leftOut);
      if (isRepeated) this.#chunk.repeated++;
    }
  }

  /** Writes a chunk and the position after it in one transaction. Throws `Lost`. */
  async #write(share: number): Promise<void> {
    const chunk = this.#chunk;
    const { id, attempt, reached } = this.#taken;
    const percent = Math.min(99, Math.floor(share * 100));
    const rejects = chunk.rejects.slice(0, Math.max(0, REJECTS_KEPT - this.#rejected));
    await this.#company.transaction(async (tx) => {
      const { count, created, erased } = await this.#writeContacts(tx, chunk.contacts);
      // Erased people are left out of the counts too.
      const isErased = chunk.contacts.length - count;
      const rows = count + chunk.rejects.length;
      const updated = Math.max(0, count - Math.max(0, chunk.repeated - isErased) - created);
      const notes = chunk.notes.filter((note) => !this.#isErased(erased, note.phone));
      await this.#writeRejects(tx, rejects, false);
      await this.#writeRejects(tx, notes.slice(0, Math.max(0, NOTES_KEPT - this.#noted)), true);
      const [mine] = await tx.run(sql.noteChunk, {
        id,
        attempt,
        leaseMs: LEASE_MS,
        reached: Math.max(chunk.last, reached),
        percent,
        rows,
        created,
        updated,
        repeated: count - created - updated,
        rejected: chunk.rejects.length,
        noted: notes.length,
      });
      if (!mine) throw new Lost();
    });
    this.#rejected += chunk.rejects.length;
    this.#noted += chunk.notes.length;
    this.#chunk = newChunk(chunk.last);
    this.#skipped = 0;
  }

  async #writeContacts(tx: Tx, given: readonly GivenContact[]): Promise<Written> {
    if (given.length === 0) return { count: 0, created: 0, erased: new Set() };
    const { id, groupId } = this.#taken;
    const erased = new Set((await tx.run(sql.listErased, [id])).map((row) => row.digest));
    const contacts = given.filter(({ phone }) => !this.#isErased(erased, phone));
    const { ids, created, changed } = await importContacts(tx, this.#caller, contacts);
    const { companyId } = this.#caller;
    if (created.length + changed.length > 0)
      await tx.run(insertMade, { importId: id, companyId, created, changed });
    if (groupId !== null) await addToGroup(tx, this.#caller, groupId, { contactIds: ids });
    return { count: contacts.length, created: created.length, erased };
  }

  #isErased(erased: ReadonlySet<string>, phone: string | null): boolean {
    if (erased.size === 0 || phone === null) return false;
    return erased.has(digestErased(this.#app, this.#taken.companyId, phone));
  }

  /** Writes rows that are not imported, or notes about imported rows. */
  async #writeRejects(tx: Tx, rejects: readonly Reject[], isImported: boolean): Promise<void> {
    if (rejects.length === 0) return;
    const { id, companyId } = this.#taken;
    await tx.run(sql.insertRejects, {
      importId: id,
      companyId,
      // PostgreSQL has no arrays of arrays of different lengths, so each row is sent as text.
      rejects: rejects.map((reject) => ({ ...reject, cells: reject.cells && JSON.stringify(reject.cells) })),
      isImported,
    });
  }
}

/** The results of a chunk: contacts, the number of new ones, and the people erased while the file was pending. */
type Written = { count: number; created: number; erased: ReadonlySet<string> };

function newChunk(last = 0): Chunk {
  return { contacts: [], rejects: [], notes: [], repeated: 0, last };
}
