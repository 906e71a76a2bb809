// What the database has forgotten: each process looks for what it has acknowledged, and lists what is not there.
import { type Static, Type } from "typebox";
import { findOwner } from "../accounts/accounts.ts";
import type { Acknowledged, AcknowledgedLine } from "../kernel/acknowledged.ts";
import { nowMs } from "../kernel/clock.ts";
import type { Access, Statements, Tx } from "../kernel/database.ts";
import { readIncarnation } from "../kernel/decisions.ts";
import { startTicks } from "../kernel/jobs.ts";
import { readPage } from "../kernel/pages.ts";
import type { Runtime } from "../kernel/runtime.ts";
import type { Listed, Page } from "../kernel/schemas.ts";
import { sendNotice } from "../notices/notices.ts";
import { announceEvents, emitToWatchers } from "../webhooks/webhooks.ts";
import {
  FORGOTTEN_KINDS,
  type Forgotten,
  type ForgottenCampaign,
  type ForgottenSums,
  type Report,
} from "./shapes.ts";
import * as sql from "./sql.ts";

const LOOK_EVERY_MS = 1_000;
/** Processes that come back later say nothing: their files are kept for as long. */
const REPORTED_WITHIN_MS = 3_600_000;
/** A beat is committed every 3 s, so what is older than the last one by this much is there. */
const MARGIN_MS = 60_000;
/** The rows of one report. Beyond them it only counts. */
const LISTED_AT_MOST = 100_000;
const REPORTS_SHOWN = 100;
const NOTIFIED_AT_ONCE = 1_000;
const ACCOUNTS_AT_ONCE = 1_000;
const KEPT_DAYS = 90;
const DELETED_AT_ONCE = 5_000;

/**
 * Has this process look for what it has acknowledged: before it vouches for a server that took over, and when sending is
 * held. What the database does not have is listed there.
 */
export function keepReporting(app: Runtime): { stop(): Promise<void> } {
  app.incarnation.addWitness({
    finds: async (db) => (await missingAmong(db, app.acknowledged.recent)).length === 0,
    takeDownEnded: () => app.acknowledged.takeDown(),
  });
  let isDue = true;
  app.incarnation.onChange((state) => {
    isDue ||= state === "HELD";
  });
  const run = async (): Promise<void> => {
    if (!isDue) return;
    isDue = false;
    await report(app).catch((error: unknown) => {
      isDue = true;
      throw error;
    });
  };
  return startTicks(app, [{ name: "forgotten-report", pauseMs: LOOK_EVERY_MS, run }]);
}

async function report(app: Runtime): Promise<void> {
  const { acknowledged, database, log } = app;
  const {
    number,
    reason,
    decision,
    made_at: madeAt,
    last_beat_at: lastBeatAt,
  } = await readIncarnation(database);
  const ageMs = nowMs() - madeAt.getTime();
  if (reason === null || decision === "CONTINUED" || ageMs > REPORTED_WITHIN_MS) return;
  const counts = { acknowledged: 0, forgotten: 0 };
  const since = acknowledged.since();
  for await (const some of acknowledged.read((lastBeatAt ?? madeAt).getTime() - MARGIN_MS)) {
    const missing = await missingAmong(database, some);
    const room = LISTED_AT_MOST - counts.forgotten;
    counts.acknowledged += some.length;
    counts.forgotten += missing.length;
    await list(database, number, missing.slice(0, Math.max(room, 0)));
  }
  await database.run(sql.upsertReport, [number, database.node, since, counts.acknowledged, counts.forgotten]);
  if (counts.forgotten > 0)
    log.error({ incarnation: number, ...counts }, "the database has forgotten what was acknowledged");
}

async function list(
  db: Statements,
  incarnation: number,
  missing: readonly AcknowledgedLine[],
): Promise<void> {
  if (missing.length === 0) return;
  await db.run(sql.insertForgotten, [
    incarnation,
    missing.map(({ kind }) => kind),
    missing.map(({ id }) => id),
    missing.map(({ accountId }) => accountId),
    missing.map(({ count }) => count),
    missing.map(({ name }) => name ?? null),
    missing.map(({ app }) => (app ? JSON.stringify(app) : null)),
    missing.map(({ atMs }) => new Date(atMs)),
  ]);
}

/** Those of these that the database does not have. */
async function missingAmong<One extends Acknowledged>(db: Statements, all: readonly One[]): Promise<One[]> {
  const missing = FORGOTTEN_KINDS.map(async (kind) => {
    const some = all.filter((one) => one.kind === kind);
    if (some.length === 0) return [];
    const rows = await db.run(sql.findThere[kind], [
      some.map(({ id }) => id),
      some.map((one) => one.accountId),
    ]);
    const there = new Set(rows.map(({ id }) => id));
    return some.filter(({ id }) => !there.has(id));
  });
  return (await Promise.all(missing)).flat();
}

/** What an incarnation lacks in all, and which processes have looked; the first 100 of them. */
export async function readForgotten(
  db: Statements,
  incarnation: number,
): Promise<{ forgotten: ForgottenSums; reports: Report[] }> {
  const [sums, reports] = await Promise.all([
    db.run(sql.sumForgotten, [incarnation]),
    db.run(sql.listReports, [incarnation, REPORTS_SHOWN]),
  ]);
  const of = (kind: sql.Kind) => sums.find((sum) => sum.kind === kind) ?? { number: 0, count: 0 };
  return {
    forgotten: {
      campaigns: of("campaign").number,
      messages: of("campaign").count,
      codes: of("code").number,
      credits: of("credits").count,
      changes: of("change").number,
    },
    reports: reports.map(({ reported_at: reportedAt, ...row }) => ({ ...row, reportedAt })),
  };
}

export const ForgottenWanted = Type.Object({ kind: Type.Optional(Type.Enum([...FORGOTTEN_KINDS])) });

/** One page of what is forgotten. */
export async function listForgotten(
  db: Statements,
  { kind = null, ...page }: Page & { kind?: Static<typeof ForgottenWanted>["kind"] | null },
): Promise<Listed<Forgotten>> {
  const [{ rows, next }, [total]] = await Promise.all([
    readPage(db, sql.listForgotten, page, (limit, from) => [kind, limit, from]),
    db.run(sql.countForgotten, [kind]),
  ]);
  const views = rows.map((row) => ({
    kind: row.kind,
    id: row.id,
    accountId: row.account_id,
    accountName: row.account_name,
    count: row.count,
    name: row.name,
    acknowledgedAt: row.acknowledged_at,
    notifiedAt: row.notified_at,
  }));
  return { rows: views, totalCount: total!.count, next };
}

/** One page of the campaigns of a company that are forgotten, newest first. */
export async function listForgottenCampaigns(
  db: Access,
  companyId: string,
  page: Page,
): Promise<Listed<ForgottenCampaign>> {
  const [{ rows, next }, [total]] = await Promise.all([
    readPage(db, sql.listCampaigns, page, (limit, from) => [companyId, limit, from]),
    db.run(sql.countCampaigns, [companyId]),
  ]);
  const views = rows.map((row) => ({
    campaignId: row.id,
    name: row.name,
    contactCount: row.count,
    createdAt: row.acknowledged_at,
  }));
  return { rows: views, totalCount: total!.count, next };
}

/**
 * Notifies companies, and the applications that sent for them, of campaigns that the database has forgotten, once an
 * administrator has decided what becomes of the rest; work of a tick.
 */
export async function notifyOfForgotten(app: Runtime, signal: AbortSignal): Promise<void> {
  for (let count = 0; count < ACCOUNTS_AT_ONCE && !signal.aborted; count++)
    if (!(await app.database.transaction((tx) => notifyOne(app, tx)))) return;
}

async function notifyOne(app: Runtime, tx: Tx): Promise<boolean> {
  const campaigns = await tx.run(sql.takeToNotify, [NOTIFIED_AT_ONCE]);
  const [first] = campaigns;
  if (!first) return false;
  const accountId = first.account_id;
  const events = campaigns.map(({ id, count, app: sender, acknowledged_at: acceptedAt }) => ({
    type: "campaign.lost" as const,
    endpointId: sender?.endpointId ?? null,
    listenerId: accountId,
    requestId: id,
    data: {
      ...(sender && { connectionId: sender.connectionId, externalAccountId: sender.externalAccountId }),
      campaignId: id,
      status: "LOST" as const,
      total: count,
      acceptedAt: acceptedAt.toISOString(),
    },
  }));
  if ((await emitToWatchers(tx, events)) > 0) tx.onEnd((fate) => fate !== "undone" && announceEvents(app));
  const owner = await findOwner(tx, accountId);
  if (!owner) return true;
  const { subject, text } = wordsOf(campaigns.length, `${app.publicUrl}/campaigns/forgotten`)[owner.language];
  await sendNotice(app, tx, { phone: owner.phone, email: owner.email, subject, text, sms: text });
  return true;
}

function wordsOf(campaigns: number, page: string) {
  return {
    fr: {
      subject: "Des campagnes perdues lors d’une panne",
      text: `Une panne a effacé ${campaigns} de vos campagnes, déjà acceptées. Elles ne sont pas débitées ; une partie de leurs SMS a pu partir. Voyez lesquelles avant de les renvoyer : ${page}`,
    },
    en: {
      subject: "Campaigns lost in an outage",
      text: `An outage has lost ${campaigns} of your campaigns that had been accepted. They are not charged; some of their SMS may have gone out. See which ones before you send them again: ${page}`,
    },
  };
}

/** Deletes what is older than 90 days; work of a job. */
export async function forgetForgotten(app: Runtime, signal: AbortSignal): Promise<void> {
  const values = [KEPT_DAYS, DELETED_AT_ONCE];
  while (!signal.aborted && (await app.database.run(sql.deleteOld, values)).length === DELETED_AT_ONCE);
  await app.database.run(sql.deleteOldReports, [KEPT_DAYS]);
}
