// Pages of lists, as requests ask for them and responses have them.
import { Type } from "typebox";
import { member } from "./meanings.ts";

/** The values that order a row in its list, as texts. */
export type RowKey = readonly (string | null)[];

/** The requested page of a list: its number or the row before it, the most rows on it, and the direction. */
export type Page = { page: number; limit: number; sort: "asc" | "desc"; after?: RowKey | undefined };

/**
 * One page of a list, and the number of rows on all pages. `next` is its last row if more follow. `previous` is its first
 * row if others may come before it and the list can be read backwards from there: after that row in the opposite order.
 */
export type Listed<Row> = {
  rows: Row[];
  totalCount: number;
  next?: RowKey | null;
  previous?: RowKey | null;
};

/** Returns the opposite direction. */
export function oppositeOf(sort: Page["sort"]): Page["sort"] {
  return sort === "asc" ? "desc" : "asc";
}

/** The number of rows before a page. */
export function offsetOf(page: { page: number; limit: number }): number {
  return (page.page - 1) * page.limit;
}

/** The answer of a deletion: the number of deleted rows. */
export const DeletedCount = Type.Object({
  count: member(Type.Integer(), {
    fr: "Nombre d’éléments supprimés",
    en: "Number of items deleted",
    sample: 1,
  }),
});

/** A number of rows. */
export type Counted = { count: number };
