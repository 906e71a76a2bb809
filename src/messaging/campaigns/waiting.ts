// Pending campaigns: the quota of a company, and series that are paused because their runs failed.
import { lockCompany } from "../../identity/accounts/accounts.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { quotasOf, requireQuota } from "../../identity/accounts/quotas.ts";
import { nowMs } from "../../platform/clock.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { type Code, refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { type Notice, notifyOwner } from "../notices/notices.ts";
import * as sql from "./due.sql.ts";
import { nextOccurrence } from "./schedule.ts";

/** The number of failed runs in a row that pauses a series. */
const FAILED_AT_MOST = 4;

export function isPausedBy(failedRuns: number): boolean {
  return failedRuns >= FAILED_AT_MOST;
}

/**
 * Ensures, until the commit, that a company may have one more pending campaign. Refuses `conflict` if its quota is used
 * up. Call it before the campaign is written.
 */
export async function requireRoomToWait(app: Runtime, tx: Tx, companyId: string): Promise<void> {
  await lockCompany(tx, companyId);
  const waiting = await one(tx, sql.countWaiting, [companyId, app.config.limits.quotas.schedules]);
  requireQuota(quotasOf(app.config, waiting.quotas), "schedules", waiting.count + 1, "type");
}

/** Whether a pending campaign or a paused series of a company includes this group. */
export async function isGroupPlanned(db: Statements, companyId: string, groupId: string): Promise<boolean> {
  return (await db.run(sql.findPlanned, [companyId, groupId])).length > 0;
}

/**
 * Resumes a paused series, at its next time from now on. Refuses `campaign-not-found`, and `conflict` if it is not
 * paused, or as `requireRoomToWait`.
 */
export async function resumeCampaign(app: Runtime, tx: Tx, caller: CompanyCaller, id: string): Promise<void> {
  await requireRoomToWait(app, tx, caller.companyId);
  const series = await requireRow(tx.run(sql.lockSeries, [caller.companyId, id]), "campaign-not-found");
  if (!series.pausedAt || !series.week) refuseConflict("id", series.disabledAt ? DISABLED : NOT_PAUSED);
  // A clock that was set back must not make an occurrence run twice.
  const after = new Date(Math.max(nowMs(), series.ranAt?.getTime() ?? 0));
  await tx.run(sql.markResumed, [caller.companyId, id, nextOccurrence(series.week, after)]);
}

/**
 * Disables a series, whose occurrences are then skipped and recorded without a charge, or enables it again; one that is
 * paused because its runs failed is resumed. Refuses `campaign-not-found`, `campaign-not-cancelable` for a campaign
 * that is no series or is canceled, and as `resumeCampaign`.
 */
export async function toggleCampaign(app: Runtime, tx: Tx, caller: CompanyCaller, id: string): Promise<void> {
  const series = await requireRow(tx.run(sql.lockSeries, [caller.companyId, id]), "campaign-not-found");
  if (!series.week || series.canceledAt)
    refuse("campaign-not-cancelable", { details: [{ field: "id", message: NO_SERIES }] });
  if (series.pausedAt) return resumeCampaign(app, tx, caller, id);
  await tx.run(sql.markDisabled, [caller.companyId, id, series.disabledAt === null]);
}

const NOT_PAUSED: Sentence = {
  fr: "cette campagne n’est pas une campagne récurrente suspendue ; il n’y a rien à reprendre",
  en: "this campaign is not a paused recurring campaign; there is nothing to resume",
};
const DISABLED: Sentence = {
  fr: "cette campagne récurrente a été désactivée par toggle-enable ; appelez toggle-enable de nouveau pour la réactiver",
  en: "this recurring campaign was disabled by toggle-enable; call toggle-enable again to enable it",
};
const NO_SERIES: Sentence = {
  fr: "seule une campagne récurrente non annulée peut être suspendue ou reprise",
  en: "only a recurring campaign that is not canceled can be paused or resumed",
};

type PausedSeries = { companyId: string; id: string; name: string; failure: string };

/**
 * Notifies the owner of a company by SMS and mail that a series is paused; at most once in 24 hours, however many are
 * paused. Call it last, as `sendNotice`.
 */
export async function tellOwnerOfPause(app: Runtime, tx: Tx, series: PausedSeries): Promise<void> {
  const { companyId, id } = series;
  const [told] = await tx.run(sql.findRecentPause, [companyId, id]);
  if (!told) await notifyOwner(app, tx, companyId, noticeOf(series));
}

/** The reasons why a run sent nothing, in the words of a notice. */
const WHY: Partial<Record<Code, Sentence>> = {
  "insufficient-credits": { fr: "crédits insuffisants", en: "insufficient credits" },
  "no-recipient": { fr: "aucun destinataire", en: "no recipients" },
  "message-too-long": { fr: "texte trop long", en: "text too long" },
};

function noticeOf({ name, failure }: PausedSeries): Notice {
  const why = WHY[failure as Code] ?? { fr: failure, en: failure };
  return {
    subject: { fr: `Votre campagne ${name} est suspendue`, en: `Your campaign ${name} is paused` },
    text: {
      fr: `Votre campagne ${name} est suspendue : ses ${FAILED_AT_MOST} derniers envois ont échoué (${why.fr}). Pour la reprendre : campaign/{id}/resume. D'autres campagnes peuvent avoir été suspendues.`,
      en: `Your campaign ${name} is paused: its last ${FAILED_AT_MOST} occurrences failed (${why.en}). To resume it: campaign/{id}/resume. Other campaigns may be paused too.`,
    },
  };
}
