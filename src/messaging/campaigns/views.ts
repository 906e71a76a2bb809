// Campaigns as callers see them: when created, in lists, in detail, with messages and runs.

import { readOfStatus } from "../../delivery/sends/record/filtered.ts";
import { readMessages } from "../../delivery/sends/record/record.ts";
import type { Message } from "../../delivery/sends/record/shapes.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { readPagedFromNearerEnd, shownAs } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Continued } from "../../platform/http/lists.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { needsApproval, readApproval } from "./approvals.ts";
import type { PricedCampaign } from "./pricing.ts";
import { explainBlocked } from "./recipients.ts";
import { recurringOf } from "./schedule.ts";
import type { Campaign, CampaignApproval, CampaignReport, CreatedCampaign, Run, Stats } from "./shapes.ts";
import * as sql from "./sql.ts";
import { listLivingGroups } from "./sql.ts";
import { countOfStatus, findSend } from "./statistics.ts";
import { variablesOf } from "./variables.ts";

/** The maximum number of runs in a campaign's detail. */
const RUNS_SHOWN = 100;

/** The maximum number of groups in a campaign's detail: as many as `group/list` accepts. */
const GROUPS_NAMED = 100;

/** The response of `campaign/create`. */
export function createdView(priced: PricedCampaign): CreatedCampaign {
  const { request, count, blocked } = priced;
  const { name, type, scheduledDate, contactCount, creditUsed, senderIdId, blockedCount, _count } =
    auditedView(priced);
  const variables = variablesOf(priced);
  return {
    id: request.id,
    campaignId: request.id,
    name,
    text: request.text,
    type,
    status: type === "RECURRING" ? "ACTIVE" : "PENDING",
    scheduledDate,
    createdAt: request.createdAt,
    contactCount,
    creditUsed,
    blockedContacts: explainBlocked(blocked, request.language),
    blockedCount,
    senderIdId,
    userId: request.userId,
    _count,
    ...(variables.length > 0 && { variables }),
    ...(needsApproval({ request, count }) && { awaitsApproval: true }),
  };
}

/** The members of a new campaign in the audit log: without the text and the recipients, which its own rows hold. */
export function auditedView({ request, count, price, blockedCount }: PricedCampaign) {
  const { name, type, scheduledDate, sender, groupIds } = request;
  return {
    name,
    type,
    scheduledDate,
    contactCount: count,
    creditUsed: type === "SMS" ? price : 0,
    senderIdId: sender.id,
    blockedCount,
    _count: { contacts: count, groups: groupIds.length },
  };
}

/** Returns one page of the campaigns of a company or of a reseller's customer. Refuses `invalid-request` if the page is too deep. */
export async function listCampaigns(
  db: Statements,
  { companyId }: Pick<CompanyCaller, "companyId">,
  wanted: Page,
): Promise<Listed<Campaign>> {
  const { count: totalCount } = await one(db, sql.countCampaigns, [companyId, null]);
  return shownAs(
    readPagedFromNearerEnd(db, sql.listCampaigns, wanted, totalCount, {
      companyId,
    }),
    campaignOf,
  );
}

/** Returns one page of the campaigns of one sender, as `listCampaigns`. */
export async function listCampaignsOfSender(
  db: Statements,
  { companyId }: CompanyCaller,
  senderId: string,
  wanted: Page,
): Promise<Listed<Campaign>> {
  const { count: totalCount } = await one(db, sql.countCampaigns, [companyId, senderId]);
  const filter = { companyId, senderId };
  return shownAs(
    readPagedFromNearerEnd(db, sql.listCampaignsOfSender, wanted, totalCount, filter),
    campaignOf,
  );
}

/** Returns one campaign with its statistics, and for a recurring one its newest runs. Refuses `campaign-not-found`. */
export async function readCampaign(
  db: Statements,
  caller: Pick<CompanyCaller, "companyId">,
  id: string,
): Promise<CampaignReport> {
  const row = await requireRow(db.run(sql.findCampaign, [caller.companyId, id]), "campaign-not-found");
  const [approval, groups] = await Promise.all([
    readApproval(db, caller.companyId, id),
    row.groupCount === 0 ? [] : db.run(listLivingGroups, [caller.companyId, id, GROUPS_NAMED]),
  ]);
  const campaign = campaignOf(row);
  const full = {
    ...campaign,
    ...(approval && { approval: approvalOf(approval, campaign) }),
    stats: statsOf(row.wasQueued || !isOver(row) ? row : { ...row, failed: row.total }),
    ...(row.failure !== null && { failure: row.failure }),
    recurring: row.week && recurringOf(row.week),
    sender: { id: row.senderIdId, name: row.senderName },
    groupsIds: groups.map((group) => group.id),
    updatedAt: row.updatedAt,
    isEnabled: row.canceledAt === null && row.pausedAt === null && row.disabledAt === null,
    creditRefunded: row.creditRefunded,
  };
  if (row.type !== "RECURRING") return full;
  const [runs, sums] = await Promise.all([
    db.run(sql.listRuns, [caller.companyId, id, RUNS_SHOWN]),
    one(db, sql.sumRuns, [caller.companyId, id]),
  ]);
  const { creditRefunded } = sums;
  return {
    ...full,
    stats: statsOf(sums),
    creditRefunded,
    nextRunAt: row.nextAt,
    ...(row.pausedAt && { pausedAt: row.pausedAt }),
    runs: runs.map((run) => runOf(run, row.name)),
  };
}

const LAST = { beside: { next: null } };

/** The filters of a page of messages: see `readOfStatus`. */
type Wanted = Page & {
  runId?: string | undefined;
  status?: Message["status"] | undefined;
  afterNumber?: number | undefined;
};

/**
 * Returns one page of a campaign's messages, or for a recurring one those of its newest run or of `runId`, in the order
 * of their recipients. With a status, only those with this status, after the recipient number `afterNumber`; `next` is
 * the cursor. `totalCount` is then exact if the status is counted, else the number found so far. Refuses
 * `campaign-not-found`, also for an unknown run, and as `readOfStatus`.
 */
export async function listCampaignMessages(
  app: Runtime,
  caller: CompanyCaller,
  id: string,
  { runId, status, afterNumber, ...page }: Wanted,
): Promise<Continued<Message>> {
  const db = app.database.of(caller.companyId);
  const send = await findSend(db, caller, id, runId);
  if (!send) return { rows: [], totalCount: 0, ...LAST };
  const reader = { accountId: caller.companyId, language: caller.language };
  if (status === undefined) {
    const read = await readMessages(db, reader, send, page);
    return { ...read, totalCount: send.total, ...LAST };
  }
  const known = await countOfStatus(app, caller.companyId, send, status);
  if (known === 0) return { rows: [], totalCount: 0, ...LAST };
  const start = page.after ? Number(page.after[0]) : afterNumber;
  const { rows, seen, next } = await readOfStatus(db, reader, send, { status, afterNumber: start, ...page });
  const totalCount = Math.max(known ?? 0, seen);
  return { rows, totalCount, next: next === null ? null : [String(next)], beside: { next } };
}

export function campaignOf(row: sql.CampaignRow): Campaign {
  const { id, name, text, type, scheduledDate, createdAt, contactCount, creditUsed, senderIdId, userId } =
    row;
  return {
    ...{ id, name, text, type, status: statusOf(row), scheduledDate, createdAt, contactCount, creditUsed },
    ...{ senderIdId, userId, _count: { contacts: contactCount, groups: row.groupCount } },
  };
}

/** Returns the current approval of a campaign: if the campaign ended before a decision, none can follow. */
function approvalOf(approval: CampaignApproval, { status, type }: Campaign): CampaignApproval {
  if (approval.status !== "PENDING") return approval;
  // A series that has failed is paused, and may be resumed.
  const isEnded = status === "CANCELED" || (status === "FAILED" && type !== "RECURRING");
  return isEnded ? { ...approval, status } : approval;
}

/** Canceled or failed: messages that are not queued yet never will be. */
function isOver(row: sql.CampaignRow): boolean {
  return row.canceledAt !== null || row.failure !== null;
}

function statusOf(row: sql.CampaignRow): Campaign["status"] {
  if (row.canceledAt) return "CANCELED";
  if (row.type === "RECURRING") return row.pausedAt ? "FAILED" : "ACTIVE";
  if (row.failure) return "FAILED";
  return row.nextAt ? "PENDING" : statusOfSend(row);
}

/** `SENT` when all messages are final at the operator and at least one was accepted, `FAILED` when none was. */
function statusOfSend({ total, sent, failed }: { total: number; sent: number; failed: number }) {
  if (sent + failed === 0) return "PENDING";
  if (sent + failed < total) return "SENDING";
  return sent > 0 ? "SENT" : "FAILED";
}

function runOf(row: sql.RunRow, name: string): Run {
  const { id, date, failure: error, contactCount, creditUsed, creditRefunded } = row;
  const isMissed = error === "missed" || error === "paused";
  const status = isMissed ? "MISSED" : error ? "FAILED" : statusOfSend(row);
  return { id, name, date, status, error, contactCount, creditUsed, creditRefunded, stats: statsOf(row) };
}

function statsOf(row: sql.SendTotals & { blockedCount: number }): Stats {
  const { total, sent, failed, delivered, undelivered, blockedCount: blocked } = row;
  return {
    total,
    queued: total - sent - failed,
    sent: sent - delivered - undelivered,
    delivered,
    failed: failed + undelivered,
    blocked,
  };
}
