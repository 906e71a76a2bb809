// Imports: a file of contacts is uploaded in parts, previewed, and imported into the phone book by a job.
import { isUtf8 } from "node:buffer";
import { type Static, Type } from "typebox";
import { lockCompany } from "../../identity/accounts/accounts.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { requireQuota } from "../../identity/accounts/quotas.ts";
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict, refuseField } from "../../platform/http/fielderrors.ts";
import { member } from "../../platform/http/meanings.ts";
import { refuse, requireRow } from "../../platform/http/refusals.ts";
import { orNull } from "../../platform/http/responseschemas.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { keepFieldNames, requireFieldNames } from "../contacts/fields.ts";
import { createGroup, readGroup } from "../groups/groups.ts";
import { failureOf, Unreadable } from "./failures.ts";
import { PART_BYTES, partId, StoredFile, sealPart } from "./files.ts";
import { IntoGroup, type PartInput, type UploadInput } from "./inputs.ts";
import { COLUMNS_AT_MOST, type Format, formatOf, makePreview } from "./preview.ts";
import {
  type CharsetChosen,
  ColumnChosen,
  type ContactImport,
  importMeanings,
  NAME_ORDERS,
  ownFieldOf,
  type Received,
  type Upload,
} from "./shapes.ts";
import * as sql from "./sql.ts";
import { refuseState, requireSameRun } from "./states.ts";
import { importOf, previewOf, previewPlace, readImport } from "./views.ts";

/** How to read a file. */
export const RunInput = Type.Object({
  columns: member(
    Type.Array(orNull(ColumnChosen), { minItems: 1, maxItems: COLUMNS_AT_MOST }),
    importMeanings.columns,
  ),
  header: member(Type.Boolean(), importMeanings.header),
  convertOldNumbers: member(Type.Optional(Type.Boolean()), {
    fr: "Convertit les anciens numéros ivoiriens et béninois de 8 chiffres en numéros de 10 chiffres. Par défaut : non",
    en: "Converts old Ivorian and Beninese numbers of 8 digits to numbers of 10 digits. Default: no",
  }),
  nameOrder: member(Type.Optional(Type.Enum([...NAME_ORDERS])), importMeanings.nameOrder),
  ...IntoGroup,
});
export type RunInput = Static<typeof RunInput>;

const DAY_SECONDS = 24 * 3_600;

/**
 * Starts an upload, or resumes the unfinished one with the same fingerprint. Refuses `request-too-large`,
 * `group-not-found`, `conflict` beyond the quota of imports, and `too-many-requests` beyond the daily limit.
 */
export async function beginImport(
  app: Runtime,
  tx: Tx,
  caller: CompanyCaller,
  input: UploadInput,
): Promise<Upload> {
  const { companyId, userId } = caller;
  const most = app.config.limits.importBytes;
  // A caller who does not know the length of the file marks its last part instead.
  const { fileName, bytes = most, fingerprint = null } = input;
  if (bytes > most) refuse("request-too-large", { details: [{ field: "bytes", message: tooLarge(most) }] });
  await requireGroup(tx, caller, input);
  await lockCompany(tx, companyId);
  const [known] = await tx.run(sql.findUpload, { companyId, fingerprint, fileName, bytes });
  if (known) return { importId: known.id, partBytes: PART_BYTES, received: known.received };
  const open = await one(tx, sql.countOpen, [companyId]);
  requireQuota(caller.quotas, "imports", open.count + 1, "fileName");
  const perDay = app.config.limits.importsPerDay;
  const today = await one(tx, sql.countOfDay, [companyId, perDay]);
  if (today.count >= perDay) refuse("too-many-requests", { retryAfterSeconds: DAY_SECONDS });
  const id = newId();
  const { groupId = null, groupName = null } = input;
  const upload = { id, companyId, userId, fileName, bytes, fingerprint, groupId, groupName };
  await tx.run(sql.insertImport, upload);
  return { importId: id, partBytes: PART_BYTES, received: 0 };
}

function tooLarge(most: number) {
  const mib = Math.floor(most / 1024 ** 2);
  return { fr: `dépasse ${mib} Mio`, en: `is larger than ${mib} MiB` };
}

async function requireGroup(tx: Tx, caller: CompanyCaller, { groupId, groupName }: IntoGroup): Promise<void> {
  if (groupId !== undefined && groupName !== undefined)
    refuseField("groupName", {
      fr: "ne peut pas être utilisé avec groupId",
      en: "cannot be used with groupId",
    });
  if (groupId !== undefined) await readGroup(tx, caller, groupId);
}

/**
 * Stores the next part of a file; a part that was already stored changes nothing. The last one creates the preview.
 * Refuses `not-found`, `invalid-request` for a part that is not the next or not full, and `conflict` if another part is
 * stored there or the import has ended.
 */
export async function storePart(
  app: Runtime,
  tx: Tx,
  caller: CompanyCaller,
  id: string,
  { offset, data, last = false }: PartInput,
): Promise<Received> {
  const found = await lockImport(tx, caller, id);
  const { received, status } = found;
  const bytes = bytesOf(data);
  if (offset < received && offset % PART_BYTES === 0) {
    await requireSame(app, tx, found, offset, bytes);
    return { received, status };
  }
  if (status !== "UPLOADING") refuseState(found);
  if (offset !== received)
    refuseField("offset", {
      fr: `doit être ${received}, le nombre d’octets déjà reçus`,
      en: `must be ${received}, the number of bytes received so far`,
    });
  const wanted = Math.min(PART_BYTES, found.bytes - received);
  if (last ? bytes.length > wanted : bytes.length !== wanted)
    refuseField("data", {
      fr: `doit contenir ${wanted} octets, mais en contient ${bytes.length}`,
      en: `must contain ${wanted} bytes, but contains ${bytes.length}`,
    });
  const number = received / PART_BYTES;
  const part = partId(id, number);
  await tx.run(sql.insertPart, { id: part, importId: id, number, sealed: sealPart(app, part, data) });
  const now = received + bytes.length;
  const size = last ? now : found.bytes;
  const text = readText(found, bytes, now === size);
  await tx.run(sql.updateReceived, { id, received: now, ...text, bytes: size });
  if (now < size) return { received: now, status };
  const file = new StoredFile(app, tx, { id, bytes: size });
  return { received: now, status: await lookAt(app, tx, caller, id, file, text.isUtf8) };
}

async function lockImport(tx: Tx, { companyId }: CompanyCaller, id: string): Promise<sql.LockedImport> {
  return requireRow(tx.run(sql.lockImport, [companyId, id]), "not-found");
}

function bytesOf(data: string): Buffer {
  const bytes = Buffer.from(data, "base64");
  if (bytes.toString("base64") !== data)
    refuseField("data", { fr: "n’est pas du base64", en: "is not base64" });
  return bytes;
}

async function requireSame(
  app: Runtime,
  tx: Tx,
  { id, bytes: size, endedAt }: sql.ImportRow,
  offset: number,
  bytes: Buffer,
): Promise<void> {
  // Its file was deleted when it ended.
  if (endedAt) return;
  const stored = await new StoredFile(app, tx, { id, bytes: size }).part(offset / PART_BYTES);
  if (!stored.equals(bytes)) refuseConflict("data", OTHER_FILE);
}

const OTHER_FILE = {
  fr: "diffère des données déjà reçues : ce n’est pas le même fichier",
  en: "differs from the data already received: this is not the same file",
};

/** Continues the check whether a file is UTF-8: a part may end within a character. */
function readText(
  { isUtf8: was, utf8Rest: before }: Pick<sql.LockedImport, "isUtf8" | "utf8Rest">,
  bytes: Buffer,
  isLast: boolean,
): { isUtf8: boolean; rest: Buffer } {
  const all = before.length > 0 ? Buffer.concat([before, bytes]) : bytes;
  const rest = isLast ? 0 : unfinished(all);
  const whole = was && isUtf8(all.subarray(0, all.length - rest));
  return { isUtf8: whole, rest: Buffer.from(whole ? all.subarray(all.length - rest) : []) };
}

const CHARACTER_BYTES = 4;

/** Returns the number of bytes at the end that belong to an incomplete UTF-8 character. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back < CHARACTER_BYTES && back <= bytes.length; back++) {
    const byte = bytes.readUInt8(bytes.length - back);
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}

/**
 * Reads a file again with another encoding, before it is imported. Refuses `not-found`, `conflict` if the import does
 * not await the choice of columns, and `invalid-request` if the file is a workbook or cannot be read in this encoding.
 */
export async function rereadImport(
  app: Runtime,
  tx: Tx,
  caller: CompanyCaller,
  id: string,
  charset: CharsetChosen,
): Promise<ContactImport> {
  const found = await lockImport(tx, caller, id);
  if (found.status !== "READY") refuseState(found);
  const file = new StoredFile(app, tx, found);
  try {
    const format = await formatOf(file, found.isUtf8, charset);
    if (format.kind === "XLSX") refuseField("charset", ONLY_CSV);
    await keepPreview(app, tx, caller, file, format, id);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    refuseField("charset", failureOf(error.failure));
  }
  return readImport(app, tx, caller, id);
}

const ONLY_CSV = {
  fr: "ne peut être indiqué que pour un fichier CSV",
  en: "can be set only for a CSV file",
};

/** Creates the preview of an uploaded file, or ends the import if the file cannot be read. */
async function lookAt(
  app: Runtime,
  tx: Tx,
  caller: CompanyCaller,
  id: string,
  file: StoredFile,
  isText: boolean,
): Promise<Received["status"]> {
  try {
    const format = await formatOf(file, isText);
    await keepPreview(app, tx, caller, file, format, id);
    return "READY";
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    await endImport(tx, id, "FAILED", error.failure);
    return "FAILED";
  }
}

async function keepPreview(
  app: Runtime,
  tx: Tx,
  caller: CompanyCaller,
  file: StoredFile,
  format: Format,
  id: string,
): Promise<void> {
  const preview = await makePreview(app, tx, caller, file, format);
  const sealed = app.secrets.seal(previewPlace(id), JSON.stringify(preview));
  await tx.run(sql.markReady, { ...format, id, sealed });
}

async function endImport(tx: Tx, id: string, status: "FAILED" | "CANCELED", failure: string | null) {
  await tx.run(sql.endImport, [id, status, failure]);
  await tx.run(sql.deleteParts, [[id]]);
  await tx.run(sql.deleteErasures, [[id]]);
}

/** The maximum number of stored column choices per company. */
const MAPPINGS_AT_MOST = 200;

/**
 * Starts the import, and stores the choices for this header. A repeat changes nothing. Refuses `not-found`, `conflict`
 * if the import is not ready or runs with other choices (`requireSameRun`), `invalid-request` unless exactly one column
 * is the phone and no member repeats, and as `createGroup`. An invalid custom field, or more than 20 of them, is
 * `invalid-request`; more than 100 field names of the company are `conflict`.
 */
export async function runImport(
  app: Runtime,
  tx: Tx,
  caller: CompanyCaller,
  id: string,
  input: RunInput,
): Promise<ContactImport> {
  const found = await lockImport(tx, caller, id);
  requireColumns(input);
  const preview = found.status === "READY" ? previewOf(app, found) : null;
  if (!preview) {
    requireSameRun(found, input);
    return importOf(app, caller, found);
  }
  await keepOwnFields(tx, caller, input.columns);
  const into = await intoGroup(tx, caller, input, found);
  const columns = input.columns.map((member) => member ?? "");
  const { companyId } = caller;
  const { headerDigest, startRow = 1 } = preview;
  const { header: hasHeader, convertOldNumbers = false, nameOrder = null } = input;
  await tx.run(sql.upsertMapping, { companyId, headerDigest, columns, hasHeader });
  await tx.run(sql.deleteOldMappings, [companyId, MAPPINGS_AT_MOST]);
  const row = await one(tx, sql.markRunning, {
    id,
    columns,
    hasHeader,
    converts: convertOldNumbers,
    groupId: into.id,
    groupName: into.name,
    startRow,
    madeGroup: into.isNew,
    nameOrder,
  });
  return importOf(app, caller, row);
}

function requireColumns({ columns, nameOrder }: RunInput): void {
  const chosen = columns.filter((member) => member !== null);
  if (!chosen.includes("phone"))
    refuseField("columns", {
      fr: "doit indiquer la colonne du téléphone (phone)",
      en: "must indicate the phone column (phone)",
    });
  const twice = chosen.find((member, at) => chosen.indexOf(member) !== at);
  if (twice !== undefined)
    refuseField("columns", { fr: `contient ${twice} deux fois`, en: `contains ${twice} twice` });
  const isSplit = chosen.includes("name") && !chosen.includes("firstName") && !chosen.includes("lastName");
  if (nameOrder !== undefined && !isSplit)
    refuseField("nameOrder", {
      fr: "exige une colonne name, sans colonne firstName ni lastName",
      en: "requires a column name, without columns firstName and lastName",
    });
}

/** Stores the names of custom fields among the columns in advance, so that no row can be refused for one of them. */
async function keepOwnFields(tx: Tx, caller: CompanyCaller, columns: RunInput["columns"]): Promise<void> {
  const names = columns.flatMap((column) => (column === null ? [] : (ownFieldOf(column) ?? [])));
  requireFieldNames(names, "columns");
  await keepFieldNames(tx, caller.companyId, names, "columns");
}

/** Returns the group of the run, or else that of the upload. Creates a new one. */
async function intoGroup(tx: Tx, caller: CompanyCaller, input: IntoGroup, found: sql.ImportRow) {
  await requireGroup(tx, caller, input);
  const isSaid = input.groupId !== undefined || input.groupName !== undefined;
  const groupId = isSaid ? input.groupId : found.groupId;
  const groupName = isSaid ? input.groupName : found.groupName;
  if (groupId) {
    const { name } = await readGroup(tx, caller, groupId);
    return { id: groupId, name, isNew: false };
  }
  if (!groupName) return { id: null, name: null, isNew: false };
  const { id, name } = await createGroup(tx, caller, { name: groupName });
  return { id, name, isNew: true };
}

/**
 * Cancels an import; contacts already written stay. A repeat changes nothing. Refuses `not-found`, and `conflict` if it
 * has ended.
 */
export async function cancelImport(
  app: Runtime,
  tx: Tx,
  caller: CompanyCaller,
  id: string,
): Promise<ContactImport> {
  const found = await lockImport(tx, caller, id);
  if (found.status === "DONE" || found.status === "FAILED") refuseState(found);
  if (found.status !== "CANCELED") await endImport(tx, id, "CANCELED", null);
  return readImport(app, tx, caller, id);
}
