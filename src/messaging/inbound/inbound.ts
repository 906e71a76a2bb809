// Received messages: the list of what handsets wrote to a company, and its deletion by age or with a person.
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { nowMs } from "../../platform/clock.ts";
import { readListed, shownAs } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import { deleteInSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import { readInstant } from "../../platform/http/timestamps.ts";
import { lowestId, timeOf } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { requirePhone } from "../../protocol/sms/phone.ts";
import { listIdsOf } from "./numbers.sql.ts";
import { digitsOf, freeNumbers } from "./numbers.ts";
import { deletePartsOf, deletePartsTo } from "./parts.sql.ts";
import { firstWordOf, NOBODY } from "./routing.ts";
import type { InboundMessage, InboundMessageOfAll } from "./shapes.ts";
import * as sql from "./sql.ts";

type Period = { from?: string | undefined; to?: string | undefined };

type Wanted = Page &
  Period & {
    phone?: string | undefined;
    number?: string | undefined;
    keyword?: string | undefined;
    campaignId?: string | undefined;
  };

/**
 * Returns one page of a company's received messages, newest first. One of the filters selects at most 10,000 messages,
 * to which the others apply. Refuses `invalid-phone-number`, and `invalid-request` for an invalid time.
 */
export async function listReceived(
  db: Statements,
  caller: CompanyCaller,
  wanted: Wanted,
): Promise<Listed<InboundMessage>> {
  const phone = wanted.phone === undefined ? null : requirePhone(wanted.phone, "phone", caller.country);
  const { campaignId = null } = wanted;
  const number = addressIn(wanted);
  const keyword = wanted.keyword === undefined ? null : firstWordOf(wanted.keyword);
  const filters = { phone, campaignId, keyword, number };
  return shownAs(
    readListed(db, sql.listsBy[firstOf(filters)], wanted, {
      companyId: caller.companyId,
      ...rangeOf(wanted),
      ...filters,
    }),
    messageOf,
  );
}

/** Returns the given filter that selects the fewest messages. */
function firstOf(
  filters: Readonly<Record<"phone" | "campaignId" | "keyword" | "number", unknown>>,
): sql.First {
  if (filters.phone !== null) return "phone";
  if (filters.campaignId !== null) return "campaign";
  if (filters.keyword !== null) return "keyword";
  return filters.number !== null ? "number" : "none";
}

/** Reads a filter by number: a number in its stored form, else a name as written. */
function addressIn({ number }: { number?: string | undefined }): string | null {
  return number === undefined ? null : (digitsOf(number) ?? number);
}

/** Returns the range of ids: from the first to before the second. */
function rangeOf({ from, to }: Period): { fromId: string; beforeId: string } {
  const begin = from === undefined ? 0 : readInstant(from, "from").getTime();
  const end = to === undefined ? nowMs() + DAY_MS : readInstant(to, "to").getTime();
  return { fromId: lowestId(Math.max(0, begin)), beforeId: lowestId(Math.max(0, end)) };
}

const DAY_MS = 24 * 3_600_000;

function received<Row extends { id: string }>(row: Row) {
  return { ...row, receivedAt: new Date(timeOf(row.id)) };
}

function messageOf({ contact, ...row }: sql.MessageRow): InboundMessage {
  return { ...received(row), ...(contact !== null && { contact }) };
}

/** Returns one message that a company received. Refuses `not-found`. */
export async function readReceived(
  db: Statements,
  { companyId }: CompanyCaller,
  id: string,
): Promise<InboundMessage> {
  return messageOf(await requireRow(db.run(sql.findMessage, { companyId, id }), "not-found"));
}

type WantedOfAll = Page &
  Period & {
    phone?: string | undefined;
    number?: string | undefined;
    companyId?: string | undefined;
    unrouted?: boolean | undefined;
  };

/**
 * Returns one page of the messages that all companies or one received, or with `unrouted` those without a company;
 * newest first. A phone and a number filter the newest 10,000 of the period. Refuses as `listReceived`.
 */
export async function listAnyReceived(
  db: Statements,
  { companyId, unrouted, ...wanted }: WantedOfAll,
): Promise<Listed<InboundMessageOfAll>> {
  const phone = wanted.phone === undefined ? null : requirePhone(wanted.phone, "phone");
  const account = unrouted ? NOBODY : (companyId ?? null);
  return shownAs(
    readListed(db, sql.listsOfAny[account === null ? "ofAll" : "ofOne"], wanted, {
      companyId: account,
      ...rangeOf(wanted),
      phone,
      number: addressIn(wanted),
    }),
    received,
  );
}

const STEPS = { atOnce: 5_000, most: 200 };
/** Marks live for minutes, and messages can arrive faster than an hourly job would delete the marks. */
const MARKS = { atOnce: 10_000 };

/**
 * Empties the texts of messages older than `RETENTION_TEXTS_DAYS`, and deletes messages older than
 * `RETENTION_MESSAGES_MONTHS`. A job runs it: a million of each at most, and the next run continues.
 */
export async function forgetReceived(app: Runtime, signal?: AbortSignal): Promise<void> {
  const { retentionTextsDays: days, retentionMessagesMonths: months } = app.config;
  const [textsBefore, before] = [lowestId(nowMs() - days * DAY_MS), lowestId(monthsAgo(months))];
  if (days > 0) await deleteInSteps(app, sql.emptyOldTexts, [textsBefore], STEPS, signal);
  if (months > 0) await deleteInSteps(app, sql.deleteOldMessages, [before], STEPS, signal);
}

function monthsAgo(months: number): number {
  const time = new Date(nowMs());
  return time.setUTCMonth(time.getUTCMonth() - months);
}

/** Deletes the marks of messages when no repeats are expected any longer. A job runs it. */
export async function forgetMarks(app: Runtime, signal?: AbortSignal): Promise<void> {
  await deleteInSteps(app, sql.deleteOldMarks, [], MARKS, signal);
}

/**
 * Deletes some of a person's messages to these companies, and the waiting segments to their own numbers; `isAll`: of
 * all accounts, including messages without a company and every waiting segment. Returns the number of messages deleted,
 * and whether there may be more.
 */
export async function eraseReceived(
  tx: Tx,
  companyIds: readonly string[],
  phone: string,
  isAll: boolean,
): Promise<{ received: number; hasMore: boolean }> {
  if (isAll) await tx.run(deletePartsOf, [phone]);
  else await deleteWaiting(tx, companyIds, phone);
  const ids = isAll ? [NOBODY, ...companyIds] : companyIds;
  const { length: received } = await tx.run(sql.deleteOfPhone, [ids, phone, STEPS.atOnce]);
  return { received, hasMore: received === STEPS.atOnce };
}

/** Segments to a shared number belong to no company before the message is complete. */
async function deleteWaiting(tx: Tx, companyIds: readonly string[], phone: string): Promise<void> {
  const numbers = await tx.run(listIdsOf, [companyIds]);
  if (numbers.length === 0) return;
  await tx.run(deletePartsTo, [phone, numbers.map(({ id }) => id)]);
}

/**
 * Deletes some messages of a closed company or of its customer; returns whether there were any. Then frees its numbers.
 */
export async function emptyReceived(tx: Tx, companyId: string): Promise<boolean> {
  await freeNumbers(tx, companyId);
  return (await tx.run(sql.deleteOfCompany, [companyId, STEPS.atOnce])).length > 0;
}
