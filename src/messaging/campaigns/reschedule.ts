// Rescheduling: a new time for a pending campaign.

import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { now } from "../../platform/clock.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { requireRow, type Sentence } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { askAgain } from "./approvals.ts";
import * as due from "./due.sql.ts";
import {
  nextOccurrence,
  type Recurring,
  readScheduledDate,
  readWeek,
  refuseContradiction,
} from "./schedule.ts";

type Times = { scheduledDate?: string; recurring?: Recurring };

/**
 * Reschedules a campaign: another date for a scheduled one, other days for a recurring one. An approved one then awaits
 * approval again. No run of it can start before the commit. Refuses `campaign-not-found`, `invalid-schedule` as at
 * creation, and `conflict` if it is not pending: its time has come, it is canceled or paused, or it was sent at once.
 */
export async function rescheduleCampaign(
  app: Runtime,
  tx: Tx,
  { companyId, userId }: CompanyCaller,
  id: string,
  times: Times,
): Promise<void> {
  const campaign = await requireRow(tx.run(due.lockWaiting, [companyId, id]), "campaign-not-found");
  if (!campaign.isWaiting) refuseConflict("id", NOT_WAITING);
  refuseContradiction({ type: campaign.type, ...times });
  await askAgain(tx, companyId, id, userId);
  if (campaign.type === "SCHEDULED") {
    const date = readScheduledDate(times.scheduledDate, now(), app.config.limits.scheduleDaysAhead);
    await tx.run(due.markRescheduled, { companyId, id, scheduledDate: date, week: null, nextAt: date });
    return;
  }
  const week = readWeek(times.recurring);
  // Read under the lock, which a run may have held. A clock that was set back must not repeat an occurrence.
  const [last] = await tx.run(due.findLastRun, [companyId, id]);
  const after = new Date(Math.max(now().getTime(), last?.occurrence.getTime() ?? 0));
  await tx.run(due.markRescheduled, {
    companyId,
    id,
    scheduledDate: null,
    week: JSON.stringify(week),
    nextAt: nextOccurrence(week, after),
  });
}

export const NOT_WAITING: Sentence = {
  fr: "n’est pas programmée : son heure est passée, ou la campagne est annulée, suspendue ou déjà envoyée",
  en: "is not scheduled: its time has passed, or the campaign is canceled, paused or already sent",
};
