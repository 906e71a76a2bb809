// The list of an account's messages to any phone, newest first, with a bounded number of reads.
import { findQueuedOf } from "../../delivery/sends/record/findqueued.ts";
import { messageIdOf } from "../../delivery/sends/record/record.ts";
import type { Message } from "../../delivery/sends/record/shapes.ts";
import type { Access } from "../../platform/database/database.ts";
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { requireNear } from "../../platform/http/lists.ts";
import type { Page } from "../../platform/http/paging.ts";
import { refuse } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import {
  isBefore,
  isIn,
  type MessagePlace,
  type Period,
  placeAfter,
  rangeOf,
  type Span,
  spanOfRange,
  spanOfSend,
  spansBefore,
} from "./ranges.ts";
import * as sent from "./sent.sql.ts";
import type { FoundRow } from "./sql.ts";
import * as sql from "./sql.ts";

/** The maximum depth of a page, and of the count; `afterId` reaches further. */
const DEEPEST = 10_000;
/** A page with a status reads at most this many messages of the record. The next page continues there. */
const LOOKED_AT_MOST = 100_000;
const STEP = 4_000;
const STEP_AT_MOST = 32_000;
/** The number of a series' newest runs that are searched. Each may take a read. */
const SENDS_AT_MOST = 100;
const WAITING: readonly (Message["status"] | undefined)[] = ["QUEUED", "SENDING", "UNKNOWN", undefined];
const UNSETTLED: readonly (Message["status"] | undefined)[] = ["QUEUED", "SENDING"];

/** The filters for the messages of an account. `page` counts from `afterId`. */
export type SentWanted = Page &
  Period & {
    status?: Message["status"] | undefined;
    campaignId?: string | undefined;
    afterId?: string | undefined;
  };

/**
 * One page. `next` is the id after which the following page starts; null after the last message. `previous` is the id
 * before which the preceding page ends; null if there is none, or without a phone. With a status, a page
 * may be short although `next` is set, since it reads at most 100,000 messages. `totalCount` counts from `afterId` on,
 * up to 10,000; with a status it is the number found so far. `isWhole`: all queued messages were searched.
 */
export type SentPage = {
  found: FoundRow[];
  totalCount: number;
  next: string | null;
  previous: string | null;
  isWhole: boolean;
};

/**
 * Finds an account's messages of 92 days, or of a campaign at any time (the newest 100 runs of a series), including
 * queued ones. Refuses `campaign-not-found`, and `invalid-request` for an invalid period or `afterId`, or a page deeper
 * than 10,000 messages.
 */
export async function findSent(
  app: Runtime,
  db: Access,
  accountId: string,
  { page, limit, ...wanted }: SentWanted,
): Promise<SentPage> {
  const { status, after } = wanted;
  const afterId = after?.[0] ?? wanted.afterId;
  requireNear({ page, limit }, DEEPEST, "afterId");
  const most = page * limit;
  const all = await spansOf(db, accountId, wanted);
  const spans = afterId === undefined ? all : spansBefore(all, placeAfter(afterId));
  const waiting = WAITING.includes(status)
    ? await findQueuedOf(app.database, accountId, spans[0]?.before.sendId ?? "")
    : { messages: [], isWhole: true };
  const queued = waiting.messages
    .map((row): FoundRow => ({ ...row, ...UNANSWERED }))
    .filter((row) => (status === undefined || row.status === status) && isOneOf(spans, row));
  const { rows, reached, counted } = await db.transaction(async (tx) => {
    await tx.run(sql.planByValues);
    const read = UNSETTLED.includes(status)
      ? { rows: [], reached: null }
      : await readSpans(tx, accountId, spans, status, most);
    return {
      ...read,
      counted: status === undefined ? queued.length + (await countIn(tx, accountId, spans)) : 0,
    };
  });
  const found = merge(rows, queued, reached);
  const last = found[most - 1];
  const hasMore = found.length > most || reached !== null;
  return {
    found: found.slice(most - limit, most),
    totalCount: Math.max(Math.min(found.length, most), Math.min(counted, DEEPEST)),
    next: last ? (hasMore ? idOf(placeOf(last)) : null) : reached && idOf(reached),
    previous: null,
    isWhole: waiting.isWhole,
  };
}

const UNANSWERED = { operator_id: null, error: null, sent_at: null, delivered_at: null };

/** Returns a period, or the sends of a campaign that lie in it, newest first. */
async function spansOf(
  db: Access,
  accountId: string,
  { campaignId, from, to }: Pick<SentWanted, "campaignId" | "from" | "to">,
): Promise<Span[]> {
  if (campaignId === undefined) return [spanOfRange(rangeOf({ from, to }))];
  const isAnyTime = from === undefined && to === undefined;
  const range = isAnyTime ? undefined : rangeOf({ from, to });
  const ids = await sendsOf(db, accountId, campaignId);
  return ids.filter((id) => !range || (id >= range[0] && id < range[1])).map(spanOfSend);
}

/** Returns the sends of a campaign, newest first. Refuses `campaign-not-found`. */
export async function sendsOf(db: Access, accountId: string, campaignId: string): Promise<string[]> {
  const [campaign] = await db.run(sent.findSends, [accountId, campaignId, SENDS_AT_MOST]);
  if (!campaign) refuse("campaign-not-found");
  return campaign.send_ids.toSorted().reverse();
}

type Read = { rows: FoundRow[]; reached: MessagePlace | null };

/** Reads up to `most` messages of the record. `reached` is the position reached; null: the end. */
async function readSpans(
  tx: Tx,
  accountId: string,
  spans: readonly Span[],
  status: Message["status"] | undefined,
  most: number,
): Promise<Read> {
  const rows: FoundRow[] = [];
  let left = LOOKED_AT_MOST;
  for (const [i, span] of spans.entries()) {
    const read =
      status === undefined
        ? await readSpan(tx, accountId, span, most - rows.length)
        : await searchSpan(tx, accountId, span, { status, most: most - rows.length, left });
    rows.push(...read.rows);
    left -= read.looked;
    if (read.reached !== null) return { rows, reached: read.reached };
    const isLast = i === spans.length - 1;
    if (!isLast && (rows.length >= most || left <= 0))
      return { rows, reached: { sendId: span.from, number: 1 } };
  }
  return { rows, reached: null };
}

async function readSpan(tx: Tx, accountId: string, { from, before }: Span, most: number) {
  const rows = await tx.run(sent.listNewest, { accountId, fromId: from, ...before, limit: most });
  const last = rows[most - 1];
  return { rows, looked: rows.length, reached: last ? placeOf(last) : null };
}

/** Searches a span for a status, in growing steps: matches are usually either near or rare. */
async function searchSpan(
  tx: Tx,
  accountId: string,
  { from, before }: Span,
  { status, most, left }: { status: Message["status"]; most: number; left: number },
): Promise<Read & { looked: number }> {
  const rows: FoundRow[] = [];
  let looked = 0;
  let place = before;
  for (let size = STEP; ; size = Math.min(size * 2, STEP_AT_MOST)) {
    const range = { accountId, fromId: from, ...place };
    const [end] = await tx.run(sent.findStep, { ...range, offset: size - 1 });
    const last = end
      ? { lastSendId: end.send_id, lastNumber: end.number }
      : { lastSendId: from, lastNumber: 0 };
    const limit = most - rows.length;
    rows.push(...(await tx.run(sent.listNewestOfStatus, { ...range, ...last, status, limit })));
    looked += size;
    const found = rows[most - 1];
    if (found) return { rows, looked, reached: placeOf(found) };
    if (!end) return { rows, looked, reached: null };
    place = { sendId: end.send_id, number: end.number };
    if (looked >= left) return { rows, looked, reached: place };
  }
}

async function countIn(tx: Tx, accountId: string, spans: readonly Span[]): Promise<number> {
  let count = 0;
  for (const { from, before } of spans) {
    const range = { accountId, fromId: from, ...before, limit: DEEPEST - count };
    count += (await one(tx, sent.countNewest, range)).count;
    if (count >= DEEPEST) break;
  }
  return count;
}

/** Merges, newest first. A recorded message takes precedence, because it was settled after the queue was read. */
function merge(
  recorded: readonly FoundRow[],
  queued: readonly FoundRow[],
  reached: MessagePlace | null,
): FoundRow[] {
  const known = new Set(recorded.map((row) => idOf(placeOf(row))));
  const waiting = queued
    .filter((row) => reached === null || isBefore(reached, placeOf(row)))
    .filter((row) => !known.has(idOf(placeOf(row))));
  return [...recorded, ...waiting].sort((row, other) => (isBefore(placeOf(row), placeOf(other)) ? 1 : -1));
}

function isOneOf(spans: readonly Span[], row: FoundRow): boolean {
  return spans.some((span) => isIn(span, placeOf(row)));
}

function placeOf({ send_id: sendId, number }: FoundRow): MessagePlace {
  return { sendId, number };
}

function idOf({ sendId, number }: MessagePlace): string {
  return messageIdOf(sendId, number);
}
