// Lost data: each process looks for what it has acknowledged in a restored database, and lists what is missing.
import { hostname } from "node:os";
import { resolve } from "node:path";
import { type Static, Type } from "typebox";
import { announceEvents, emitToSubscribers } from "../../events/webhooks/webhooks.ts";
import { nowMs } from "../../platform/clock.ts";
import type { Access } from "../../platform/database/database.ts";
import { readIncarnation } from "../../platform/database/decisions.ts";
import { readListed } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import { deleteInSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import {
  ACKNOWLEDGED_KINDS,
  type Acknowledged,
  type AcknowledgedLine,
} from "../../platform/files/acknowledgedlines.ts";
import { member } from "../../platform/http/meanings.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { startTicks } from "../../platform/jobs/jobs.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { type Notice, notifyOwner } from "../notices/notices.ts";
import type { Forgotten, ForgottenCampaign, ForgottenReport, ForgottenSums } from "./shapes.ts";
import { recoveryMeanings } from "./shapes.ts";
import * as sql from "./sql.ts";
import { forgetSubmitted, reportSubmitted } from "./submitted.ts";

const LOOK_EVERY_MS = 1_000;
/** A process that starts later reports nothing: by then its files may be deleted. */
const REPORTED_WITHIN_MS = 3_600_000;
/** A heartbeat is committed every 3 s, so data older than the last one by this much must be in the database. */
const MARGIN_MS = 60_000;
const REPORTS_SHOWN = 100;
const NOTIFIED_AT_ONCE = 1_000;
const ACCOUNTS_AT_ONCE = 1_000;
const KEPT_DAYS = 90;
const DELETED_AT_ONCE = 5_000;

/**
 * Makes this process check what it has acknowledged: before it confirms a server that took over, and when sending is
 * held. Data that the database lacks is listed there.
 */
export function keepReporting(app: Runtime): { stop(): Promise<void> } {
  app.incarnation.addVerifier({
    finds: async (db) => (await missingAmong(db, app.acknowledged.recent)).length === 0,
    takeDownEnded: () => app.acknowledged.takeDown(),
  });
  let looked: number | undefined;
  const run = async (_app: Runtime, signal: AbortSignal): Promise<void> => {
    const { number } = app.incarnation;
    if (number === undefined || number === looked) return;
    await report(app, signal);
    looked = number;
  };
  return startTicks(app, [{ name: "forgotten-report", pauseMs: LOOK_EVERY_MS, run }]);
}

/** Reports on the latest incarnation, unless it is old, the first one, or known to have lost nothing. */
async function report(app: Runtime, signal: AbortSignal): Promise<void> {
  const { acknowledged, config, database, log } = app;
  const { number, reason, decision, ...row } = await readIncarnation(database);
  const madeMs = row.made_at.getTime();
  if (reason === null || decision === "CONTINUED" || nowMs() - madeMs > REPORTED_WITHIN_MS) return;
  const sums: ForgottenSums = { campaigns: 0, messages: 0, codes: 0, credits: 0, changes: 0 };
  const sinceMs = (row.last_beat_at?.getTime() ?? madeMs) - MARGIN_MS;
  await reportSubmitted(app, { number, sinceMs }, signal);
  let count = 0;
  for await (const some of acknowledged.read(sinceMs, madeMs)) {
    if (signal.aborted) return;
    const missing = await missingAmong(database, some);
    await list(database, number, missing);
    for (const one of missing) add(sums, one);
    count += some.length;
  }
  await database.run(sql.upsertReport, {
    incarnation: number,
    host: hostname(),
    folder: resolve(config.dataDir),
    since: acknowledged.since(),
    acknowledged: count,
    ...sums,
  });
  if (Object.values(sums).some((sum) => sum !== 0))
    log.error({ incarnation: number, ...sums }, "the database has forgotten what was acknowledged");
}

function add(sums: ForgottenSums, { kind, count }: Acknowledged): void {
  if (kind === "campaign") {
    sums.campaigns++;
    sums.messages += count;
  } else if (kind === "code") sums.codes++;
  else if (kind === "credits") sums.credits += count;
  else sums.changes++;
}

async function list(db: Statements, incarnation: number, lines: readonly AcknowledgedLine[]): Promise<void> {
  if (lines.length === 0) return;
  const missing = lines.map(({ kind, id, accountId, count, name = null, app, atMs }) => ({
    ...{ kind, id, accountId, count, name },
    app: app ? JSON.stringify(app) : null,
    at: new Date(atMs),
  }));
  await db.run(sql.insertForgotten, { incarnation, missing });
}

/**
 * Returns what the database lacks, each item once: a fixed key, such as that of the demo's credits, may occur twice.
 */
async function missingAmong<One extends Acknowledged>(db: Statements, all: readonly One[]): Promise<One[]> {
  const missing = ACKNOWLEDGED_KINDS.map(async (kind) => {
    const seen = [
      ...new Map(all.filter((item) => item.kind === kind).map((item) => [item.id, item])).values(),
    ];
    if (seen.length === 0) return [];
    const rows = await db.run(sql.findThere[kind], { seen });
    const there = new Set(rows.map(({ id }) => id));
    return seen.filter(({ id }) => !there.has(id));
  });
  return (await Promise.all(missing)).flat();
}

/** Returns the sums of what an incarnation lacks, and the newest 100 reports of processes. */
export async function readForgotten(
  db: Statements,
  incarnation: number,
): Promise<{ forgotten: ForgottenSums; reports: ForgottenReport[] }> {
  // First the reports: what a shown report counts is then in the sums.
  const reports = await db.run(sql.listReports, [incarnation, REPORTS_SHOWN]);
  const forgotten = await one(db, sql.sumReports, [incarnation]);
  return { forgotten, reports: reports.map(reportOf) };
}

function reportOf({
  host,
  folder,
  since,
  acknowledged,
  reported_at,
  ...forgotten
}: sql.ReportRow): ForgottenReport {
  return { host, folder, since, acknowledged, forgotten, reportedAt: reported_at };
}

export const ForgottenWanted = Type.Object({
  kind: member(Type.Optional(Type.Enum([...ACKNOWLEDGED_KINDS])), recoveryMeanings.kind),
});

/** Returns one page of what is lost. */
export async function listForgotten(
  db: Statements,
  { kind = null, ...page }: Page & { kind?: Static<typeof ForgottenWanted>["kind"] | null },
): Promise<Listed<Forgotten>> {
  return readListed(db, sql.listForgotten, page, { kind });
}

/** Returns one page of a company's lost campaigns, newest first. */
export async function listForgottenCampaigns(
  db: Access,
  accountId: string,
  page: Page,
): Promise<Listed<ForgottenCampaign>> {
  return readListed(db, sql.listCampaigns, page, { accountId });
}

/**
 * Notifies companies, and the applications that sent for them, of campaigns that the database has lost, once an
 * administrator has decided about the queued messages. A job runs it.
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
  if ((await emitToSubscribers(tx, events)) > 0) tx.onEnd((fate) => fate !== "undone" && announceEvents(app));
  if (!first.isRepeated)
    await notifyOwner(app, tx, accountId, noticeOf(`${app.publicUrl}/campaigns/forgotten`));
  return true;
}

function noticeOf(page: string): Notice {
  return {
    subject: { fr: "Campagnes perdues lors d’une panne", en: "Campaigns lost in an outage" },
    text: {
      fr: `Une panne a effacé des campagnes que nous avions acceptées. Elles ne sont pas débitées, mais une partie de leurs SMS a pu partir. Consultez-les avant de les renvoyer : ${page}`,
      en: `An outage erased campaigns that we had accepted. They are not charged, but some of their SMS may have been sent. Review them before you send them again: ${page}`,
    },
  };
}

/** Deletes entries and reports older than 90 days. A job runs it. */
export async function forgetForgotten(app: Runtime, signal: AbortSignal): Promise<void> {
  await deleteInSteps(app, sql.deleteOld, [KEPT_DAYS], { atOnce: DELETED_AT_ONCE }, signal);
  await app.database.run(sql.deleteOldReports, [KEPT_DAYS]);
  await forgetSubmitted(app, KEPT_DAYS, signal);
}
