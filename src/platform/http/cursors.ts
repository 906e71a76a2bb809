// Cursors: an opaque text that names the list and the row after which a page begins.

import type { Runtime } from "../runtime.ts";
import { refuseField } from "./fielderrors.ts";
import type { Page, RowKey } from "./paging.ts";

/** The list of a cursor: its URL, its direction, and the other members that choose it. The account is always that of the caller. */
export type CursorList = { endpoint: string; sort: Page["sort"]; filters: Readonly<Record<string, unknown>> };

/** The row after which a page begins. */
export type Cursor = { key: RowKey };

const DIGEST_CHARACTERS = 16;
export const CURSOR_CHARACTERS_AT_MOST = 4_000;

/** Encodes a cursor. Its digest prevents callers from passing values to the database that no list has returned. */
export function writeCursor(app: Runtime, list: CursorList, { key }: Cursor): string {
  const text = Buffer.from(JSON.stringify(key)).toString("base64url");
  return `${text}.${digestOf(app, list, text)}`;
}

/** Decodes the cursor in a field of the body. Refuses `invalid-request` if it is not of this list in this order. */
export function readCursor(
  app: Runtime,
  list: CursorList,
  cursor: string,
  field: "after" | "before",
): Cursor {
  const [text = "", digest] = cursor.split(".");
  if (digest !== digestOf(app, list, text)) refuseField(field, NOT_OF_THIS_LIST[field]);
  return { key: JSON.parse(Buffer.from(text, "base64url").toString()) as RowKey };
}

function digestOf(app: Runtime, { endpoint, sort, filters }: CursorList, text: string): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== "");
  const list = JSON.stringify([endpoint, sort, text, given.sort(([a], [b]) => (a < b ? -1 : 1))]);
  return app.secrets.digest("cursor", list).slice(0, DIGEST_CHARACTERS);
}

const notACursor = (name: string) => ({
  fr: `n’est pas un ${name} de cette liste avec le même tri et les mêmes filtres`,
  en: `is not a ${name} of this list with the same order and filters`,
});
const NOT_OF_THIS_LIST = { after: notACursor("nextCursor"), before: notACursor("previousCursor") };
