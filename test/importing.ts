// Imports in tests: a file is uploaded, run and waited for.
import { PART_BYTES } from "../src/phonebook/imports/files.ts";
import { runImports } from "../src/phonebook/imports/work.ts";
import type { Runtime } from "../src/platform/runtime.ts";
import { dataOf } from "./applications.ts";
import { rows } from "./sending.ts";
import { type Company, until } from "./testservice.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Shown = any;

/** Begins an import of these bytes and sends all parts; returns its id. */
export async function uploadFile(company: Company, bytes: Buffer, more: object = {}): Promise<string> {
  const file = { fileName: "clients", bytes: bytes.length, ...more };
  const { importId } = await dataOf(company.call("/v1/contact/import/begin", file));
  for (let offset = 0; offset < bytes.length; offset += PART_BYTES)
    await sendPart(company, importId, bytes, offset);
  return importId;
}

/** Sends the part of a file that begins at a byte. */
export function sendPart(company: Company, id: string, bytes: Buffer, offset: number) {
  const data = bytes.subarray(offset, offset + PART_BYTES).toString("base64");
  return dataOf(company.call(`/v1/contact/import/${id}/part`, { offset, data }));
}

/** An import as it is. */
export function shownImport(company: Company, id: string): Promise<Shown> {
  return dataOf(company.call(`/v1/contact/import/${id}`));
}

/** Runs an import as its preview proposes, at once and not at the next turn of a tick, and waits for its end. */
export async function importFile(
  app: Runtime,
  company: Company,
  bytes: Buffer,
  more: object = {},
): Promise<Shown> {
  const id = await uploadFile(company, bytes);
  const { preview } = await shownImport(company, id);
  const { columns, header } = preview;
  await dataOf(company.call(`/v1/contact/import/${id}/run`, { columns, header, ...more }));
  return endedImport(app, company, id);
}

/** Waits until an import has ended. */
export async function endedImport(app: Runtime, company: Company, id: string): Promise<Shown> {
  await runImports(app, new AbortController().signal);
  return until(async () => {
    const shown = await shownImport(company, id);
    return shown.endedAt && shown;
  });
}

/** An import that has ended and counts a contact that it created, which is gone; returns its id. */
export async function endedWithContacts(app: Runtime, made: Company): Promise<string> {
  const { importId } = await dataOf(made.call("/v1/contact/import/begin", { fileName: "c.csv", bytes: 4 }));
  const end = "UPDATE imports SET status = 'DONE', created = 1, ended_at = now() WHERE id = $1";
  await rows(app, end, [importId]);
  return importId;
}

/** The deletion of the contacts of a group that has none; returns its id. */
export async function emptiedGroup(made: Company): Promise<string> {
  const { id: groupId } = await dataOf(made.call("/v1/group/create", { name: "Vide" }));
  const { id } = await dataOf(made.call("/v1/contact/delete-many", { groupId }));
  await dataOf(made.call(`/v1/group/${groupId}/delete`));
  return id;
}
