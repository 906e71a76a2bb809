// The search for messages: those of one company or of all, to one phone or to any.
import { findQueuedTo } from "../../delivery/sends/record/findqueued.ts";
import { messageIdOf } from "../../delivery/sends/record/record.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { readOptout } from "../../phonebook/optouts/optouts.ts";
import type { Access, Database } from "../../platform/database/database.ts";
import { pageAmong } from "../../platform/database/pages.ts";
import { one } from "../../platform/database/query.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import type { Continued } from "../../platform/http/lists.ts";
import type { RowKey } from "../../platform/http/paging.ts";
import type { Language } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { requirePhone } from "../../protocol/sms/phone.ts";
import { isBefore, type MessagePlace, placeAfter, type Range, rangeOf } from "./ranges.ts";
import { findSent, type SentPage, type SentWanted, sendsOf } from "./sent.ts";
import type { FoundMessage, FoundMessageOfAll } from "./shapes.ts";
import * as sql from "./sql.ts";
import { viewsOf, viewsOfOwn } from "./views.ts";

const FOUND_AT_MOST = 1_000;
/** An account with at most this many messages in the range is read whole, in 5 ms; others by the summary of phones. */
const READ_AT_MOST = 2_000;

type Wanted = SentWanted & { phone?: string | undefined };

/**
 * Returns one page of a company's messages, including queued ones, newest first. To a phone: filters the newest 1,000
 * of a range of at most 92 days, which without `from` ends at `to` or now; adds whether the phone is opted out, and its
 * contact. Without a phone as `findSent`. Refuses `invalid-phone-number`, `campaign-not-found`, and `invalid-request`
 * as `rangeOf` and `findSent`.
 */
export async function findMessages(
  app: Runtime,
  caller: CompanyCaller,
  { phone: given, ...wanted }: Wanted,
): Promise<Continued<FoundMessage>> {
  const { companyId, country, language } = caller;
  const db = app.database.of(companyId);
  const phone = given === undefined ? undefined : requirePhone(given, "phone", country);
  const page = await (phone === undefined
    ? findSent(app, db, companyId, wanted)
    : findTo(app, db, companyId, phone, wanted));
  const [[contact], optout, rows] = await Promise.all([
    phone === undefined ? [] : db.run(sql.findContactTo, [companyId, phone]),
    phone === undefined ? null : readOptout(app, db, companyId, phone),
    viewsOfOwn(app, db, page.found, language),
  ]);
  return continuedOf(page, wanted, rows, { contact: contact ?? null, optout });
}

/** The same for administrators: of one company or, to a phone, of all accounts. */
export async function findAnyMessages(
  app: Runtime,
  { companyId, phone: given, ...wanted }: Wanted & { companyId?: string | undefined },
  language: Language,
): Promise<Continued<FoundMessageOfAll>> {
  const db = app.database;
  const phone = given === undefined ? undefined : requirePhone(given, "phone");
  if (phone === undefined && companyId === undefined) refuseField("phone", PHONE_OR_COMPANY);
  if (wanted.campaignId !== undefined && companyId === undefined) refuseField("companyId", CAMPAIGN_OF);
  const page = await (phone === undefined
    ? findSent(app, db, companyId!, wanted)
    : findTo(app, db, companyId ?? null, phone, wanted));
  return continuedOf(page, wanted, await viewsOf(app, db, page.found, language), {});
}

function continuedOf<Row>(
  { totalCount, next, previous, isWhole }: SentPage,
  { sort }: Wanted,
  rows: Row[],
  more: object,
): Continued<Row> {
  // A page before a message is read in the opposite order, so that what follows it is behind its first row.
  const older = sort === "asc" ? previous : next;
  const keyOf = (id: string | null) => (id === null ? null : [id]);
  const beside = { ...more, queueSearched: isWhole, next: older };
  return { rows, totalCount, next: keyOf(next), previous: keyOf(previous), beside };
}

const PHONE_OR_COMPANY = {
  fr: "est obligatoire sans companyId",
  en: "is required without companyId",
};
const CAMPAIGN_OF = {
  fr: "est obligatoire avec campaignId",
  en: "is required with campaignId",
};

/** Returns the newest messages to a phone from any account that a search can find. */
export async function findLatestTo(db: Database, phone: string, most: number): Promise<sql.FoundRow[]> {
  const { found } = await findAll({ database: db }, db, null, phone, rangeOf({}));
  return found.slice(0, most);
}

/** Returns one page of an account's messages to a phone, or (null) of everybody's. */
async function findTo(
  app: Runtime,
  db: Access,
  accountId: string | null,
  phone: string,
  { status, campaignId, afterId, page, limit, sort, after, ...period }: SentWanted,
): Promise<SentPage> {
  const sends = campaignId === undefined ? null : new Set(await sendsOf(db, accountId!, campaignId));
  // Of the older cursor the count begins at its message; of `after` it is that of all pages.
  const end = afterId === undefined || after ? null : placeAfter(afterId);
  const { found, queueSearched } = await findAll(app, db, accountId, phone, rangeOf(period));
  const fitting = found.filter(
    (row) =>
      (status === undefined || row.status === status) &&
      (sends === null || sends.has(row.send_id)) &&
      (end === null || isBefore(placeOf(row), end)),
  );
  const wanted = { page, limit, sort, after };
  const listed = pageAmong(fitting.reverse(), wanted, (row) => [idOf(row)], sideOf);
  const { rows, totalCount, next, previous } = listed;
  return {
    found: rows,
    totalCount,
    next: next?.[0] ?? null,
    previous: previous?.[0] ?? null,
    isWhole: queueSearched,
  };
}

function placeOf({ send_id: sendId, number }: sql.FoundRow): MessagePlace {
  return { sendId, number };
}

/** On which side of the message of a cursor another one is, as `pageAmong` asks. */
function sideOf(row: sql.FoundRow, [id]: RowKey): number {
  const place = placeAfter(id ?? "");
  return isBefore(placeOf(row), place) ? -1 : isBefore(place, placeOf(row)) ? 1 : 0;
}

/**
 * Returns queued and recorded messages, newest first. The queue is read for all accounts, since sends to one phone
 * share batches, and before the record: a message settled meanwhile is in both, and the record takes precedence.
 */
async function findAll(
  app: Pick<Runtime, "database">,
  db: Access,
  accountId: string | null,
  phone: string,
  range: Range,
) {
  const [from, to] = range;
  const queued = await findQueuedTo(app.database, accountId, phone);
  const recorded = await findRows(db, accountId, phone, range);
  const found = new Map(
    queued.messages
      .filter(({ send_id }) => send_id >= from && send_id < to)
      .map((row): [string, sql.FoundRow] => [keyOf(row), { ...row, ...UNSETTLED }]),
  );
  for (const row of recorded) found.set(keyOf(row), row);
  const newestFirst = [...found].sort(([key], [other]) => (key < other ? 1 : -1)).map(([, row]) => row);
  return { found: newestFirst.slice(0, FOUND_AT_MOST), queueSearched: queued.isWhole };
}

const UNSETTLED = { operator_id: null, error: null, sent_at: null, delivered_at: null };
const NUMBER_DIGITS = 10;

/** Returns a key that sorts messages by send and recipient. */
function keyOf({ send_id, number }: Pick<sql.FoundRow, "send_id" | "number">): string {
  return `${send_id} ${String(number).padStart(NUMBER_DIGITS, "0")}`;
}

async function findRows(
  db: Access,
  accountId: string | null,
  phone: string,
  [fromId, beforeId]: Range,
): Promise<sql.FoundRow[]> {
  const wanted = { phone, fromId, beforeId, limit: FOUND_AT_MOST };
  if (accountId !== null) {
    const limit = READ_AT_MOST + 1;
    const { count } = await one(db, sql.countOfAccount, { accountId, fromId, beforeId, limit });
    if (count <= READ_AT_MOST) return db.run(sql.listOfAccount, { ...wanted, accountId });
  }
  return db.transaction(async (tx) => {
    await tx.run(sql.planByValues);
    return tx.run(sql.listToPhone, { ...wanted, accountId });
  });
}

function idOf({ send_id: sendId, number }: sql.FoundRow): string {
  return messageIdOf(sendId, number);
}
