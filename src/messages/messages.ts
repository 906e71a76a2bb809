// The search for messages by phone: what a company, or anybody, sent to a number.
import type { CompanyCaller } from "../accounts/accounts.ts";
import { nowMs } from "../kernel/clock.ts";
import type { Access, Statements } from "../kernel/database.ts";
import { lowestId, timeOf } from "../kernel/ids.ts";
import type { Continued } from "../kernel/lists.ts";
import { type Language, refuseField } from "../kernel/refusals.ts";
import type { Runtime } from "../kernel/runtime.ts";
import type { Page } from "../kernel/schemas.ts";
import { NO_TIMESTAMP, parseTimestamp } from "../kernel/timestamps.ts";
import { errorReasonOf } from "../operators/operators.ts";
import { readOptout } from "../optouts/optouts.ts";
import { findQueuedTo } from "../sends/sends.ts";
import { requirePhone } from "../sms/sms.ts";
import { namesOf } from "../statistics/statistics.ts";
import type { FoundMessage, FoundMessageOfAll } from "./shapes.ts";
import * as sql from "./sql.ts";

const DAY_MS = 86_400_000;
const DAYS_AT_MOST = 92;
const FOUND_AT_MOST = 1_000;
/** An account with so few messages in the range is read whole, in 5 ms; others by the summary of phones. */
const READ_AT_MOST = 2_000;

type Wanted = Page & { phone: string; from?: string | undefined; to?: string | undefined };

/**
 * One page of a company's messages to a phone, those that wait too, the newest first: the newest 1,000 of a range of 92
 * days at most, which without `from` ends at `to` or now. Beside them: whether all that waits was searched, whether the
 * phone is opted out, and its contact. Refuses
 * `invalid-phone-number`, and `invalid-request` for a range that is none or too long.
 */
export async function findMessages(
  app: Runtime,
  caller: CompanyCaller,
  wanted: Wanted,
): Promise<Continued<FoundMessage>> {
  const { companyId, country, language } = caller;
  const phone = requirePhone(wanted.phone, "phone", country);
  const db = app.database.of(companyId);
  const { found, queueSearched } = await findAll(app, db, companyId, phone, rangeOf(wanted));
  const [[contact], optout, rows] = await Promise.all([
    db.run(sql.findContactTo, [companyId, phone]),
    readOptout(app, db, companyId, phone),
    viewsOf(app, db, pageOf(found, wanted), language),
  ]);
  return {
    rows: rows.map(({ companyId: _, companyName: __, ...row }) => row),
    totalCount: found.length,
    beside: { contact: contact ?? null, optout, queueSearched },
  };
}

/** The same of one company or of all accounts, for administrators. */
export async function findAnyMessages(
  app: Runtime,
  { companyId, ...wanted }: Wanted & { companyId?: string | undefined },
  language: Language,
): Promise<Continued<FoundMessageOfAll>> {
  const phone = requirePhone(wanted.phone, "phone");
  const db = app.database;
  const { found, queueSearched } = await findAll(app, db, companyId ?? null, phone, rangeOf(wanted));
  return {
    rows: await viewsOf(app, db, pageOf(found, wanted), language),
    totalCount: found.length,
    beside: { queueSearched },
  };
}

/** From an id of sends to before another. */
type Range = readonly [string, string];

function rangeOf({ from, to }: Wanted): Range {
  const end = to === undefined ? nowMs() + DAY_MS : instantOf("to", to);
  const begin = from === undefined ? end - DAYS_AT_MOST * DAY_MS : instantOf("from", from);
  if (begin > end) refuseField("from", { fr: "est après to", en: "is after to" });
  if (end - begin > (DAYS_AT_MOST + 1) * DAY_MS)
    refuseField("from", {
      fr: `est plus de ${DAYS_AT_MOST} jours avant to`,
      en: `is more than ${DAYS_AT_MOST} days before to`,
    });
  return [lowestId(Math.max(0, begin)), lowestId(end)];
}

function instantOf(field: string, text: string): number {
  return (parseTimestamp(text) ?? refuseField(field, NO_TIMESTAMP)).getTime();
}

/**
 * What waits and what is recorded, the newest first. The queue is read for all accounts, since sends to one phone share
 * batches, and before the record: a message that is settled meanwhile is in both, and the record counts.
 */
async function findAll(app: Runtime, db: Access, accountId: string | null, phone: string, range: Range) {
  const [from, to] = range;
  const queued = await findQueuedTo(app.database, accountId, phone);
  const recorded = await findRows(db, accountId, phone, range);
  const found = new Map(
    queued.messages
      .filter(({ send_id }) => send_id >= from && send_id < to)
      .map((row): [string, sql.FoundRow] => [keyOf(row), { ...row, ...UNSETTLED }]),
  );
  for (const row of recorded) found.set(keyOf(row), row);
  const newestFirst = [...found].sort(([one], [other]) => (one < other ? 1 : -1)).map(([, row]) => row);
  return { found: newestFirst.slice(0, FOUND_AT_MOST), queueSearched: queued.isWhole };
}

const UNSETTLED = { operator_id: null, error: null, sent_at: null, delivered_at: null };
const NUMBER_DIGITS = 10;

/** A key of a message in whose order sends and their recipients are. */
function keyOf({ send_id, number }: Pick<sql.FoundRow, "send_id" | "number">): string {
  return `${send_id} ${String(number).padStart(NUMBER_DIGITS, "0")}`;
}

async function findRows(
  db: Access,
  accountId: string | null,
  phone: string,
  [from, to]: Range,
): Promise<sql.FoundRow[]> {
  if (accountId !== null) {
    const [counted] = await db.run(sql.countOfAccount, [accountId, from, to, READ_AT_MOST + 1]);
    if (counted!.count <= READ_AT_MOST)
      return db.run(sql.listOfAccount, [accountId, from, to, phone, FOUND_AT_MOST]);
  }
  return db.transaction(async (tx) => {
    await tx.run(sql.planByValues);
    return tx.run(sql.listToPhone, [phone, from, to, FOUND_AT_MOST, accountId]);
  });
}

function pageOf<Row>(rows: readonly Row[], { page, limit }: Page): Row[] {
  return rows.slice((page - 1) * limit, page * limit);
}

async function viewsOf(
  app: Runtime,
  db: Statements,
  rows: readonly sql.FoundRow[],
  language: Language,
): Promise<FoundMessageOfAll[]> {
  const accounts = rows.map((row) => row.account_id);
  const [campaigns, companies, nameOf] = await Promise.all([
    db.run(sql.listCampaignsOf, [accounts, rows.map((row) => row.send_id)]),
    db.run(sql.listCompanyNames, [[...new Set(accounts)]]),
    namesOf(
      app.database,
      rows.map((row) => row.operator_id),
    ),
  ]);
  const campaignOf = new Map(campaigns.map((campaign) => [campaign.send_id, campaign]));
  const companyOf = new Map(companies.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({
    companyId: row.account_id,
    companyName: companyOf.get(row.account_id) ?? null,
    ...viewOf(row, campaignOf.get(row.send_id), language),
    operator: nameOf(row.operator_id),
  }));
}

function viewOf(
  { status, error, ...row }: sql.FoundRow,
  campaign: sql.CampaignOfSend | undefined,
  language: Language,
): Omit<FoundMessage, "operator"> {
  return {
    id: `${row.send_id}-${row.number}`,
    kind: campaign ? (campaign.connection_id ? "application" : "campaign") : "otp",
    campaignId: campaign?.id ?? null,
    campaignName: campaign?.name ?? null,
    text: campaign?.body ?? null,
    sender: campaign?.sender_name ?? null,
    status,
    segments: row.segments,
    credits: row.price,
    error,
    errorReason: errorReasonOf({ status, error, isTaken: row.sent_at !== null }, language),
    createdAt: new Date(timeOf(row.send_id)),
    sentAt: row.sent_at,
    deliveredAt: row.delivered_at,
  };
}
