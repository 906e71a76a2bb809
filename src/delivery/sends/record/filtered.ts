// The messages of a send with one status, read in windows of its numbers, so that the cost of a page is bounded.
import { one, type Statements } from "../../../platform/database/query.ts";
import { requireNear } from "../../../platform/http/lists.ts";
import type { Page } from "../../../platform/http/paging.ts";
import { findWaiting } from "./record.sql.ts";
import { type Numbered, type Reader, readFiltered, readRange } from "./record.ts";
import type { Message } from "./shapes.ts";

/** The filter of a page: messages with a status, after the number `afterNumber` in the order. */
type Filter = Page & { status: Message["status"]; afterNumber: number | undefined };

/**
 * One page. `next` is the `afterNumber` of the following one; null after the last message of the send. `seen` counts
 * the matches found so far.
 */
type Filtered = { rows: Message[]; seen: number; next: number | null };

const WINDOW = 4_000;
const WINDOW_AT_MOST = 64_000;
/** The maximum number of messages that a page examines. The next one continues from there. */
const LOOKED_AT_MOST = 200_000;
/** The limit for packed messages, which are parsed from text. */
const WAITING_AT_MOST = 20_000;
const DEEPEST = 10_000;

/**
 * Reads one page of the messages of a send that have a status; `page` counts from `afterNumber`, 10,000 messages deep
 * at most. It may have fewer rows than requested while `next` is set, since it examines 200,000 messages at most
 * (20,000 queued ones). Refuses `invalid-request` for a deeper page.
 */
export async function readOfStatus(
  db: Statements,
  reader: Reader,
  send: { id: string; total: number },
  { status, afterNumber, page, limit, sort }: Filter,
): Promise<Filtered> {
  requireNear({ page, limit }, DEEPEST, "afterNumber");
  const wanted = page * limit;
  const isWaiting = status === "QUEUED" || status === "SENDING";
  const most = isWaiting ? WAITING_AT_MOST : LOOKED_AT_MOST;
  const found: Numbered[] = [];
  let place: number | null = placeAfter(afterNumber, sort, send.total);
  for (let looked = 0, size = WINDOW; place !== null && looked < most && found.length < wanted; ) {
    const from: number | null = isWaiting ? await nextWaiting(db, reader, send, place, sort) : place;
    if (from === null) return pageOf(found, { page, limit }, null);
    const window = windowOf(from, isWaiting ? WINDOW : size, sort, send.total);
    const rows: Numbered[] = isWaiting
      ? (await readRange(db, reader, send, ...window)).filter(({ message }) => message.status === status)
      : await readFiltered(db, reader, send, window, { status, sort, limit: wanted - found.length });
    found.push(...(isWaiting && sort === "desc" ? rows.reverse() : rows));
    looked += window[1] - window[0] + 1;
    size = Math.min(size * 2, WINDOW_AT_MOST);
    place = sort === "asc" ? placeIn(window[1] + 1, send.total) : placeIn(window[0] - 1, send.total);
  }
  return pageOf(found, { page, limit }, place);
}

/** `place` is where the search would continue; null: it is over. */
function pageOf(
  found: readonly Numbered[],
  { page, limit }: Pick<Page, "page" | "limit">,
  place: number | null,
): Filtered {
  const rows = found.slice((page - 1) * limit, page * limit);
  const isFull = found.length >= page * limit;
  // `afterNumber` excludes its own number.
  const next = isFull ? (rows.at(-1)?.number ?? place) : place;
  return { rows: rows.map(({ message }) => message), seen: found.length, next };
}

function placeAfter(afterNumber: number | undefined, sort: Page["sort"], total: number): number | null {
  if (afterNumber === undefined) return placeIn(sort === "asc" ? 1 : total, total);
  return placeIn(sort === "asc" ? afterNumber + 1 : Math.min(afterNumber - 1, total), total);
}

function placeIn(number: number, total: number): number | null {
  return number >= 1 && number <= total ? number : null;
}

function windowOf(place: number, size: number, sort: Page["sort"], total: number): [number, number] {
  return sort === "asc" ? [place, Math.min(total, place + size - 1)] : [Math.max(1, place - size + 1), place];
}

/** Finds the next number from a place on that may be queued: packed in a batch, or with a row of its own. */
async function nextWaiting(
  db: Statements,
  { accountId }: Reader,
  send: { id: string; total: number },
  place: number,
  sort: Page["sort"],
): Promise<number | null> {
  if (send.total === 1) return place;
  const waiting = await one(db, findWaiting[sort], [accountId, send.id, place]);
  return waiting.number;
}
