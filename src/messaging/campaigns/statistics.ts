// The outcomes of a campaign's messages: by operator, by reason, and as a curve.
import { errorReasonOf } from "../../delivery/operators/failures.ts";
import type { SendCounts } from "../../delivery/sends/counters/counted.ts";
import { readCounted } from "../../delivery/sends/counters/tallies.ts";
import type { Message } from "../../delivery/sends/record/shapes.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import type { Statements } from "../../platform/database/query.ts";
import { type Language, refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { namesOf } from "../statistics/statistics.ts";
import type { CampaignStatistics } from "./shapes.ts";
import * as sql from "./sql.ts";

/**
 * Returns the statistics of a campaign, exact to the last commit; for a recurring one those of its newest run, or of
 * `runId`. Messages settled before the upgrade that introduced statistics appear only in the counts of `campaign/{id}`.
 * Refuses `campaign-not-found`, also for an unknown run.
 */
export async function readCampaignStatistics(
  app: Runtime,
  caller: CompanyCaller,
  id: string,
  runId: string | undefined,
): Promise<CampaignStatistics> {
  const send = await findSend(app.database.of(caller.companyId), caller, id, runId);
  if (!send) return { byOperator: [], byReason: [], curve: [] };
  const counts = await readCounted(app, { accountId: caller.companyId, sendId: send.id, total: send.total });
  return {
    byOperator: await byOperator(app.database, counts, send),
    byReason: byReason(counts, caller.language),
    curve: curveOf(counts),
  };
}

/** A send and what its messages are counted by. */
type Counting = sql.SendTotals & { id: string };

/** Returns the send of a campaign or of a run. Undefined: none of its messages is queued yet. */
export async function findSend(
  db: Statements,
  { companyId }: CompanyCaller,
  id: string,
  runId: string | undefined,
): Promise<Counting | undefined> {
  const row = await requireRow(db.run(sql.findCampaign, [companyId, id]), "campaign-not-found");
  if (row.type !== "RECURRING") return row.wasQueued ? { ...row, id: row.sendId } : undefined;
  const [run] = await db.run(sql.findSendOfRun, [companyId, id, runId ?? null]);
  if (!run && runId !== undefined) refuse("campaign-not-found");
  return run;
}

/**
 * Returns the number of a send's messages with a status. Undefined if it is not counted: for queued messages, and for a
 * send settled before the upgrade that introduced statistics.
 */
export async function countOfStatus(
  app: Runtime,
  accountId: string,
  send: Counting,
  status: Message["status"],
): Promise<number | undefined> {
  const { id, total, sent, failed, delivered, undelivered } = send;
  if (status === "DELIVERED") return delivered;
  if (status === "SENT") return sent - delivered - undelivered;
  if (status === "QUEUED" || status === "SENDING") return sent + failed === total ? 0 : undefined;
  if (status === "UNKNOWN" && sent + failed < total) return undefined;
  if (failed + undelivered === 0) return 0;
  const { fates } = await readCounted(app, { accountId, sendId: id, total });
  const sumOf = (some: typeof fates) => some.reduce((sum, fate) => sum + fate.count, 0);
  const over = fates.filter((fate) => fate.status !== "SENT" && fate.status !== "DELIVERED");
  return sumOf(over) < failed + undelivered
    ? undefined
    : sumOf(over.filter((fate) => fate.status === status));
}

async function byOperator(
  db: Statements,
  { fates }: SendCounts,
  send: Counting,
): Promise<CampaignStatistics["byOperator"]> {
  const nameOf = await namesOf(
    db,
    fates.map((fate) => fate.operatorId),
  );
  const byId = Map.groupBy(fates, (fate) => fate.operatorId);
  const counted = fates.reduce((sum, fate) => sum + (fate.isTaken ? 0 : fate.count), 0);
  const queued = Math.max(0, send.total - Math.max(send.sent + send.failed, counted));
  if (queued > 0 && !byId.has(null)) byId.set(null, []);
  return [...byId].map(([operatorId, some]) => {
    const sum = (isCounted: (fate: (typeof some)[number]) => boolean) =>
      some.filter(isCounted).reduce((total, fate) => total + fate.count, 0);
    const settled = sum((fate) => !fate.isTaken);
    const delivered = sum((fate) => fate.isTaken && fate.status === "DELIVERED");
    const failed = sum((fate) => fate.status !== "SENT" && fate.status !== "DELIVERED");
    const total = settled + (operatorId === null ? queued : 0);
    return { operator: nameOf(operatorId), total, delivered, failed, waiting: total - delivered - failed };
  });
}

const CANCELED: Sentence = {
  fr: "Le message a été annulé avant d’être soumis à un opérateur.",
  en: "The message was canceled before it was submitted to an operator.",
};

function byReason({ fates }: SendCounts, language: Language): CampaignStatistics["byReason"] {
  const failed = fates.filter((fate) => fate.status !== "SENT" && fate.status !== "DELIVERED");
  const reasons = Map.groupBy(failed, (fate) => `${fate.status} ${fate.isTaken} ${fate.error}`);
  const counted = [...reasons.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const { status, error, isTaken } = first;
    return {
      status: status as CampaignStatistics["byReason"][number]["status"],
      code: error,
      reason: errorReasonOf({ status, error, isTaken }, language) ?? CANCELED[language],
      count: others.reduce((sum, fate) => sum + fate.count, first.count),
    };
  });
  return counted.sort((a, b) => b.count - a.count);
}

function curveOf({ curve, stepS }: SendCounts): CampaignStatistics["curve"] {
  let [sent, delivered] = [0, 0];
  return curve.map(([bucket, sentNow, deliveredNow]) => {
    sent += sentNow;
    delivered += deliveredNow;
    return { at: new Date((bucket + 1) * stepS * 1000), sent, delivered };
  });
}
