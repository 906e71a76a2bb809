// Pieces of schemas that several folders share. Lengths are limits of product.md, section 5.
import { type Static, Type } from "typebox";

/** An identifier that the caller sends. Any text: an id of another form is simply not found. */
export const Id = Type.String({ minLength: 1, maxLength: 200 });
export const Name = Type.String({ minLength: 1, maxLength: 200 });
export const Reason = Type.String({ maxLength: 500 });
/** Any text of up to 200 characters: one that is no phone is `invalid-phone-number`, or blocked, but not its neighbours. */
export const Phone = Type.String({ maxLength: 200 });

/** Contacts or ids in one request, at most. */
export const ITEMS_AT_MOST = 10_000;

const PAGE_AT_MOST = 1_000_000;

/** Members of every list's body: `Type.Object({ ...pageFields, orderBy: … })`. Defaults are filled in. */
export const pageFields = {
  page: Type.Integer({ minimum: 1, maximum: PAGE_AT_MOST, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
  sort: Type.Optional(Type.Enum(["asc", "desc"])),
};
export const PageBody = Type.Object(pageFields);
export type Page = Static<typeof PageBody>;

/** One page of a list, and how many rows there are on all pages. */
export type Listed<Row> = { rows: Row[]; totalCount: number };

/** Rows to skip for a page. */
export function offsetOf(page: { page: number; limit: number }): number {
  return (page.page - 1) * page.limit;
}
