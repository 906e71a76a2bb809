// Steps through the pages of a list: by the cursors of the shown page, which cost the same anywhere in a list, and by number.
import { Refused } from "./apiclient.ts";

/** The page that a URL names: its number, and the cursor of the row that it follows or precedes, if any. */
export type PagePlace = { page: number; after?: string; before?: string };

/** What the API returns about a page. `previousCursor` is null on the first page, and in a list without a way back. */
export type PageCounts = {
  page: number;
  totalPage: number;
  totalCount: number;
  nextCursor?: string | null;
  previousCursor?: string | null;
};

type Listed = PageCounts & { data: readonly unknown[] };
/** A page is read by its number or by one cursor. */
export type PageAt = { page: number } | { after: string } | { before: string };

/**
 * Reads the page of a list that a URL names, and returns it with the number to show. If its cursor is not of this list, or
 * nothing is left there, or the list now fits on one page, the page is read by number: the first one if nothing comes before.
 */
export async function readPage<Answer extends Listed>(
  place: PagePlace,
  read: (at: PageAt) => Promise<Answer>,
): Promise<Answer> {
  const { page, after, before } = place;
  const at = before ? { before } : after ? { after } : undefined;
  const found = at && (await read(at).catch(unlessOfAnotherList));
  if (!found) return read({ page });
  if (found.totalPage <= 1 || (found.data.length === 0 && before)) return read({ page: 1 });
  if (found.data.length === 0) return read({ page: Math.min(page, found.totalPage) });
  return { ...found, page: numberOf(place, found) };
}

function unlessOfAnotherList(error: unknown): undefined {
  const isOurs =
    error instanceof Refused && error.details.some(({ field }) => field === "after" || field === "before");
  if (!isOurs) throw error;
}

/** The number of a page that was read by a cursor: the URL's, unless rows came or went and the list begins or ends here. */
function numberOf({ page, before }: PagePlace, { totalPage, nextCursor, previousCursor }: Listed): number {
  if (before && previousCursor === null) return 1;
  if (!before && nextCursor === null) return totalPage;
  return Math.max(2, Math.min(page, totalPage - 1));
}

/** Returns the places of the pages before and behind a page; undefined if there is none. */
export function stepsFrom({ page, totalPage, nextCursor, previousCursor }: PageCounts): {
  previous: PagePlace | undefined;
  next: PagePlace | undefined;
} {
  const back = Math.min(page - 1, totalPage);
  const previous = previousCursor
    ? { page: Math.max(1, back), before: previousCursor }
    : back >= 1
      ? { page: back }
      : undefined;
  const next = nextCursor
    ? { page: page + 1, after: nextCursor }
    : page < totalPage
      ? { page: page + 1 }
      : undefined;
  return { previous, next };
}

/** Returns the fields of the URL of a page, as texts. */
export function fieldsOf({ page, after, before }: PagePlace): Record<string, string> {
  return { page: String(page), ...(after && { after }), ...(before && { before }) };
}
