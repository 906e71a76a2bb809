// Approvals: if its company requires it, a person's campaign is held until a second person approves it.

import { releaseSends } from "../../delivery/sends/queue/enqueue.ts";
import type { KeyHolder } from "../../identity/accounts/callers.ts";
import { nowMs } from "../../platform/clock.ts";
import { readListed } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { readInstant } from "../../platform/http/timestamps.ts";
import type { Runtime } from "../../platform/runtime.ts";
import * as sql from "./approvals.sql.ts";
import type { PricedCampaign } from "./pricing.ts";
import type { AwaitingCampaign, CampaignApproval } from "./shapes.ts";
import { listRuns, lockCampaign } from "./sql.ts";

/**
 * Whether a new campaign needs approval: it has as many recipients as its company's threshold, or groups that may grow
 * before it runs.
 */
export function needsApproval({ request, count }: Pick<PricedCampaign, "request" | "count">): boolean {
  const { approvalFrom, type, groupIds } = request;
  if (approvalFrom === undefined) return false;
  return count >= approvalFrom || (type !== "SMS" && groupIds.length > 0);
}

/** Records that a new campaign awaits approval, in the transaction that records the campaign. */
export async function noteAwaiting(
  tx: Tx,
  { companyId, id, userId }: PricedCampaign["request"],
): Promise<void> {
  await tx.run(sql.insertApproval, [companyId, id, userId]);
}

/** Whether a campaign awaits approval. Nobody can decide on it until the transaction ends. */
export async function isAwaited(tx: Tx, companyId: string, campaignId: string): Promise<boolean> {
  return (await tx.run(sql.findAwaited, [companyId, campaignId])).length > 0;
}

/**
 * Requests approval of a campaign again because somebody reschedules it: another time was approved. This person may not
 * decide on it. Does nothing if no approval was requested.
 */
export async function askAgain(
  tx: Tx,
  companyId: string,
  campaignId: string,
  changedBy: string,
): Promise<void> {
  await tx.run(sql.markChanged, [companyId, campaignId, changedBy]);
}

/** A run may go to this many times the approved number of people: groups grow a little. */
const GROWTH_AT_MOST = 1.1;

/**
 * Whether a run to this many people awaits approval: nobody has decided yet, or the groups have grown by more than a
 * tenth since the approval.
 */
export async function isRunAwaited(
  tx: Tx,
  companyId: string,
  campaignId: string,
  count: number,
): Promise<boolean> {
  await tx.run(sql.markGrown, [companyId, campaignId, Math.ceil(count / GROWTH_AT_MOST)]);
  return isAwaited(tx, companyId, campaignId);
}

/** Returns the approval of a campaign; undefined if none was required. */
export async function readApproval(
  db: Statements,
  companyId: string,
  campaignId: string,
): Promise<CampaignApproval | undefined> {
  return (await db.run(sql.findApproval, [companyId, campaignId]))[0];
}

/** `askedAt`, if given, identifies the version of the request for approval that the person saw. */
type Decision = { status: "APPROVED" | "DECLINED"; reason: string | null; askedAt?: string | undefined };

/**
 * Approves or declines a campaign, once. An approved one is released unless an administrator reviews it; call
 * `announceSends` after the commit. The caller must cancel a declined one in the same transaction; `notifyOfApprovals`
 * notifies its author. Refuses `campaign-not-found`; `not-authorized` if the caller created or changed it, or is a key
 * limited to scopes; and `conflict` if it no longer awaits approval, or was changed since the caller saw it.
 */
export async function decideCampaign(
  app: Runtime,
  tx: Tx,
  { companyId, userId, isMachine }: KeyHolder,
  id: string,
  { status, reason, askedAt }: Decision,
): Promise<void> {
  const campaign = await requireRow(tx.run(lockCampaign, [companyId, id]), "campaign-not-found");
  if (isMachine) refuse("not-authorized", { details: [{ field: "apiKey", message: BY_A_PERSON }] });
  const approval = await readApproval(tx, companyId, id);
  if (!approval) refuseConflict("id", NOT_WAITING);
  if (askedAt !== undefined && readInstant(askedAt, "askedAt").getTime() !== approval.askedAt.getTime())
    refuseConflict("askedAt", ASKED_SINCE);
  if (approval.madeBy === userId || approval.changedBy === userId)
    refuse("not-authorized", { details: [{ field: "apiKey", message: BY_ANOTHER }] });
  const since = Math.max(campaign.createdAt.getTime(), campaign.scheduledDate?.getTime() ?? 0);
  const isOver = campaign.nextAt === null && since <= nowMs() - app.config.settings.approvalLifetimeMs;
  const isWaiting = !campaign.canceledAt && !campaign.failure && !isOver;
  const [decided] = isWaiting ? await tx.run(sql.markDecided, { companyId, id, status, userId, reason }) : [];
  if (!decided) refuseConflict("id", NOT_WAITING);
  if (status === "DECLINED") return;
  const runs = campaign.type === "SMS" ? [] : await tx.run(listRuns, [companyId, id, RUNS_AT_MOST]);
  const kept = new Set((await tx.run(sql.listStillKept, [companyId, id])).map(({ sendId }) => sendId));
  const sends = [campaign.sendId, ...runs.flatMap((run) => run.id ?? [])];
  await releaseSends(
    tx,
    sends.filter((send) => !kept.has(send)),
  );
}

/** Earlier runs have nothing left to send, because messages expire after three days. */
const RUNS_AT_MOST = 300;

const BY_A_PERSON: Sentence = {
  fr: "une clé limitée à des portées ne peut pas approuver ; une personne doit le faire",
  en: "a key that is limited to scopes cannot approve; a person must do it",
};
const BY_ANOTHER: Sentence = {
  fr: "la personne qui a créé ou modifié la campagne ne peut pas décider ; un autre membre, owner ou approver, doit le faire",
  en: "the person who created or changed the campaign cannot decide; another member, owner or approver, must do it",
};
const ASKED_SINCE: Sentence = {
  fr: "la campagne a été modifiée entre-temps ; relisez-la avant de décider",
  en: "the campaign was changed in the meantime; read it again before you decide",
};
const NOT_WAITING: Sentence = {
  fr: "cette campagne n’est pas, ou n’est plus, en attente d’approbation",
  en: "this campaign is not, or is no longer, pending approval",
};

const COUNTED_AT_MOST = 10_000;

/** Returns one page of a company's campaigns that await approval. */
export async function listAwaiting(
  db: Statements,
  { config }: Pick<Runtime, "config">,
  companyId: string,
  page: Page,
): Promise<Listed<AwaitingCampaign>> {
  const { approvalLifetimeMs: lifetimeMs } = config.settings;
  return readListed(db, sql.listAwaiting, page, { companyId, lifetimeMs, most: COUNTED_AT_MOST });
}
