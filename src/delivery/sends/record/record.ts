// The record: the final state of each message of a send, and the progress of the others.

import type { Read } from "../../../platform/database/pages.ts";
import type { Statements } from "../../../platform/database/query.ts";
import { offsetOf, type Page } from "../../../platform/http/paging.ts";
import type { Language } from "../../../platform/http/refusals.ts";
import { errorReasonOf } from "../../operators/failures.ts";
import { type Found, listPacked } from "../queue/find.ts";
import * as sql from "./record.sql.ts";
import type { Message } from "./shapes.ts";

/** The account whose messages are read, and the language of their `errorReason`. */
export type Reader = { accountId: string; language: Language };
/** A message with the number of its recipient, and the operator that accepted or refused it. */
export type Numbered = { number: number; message: Message; operatorId: string | null };

/** Reads one page of a send's messages, in the order of its recipients or reversed. The send has `total` messages. */
export async function readMessages(
  db: Statements,
  reader: Reader,
  send: { id: string; total: number },
  page: Page,
): Promise<Read<Message>> {
  const { limit, sort, after } = page;
  // The messages of a send are numbered from 1, and none is added or removed.
  const before = after ? Number(after[0]) : offsetOf(page);
  const first = Math.max(1, sort === "asc" ? before + 1 : send.total - before - limit + 1);
  const last = Math.min(send.total, sort === "asc" ? before + limit : send.total - before);
  const messages = (await readRange(db, reader, send, first, last)).map(({ message }) => message);
  const next = before + limit < send.total ? [String(before + limit)] : null;
  // In the opposite order all later messages come first, and then those of this page.
  const previous = before > 0 ? [String(send.total - before)] : null;
  return { rows: sort === "asc" ? messages : messages.reverse(), next, previous };
}

/** Reads the messages of a send with numbers in a range, in order. */
export async function readRange(
  db: Statements,
  { accountId, language }: Reader,
  send: { id: string; total: number },
  first: number,
  last: number,
): Promise<Numbered[]> {
  // A message that becomes final between the two reads is in both. In the other order it would be in neither.
  const packed = await listPacked(db, send, first, last);
  const rows = await db.run(sql.listMessages, { accountId, sendId: send.id, first, last });
  const known = new Set(rows.map((row) => row.number));
  return [
    ...rows.map((row) => numberedOf(send, row, language)),
    ...packed
      .filter(({ message }) => message.accountId === accountId && !known.has(message.number))
      .map((found) => ({
        number: found.message.number,
        message: messageOfPacked(send, found),
        operatorId: null,
      })),
  ].sort((a, b) => a.number - b.number);
}

/** Reads the current state of one message, and the operator's id. Undefined: the account has no such message. */
export async function readMessage(
  db: Statements,
  reader: Reader,
  sendId: string,
  number: number,
): Promise<(Numbered & { operatorMessageId: string | null }) | undefined> {
  // A send to one phone may share its batch with others; only the first message of a send can belong to such a one.
  const [found] = await readRange(db, reader, { id: sendId, total: number }, number, number);
  if (!found) return undefined;
  const [recorded] = await db.run(sql.findOperatorMessageId, [reader.accountId, sendId, number]);
  return { ...found, operatorMessageId: recorded?.operator_message_id ?? null };
}

/** Reads the first messages of a send with a status and numbers in a range, of the record and of queue rows. */
export async function readFiltered(
  db: Statements,
  { accountId, language }: Reader,
  send: { id: string },
  [first, last]: readonly [number, number],
  { sort, ...filter }: { status: Message["status"]; sort: Page["sort"]; limit: number },
): Promise<Numbered[]> {
  const range = { accountId, sendId: send.id, first, last };
  const rows = await db.run(sql.listOfStatus[sort], { ...range, ...filter });
  return rows.map((row) => numberedOf(send, row, language));
}

/** Returns the id of a message, as `readMessage` identifies it. */
export function messageIdOf(sendId: string, number: number): string {
  return `${sendId}-${number}`;
}

function numberedOf({ id }: { id: string }, row: sql.MessageRow, language: Language): Numbered {
  const { number, status, error, operator_id: operatorId } = row;
  const message = {
    id: messageIdOf(id, number),
    phone: row.phone,
    status,
    segments: row.segments,
    credits: row.price,
    error,
    errorReason: errorReasonOf({ status, error, isTaken: row.sent_at !== null }, language),
    sentAt: row.sent_at,
    deliveredAt: row.delivered_at,
  };
  return { number, message, operatorId };
}

function messageOfPacked({ id }: { id: string }, { message, isWritten }: Found): Message {
  return {
    id: messageIdOf(id, message.number),
    phone: message.phone,
    status: isWritten ? "SENDING" : "QUEUED",
    segments: message.segments,
    credits: message.price,
    error: null,
    errorReason: null,
    sentAt: null,
    deliveredAt: null,
  };
}
