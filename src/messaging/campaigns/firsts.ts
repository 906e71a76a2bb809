// First campaigns: those of a company that nobody knows yet wait for an administrator, where the installation wants it.
import { releaseSends } from "../../delivery/sends/sends.ts";
import type { Statements, Tx } from "../../platform/database.ts";
import { readPage } from "../../platform/pages.ts";
import { refuse, refuseConflict, type Sentence } from "../../platform/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Listed, Page } from "../../platform/schemas.ts";
import { isAwaited } from "./approvals.ts";
import * as sql from "./firsts.sql.ts";
import type { KeptCampaign } from "./shapes.ts";
import { lockCampaign } from "./sql.ts";

type Wanted = { count: number; draft: { companyId: string } };

/**
 * Those of these sends that wait for an administrator: they are large, and of a company of which too few large ones
 * were released. What its company cancels counts for nothing, so it cannot use up its first campaigns by itself.
 */
export async function listKeptAmong<Send extends Wanted>(
  app: Runtime,
  tx: Tx,
  sends: readonly Send[],
): Promise<Set<Send>> {
  const { holdFirstCampaigns, limits } = app.config;
  const large = sends.filter(({ count }) => count > limits.peopleBeforeReview);
  if (holdFirstCampaigns === 0 || large.length === 0) return new Set();
  const companies = [...new Set(large.map(({ draft }) => draft.companyId))];
  const values = [companies, holdFirstCampaigns, limits.peopleBeforeReview];
  const rows = await tx.run(sql.listKnownCompanies, values);
  const known = new Set(rows.map(({ companyId }) => companyId));
  return new Set(large.filter(({ draft }) => !known.has(draft.companyId)));
}

/** Notes the sends that wait, inside the transaction that queues them. */
export async function noteKept(
  tx: Tx,
  kept: readonly { companyId: string; sendId: string; campaignId: string }[],
): Promise<void> {
  if (kept.length === 0) return;
  await tx.run(sql.insertFirsts, [
    kept.map(({ companyId }) => companyId),
    kept.map(({ sendId }) => sendId),
    kept.map(({ campaignId }) => campaignId),
  ]);
}

/** Whether a send waits; until the transaction ends, nobody releases it. */
export async function isKept(tx: Tx, companyId: string, sendId: string): Promise<boolean> {
  return (await tx.run(sql.findKept, [companyId, sendId])).length > 0;
}

const CANCELED: Sentence = {
  fr: "cette campagne est annulée",
  en: "this campaign is canceled",
};
const NOT_HELD: Sentence = {
  fr: "cette campagne n’a pas été retenue pour examen",
  en: "this campaign was not held for review",
};

/**
 * Lets a campaign go that waited, with all its runs. A repeat changes nothing. Refuses `campaign-not-found`, and
 * `conflict` for one that never waited or is canceled. Call `announceSends` after the commit.
 */
export async function releaseCampaign(tx: Tx, companyId: string, id: string): Promise<void> {
  const [campaign] = await tx.run(lockCampaign, [companyId, id]);
  if (!campaign) refuse("campaign-not-found");
  const [first] = await tx.run(sql.findFirst, [companyId, id]);
  if (!first || campaign.canceled_at) refuseConflict("id", first ? CANCELED : NOT_HELD);
  const released = await tx.run(sql.markReleased, [companyId, id]);
  // What a second person has to approve goes with the approval.
  if (await isAwaited(tx, companyId, id)) return;
  await releaseSends(
    tx,
    released.map(({ sendId }) => sendId),
  );
}

/** A campaign that waits for an administrator. Refuses `campaign-not-found`, also when it waits no more. */
export async function readKeptCampaign(
  db: Statements,
  lifetimeMs: number,
  id: string,
): Promise<KeptCampaign> {
  const [kept] = await db.run(sql.findKeptCampaign, [lifetimeMs, id]);
  return kept ?? refuse("campaign-not-found");
}

/** One page of the campaigns that wait for an administrator, whose messages live for `lifetimeMs`. */
export async function listKeptCampaigns(
  db: Statements,
  lifetimeMs: number,
  page: Page,
): Promise<Listed<KeptCampaign>> {
  const [{ rows, next }, [total]] = await Promise.all([
    readPage(db, sql.listKept, page, (limit, from) => [lifetimeMs, limit, from]),
    db.run(sql.countKept, [lifetimeMs]),
  ]);
  return { rows, totalCount: total!.count, next };
}
