// First-campaign review: if the installation enables it, a new company's large campaigns are held for an administrator.
import { releaseSends } from "../../delivery/sends/queue/enqueue.ts";
import { readListed } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { requireRow, type Sentence } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { isAwaited } from "./approvals.ts";
import * as sql from "./firsts.sql.ts";
import type { KeptCampaign } from "./shapes.ts";
import { lockCampaign } from "./sql.ts";

type Wanted = { count: number; request: { companyId: string } };

/**
 * Returns those of these sends that are held for review: they are large, and too few large ones of their company were
 * released. Campaigns that the company cancels do not count, so it cannot use up its first campaigns by itself.
 */
export async function listKeptAmong<Send extends Wanted>(
  app: Runtime,
  tx: Tx,
  sends: readonly Send[],
): Promise<Set<Send>> {
  const { holdFirstCampaigns, limits } = app.config;
  const large = sends.filter(({ count }) => count > limits.peopleBeforeReview);
  if (holdFirstCampaigns === 0 || large.length === 0) return new Set();
  const companies = [...new Set(large.map(({ request }) => request.companyId))];
  const values = [companies, holdFirstCampaigns, limits.peopleBeforeReview];
  const rows = await tx.run(sql.listKnownCompanies, values);
  const known = new Set(rows.map(({ companyId }) => companyId));
  return new Set(large.filter(({ request }) => !known.has(request.companyId)));
}

/** Records the sends held for review, in the transaction that queues them. */
export async function noteKept(tx: Tx, kept: readonly sql.KeptSend[]): Promise<void> {
  if (kept.length > 0) await tx.run(sql.insertFirsts, { kept });
}

/** Whether a send is held for review. Nobody can release it until the transaction ends. */
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
 * Releases a campaign that is held for review, with all its runs. A repeat changes nothing. Refuses
 * `campaign-not-found`, and `conflict` if it was never held or is canceled. Call `announceSends` after the commit.
 */
export async function releaseCampaign(tx: Tx, companyId: string, id: string): Promise<void> {
  const campaign = await requireRow(tx.run(lockCampaign, [companyId, id]), "campaign-not-found");
  const [first] = await tx.run(sql.findFirst, [companyId, id]);
  if (!first || campaign.canceledAt) refuseConflict("id", first ? CANCELED : NOT_HELD);
  const released = await tx.run(sql.markReleased, [companyId, id]);
  // The approval by a second person then releases it.
  if (await isAwaited(tx, companyId, id)) return;
  await releaseSends(
    tx,
    released.map(({ sendId }) => sendId),
  );
}

/** Returns a campaign that is held for review. Refuses `campaign-not-found`, also when it is no longer held. */
export async function readKeptCampaign(
  db: Statements,
  lifetimeMs: number,
  id: string,
): Promise<KeptCampaign> {
  return requireRow(db.run(sql.findKeptCampaign, { lifetimeMs, id }), "campaign-not-found");
}

/** Returns one page of the campaigns that are held for review, whose messages live for `lifetimeMs`. */
export async function listKeptCampaigns(
  db: Statements,
  lifetimeMs: number,
  page: Page,
): Promise<Listed<KeptCampaign>> {
  return readListed(db, sql.listKept, page, { lifetimeMs });
}
