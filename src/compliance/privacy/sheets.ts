// Sheets: the messages of a send as CSV, in the language and time zone of its company.

import { Gzip } from "fflate";
import { readRange } from "../../delivery/sends/record/record.ts";
import type { Message } from "../../delivery/sends/record/shapes.ts";
import type { KeyHolder } from "../../identity/accounts/callers.ts";
import { rolesWith } from "../../identity/accounts/permissions.ts";
import { findSend } from "../../messaging/campaigns/statistics.ts";
import { readKnownContacts } from "../../phonebook/contacts/contacts.ts";
import { BYTE_ORDER_MARK, csvLine } from "../../platform/csv.ts";
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { type Language, refuse } from "../../platform/http/refusals.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { clockIn } from "../../platform/zones.ts";
import { STATUS_WORDS } from "../../protocol/sms/statuses.ts";
import { endSheets as markEnded, type Taken } from "./exports.sql.ts";
import { PartWriter, progressOf } from "./parts.ts";
import type { CampaignExport } from "./shapes.ts";
import * as sql from "./sheets.sql.ts";

/** The permissions to request and fetch sheets; a key needs one of them. */
export const MAY_EXPORT = ["read"] as const;

function sheetOf(app: Runtime, reader: KeyHolder, row: sql.SheetRow): CampaignExport {
  const { id: exportId, campaignId, runId, messageStatus } = row;
  return { exportId, campaignId, runId, messageStatus, ...progressOf(app, reader, row) };
}

const DAY_SECONDS = 24 * 3_600;

/**
 * Begins a sheet of a campaign's send: the newest run of a recurring one, or `runId`; all its messages, or those with a
 * status. While one of the same send is being written, a repeat returns it. Refuses `campaign-not-found`, `conflict` if
 * nothing was sent yet or if one with another status is being written, and `too-many-requests` beyond the daily limit.
 */
export async function beginSheet(
  app: Runtime,
  tx: Tx,
  caller: KeyHolder,
  { id, runId, status = null }: { id: string; runId?: string; status?: Message["status"] | null },
): Promise<CampaignExport> {
  const { companyId } = caller;
  const send = await findSend(tx, caller, id, runId);
  if (!send) refuseConflict("id", NOT_SENT);
  const [waiting] = await tx.run(sql.findWaitingSheet, [companyId, send.id]);
  if (waiting) return sheetOf(app, caller, asWanted(waiting, status));
  const most = app.config.limits.sheetsPerDay;
  const today = await one(tx, sql.countSheetsOfDay, [companyId, most]);
  if (today.count >= most) refuse("too-many-requests", { retryAfterSeconds: DAY_SECONDS });
  const [made] = await tx.run(sql.insertSheet, {
    id: newId(),
    companyId,
    campaignId: id,
    sendId: send.id,
    messageCount: send.total,
    onlyStatus: status,
  });
  if (made) return sheetOf(app, caller, made);
  const other = await one(tx, sql.findWaitingSheet, [companyId, send.id]);
  return sheetOf(app, caller, asWanted(other, status));
}

/** Returns the sheet being written if it has the requested messages. Refuses `conflict`. */
function asWanted(waiting: sql.SheetRow, status: Message["status"] | null): sql.SheetRow {
  if (waiting.messageStatus === status) return waiting;
  refuseConflict("status", OTHER_STATUS);
}

const OTHER_STATUS = {
  fr: "un CSV de cet envoi avec un autre statut est en préparation",
  en: "a CSV of this send with another status is being prepared",
};

const NOT_SENT = { fr: "n’a encore rien envoyé", en: "has not sent anything yet" };

/** Returns the progress of a sheet, and its link. Refuses `not-found`. */
export async function readSheet(app: Runtime, caller: KeyHolder, exportId: string): Promise<CampaignExport> {
  const { companyId } = caller;
  const [row] = await app.database.of(companyId).run(sql.findSheet, [companyId, exportId]);
  return row ? sheetOf(app, caller, row) : refuse("not-found");
}

/** Returns the digests of the keys that may fetch a company's sheets. Quotas limit them. */
export async function listReaders(app: Runtime, companyId: string): Promise<string[]> {
  const keys = await app.database.run(sql.listReaderKeys, [companyId, rolesWith(MAY_EXPORT), MAY_EXPORT]);
  return keys.map((key) => key.digest);
}

const ROWS_AT_ONCE = 1_000;

const HEADS: Readonly<Record<Language, readonly string[]>> = {
  fr: [...["Numéro", "Nom", "Statut", "Raison", "Segments", "Crédits", "Opérateur", "Envoyé le", "Remis le"]],
  en: ["Number", "Name", "Status", "Reason", "Segments", "Credits", "Operator", "Sent at", "Delivered at"],
};

/** Writes one sheet, page by page; stops if another process has restarted it. */
export async function writeSheet(app: Runtime, taken: Taken, signal: AbortSignal): Promise<void> {
  const { company_id: companyId, send_id: id, message_count: total } = taken;
  if (id === null || total === null) throw new Error("a sheet without its send");
  const company = app.database.of(companyId);
  const { language, country } = await one(app.database, sql.findLocale, [companyId]);
  const operators = new Map(
    (await app.database.run(sql.listOperatorNames)).map((operator) => [operator.id, operator.name]),
  );
  const clock = clockIn(country);
  const timeOf = (at: Date | null) => at && clock(at);
  const parts = new PartWriter(app, taken);
  const gzip = new Gzip((chunk) => parts.push(chunk));
  gzip.push(Buffer.from(BYTE_ORDER_MARK + csvLine(HEADS[language], ";")));
  let rows = 0;
  for (let first = 1; first <= total; first += ROWS_AT_ONCE) {
    const range = { first, last: Math.min(total, first + ROWS_AT_ONCE - 1) };
    const all = await readRange(
      company,
      { accountId: companyId, language },
      { id, total },
      range.first,
      range.last,
    );
    const messages = all.filter(({ message }) => (taken.only_status ?? message.status) === message.status);
    const phones = messages.map(({ message: { phone } }) => ({ companyId, phone }));
    const known = await readKnownContacts(company, phones);
    const lines = messages.map(({ message, operatorId }) => {
      const { phone, status, errorReason, segments, credits, sentAt, deliveredAt } = message;
      const name = known.get(`${companyId} ${phone}`)?.name;
      const cells = [
        ...[
          phone,
          name === phone ? null : name,
          STATUS_WORDS[status][language],
          errorReason,
          segments,
          credits,
        ],
        ...[operatorId && operators.get(operatorId), timeOf(sentAt), timeOf(deliveredAt)],
      ];
      return csvLine(cells, ";");
    });
    gzip.push(Buffer.from(lines.join("")));
    rows += lines.length;
    const percent = Math.floor((range.last * 100) / total);
    if (signal.aborted || !(await parts.note({ percent, rows }))) return;
  }
  gzip.push(new Uint8Array(), true);
  await parts.finish({ percent: 100, rows }, app.config.settings.sheetLifetimeMs);
}

/** Expires the sheets of these companies, since they may name an erased person. They can be written again. */
export async function endSheets(tx: Tx, companyIds: readonly string[]): Promise<void> {
  await tx.run(markEnded, [companyIds]);
}
