// The share of an account's codes that are verified. If almost none is, they go to people who did not request them.

import { Counter } from "prom-client";
import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { noteRefusal } from "./guard.ts";
import { JUDGED_CODES, LOW_SHARE, STOP_CODES, STOP_SHARE } from "./limits.ts";
import type { OtpAllowed } from "./shapes.ts";
import * as sql from "./shares.sql.ts";

/** Accounts whose share fell. Call it when the process starts: Prometheus sees no increase to a first value. */
export const lowShares = perRuntime(
  (app) =>
    new Counter({
      name: "atumpan_otp_low_shares_total",
      help: "Accounts of whose last 100 one-time passwords less than 30 were verified; each counts when it falls.",
      registers: [app.metrics],
    }),
);

const SUSPECTS_AT_MOST = 1_000;
// The maximum number of codes that are read, including those that are no evidence.
const CODES_READ_AT_MOST = 1_000;

/**
 * Judges the accounts that have sent codes lately by their last 100 codes. A job runs it. Below 30 verified codes an
 * administrator is notified: by the list of the guard, the metrics and the log. At 5 or fewer, the account's codes are
 * stopped to the number prefixes where none or almost none was verified. At 30 all prefixes are allowed again.
 */
export async function judgeShares(app: Runtime, signal: AbortSignal): Promise<void> {
  const suspects = await app.database.run(sql.listSuspects, [JUDGED_CODES, LOW_SHARE, SUSPECTS_AT_MOST]);
  for (const { accountId } of suspects) {
    if (signal.aborted) return;
    const verdict = await app.database.transaction((tx) => judgeAccount(tx, accountId));
    if (!verdict) continue;
    if (verdict.isNew) lowShares(app).inc();
    if (verdict.isNew || verdict.stopped.length > 0)
      app.log.warn({ accountId, ...verdict }, "few one-time passwords of an account are verified");
  }
}

type Verdict = { verified: number; isNew: boolean; stopped: string[] };

/** Returns the verdict on an account with a low share; undefined if it is fair, or if there are too few codes. */
async function judgeAccount(tx: Tx, accountId: string): Promise<Verdict | undefined> {
  const share = await one(tx, sql.lockShare, [accountId]);
  const codes = await tx.run(sql.listJudged, [accountId, JUDGED_CODES, CODES_READ_AT_MOST]);
  if (codes.length < JUDGED_CODES) return undefined;
  const verified = verifiedOf(codes);
  if (verified >= LOW_SHARE) {
    if (share.isLow) await tx.run(sql.markFair, [accountId]);
    await tx.run(sql.deleteStops, [accountId]);
    return undefined;
  }
  const isNew = !share.isLow;
  if (isNew) {
    await tx.run(sql.markLow, [accountId]);
    await noteRefusal(tx, { accountId, rule: "low-share", destination: "" });
  }
  const stopped =
    verified > STOP_SHARE ? [] : await tx.run(sql.insertStops, [accountId, prefixesToStop(codes)]);
  return { verified, isNew, stopped: stopped.map(({ prefix }) => prefix) };
}

type JudgedCode = { prefix: string; verified: boolean };

/** Returns the prefixes to which several codes went, almost none of them verified. */
function prefixesToStop(codes: readonly JudgedCode[]): string[] {
  return [...Map.groupBy(codes, ({ prefix }) => prefix)]
    .filter(
      ([, some]) => some.length >= STOP_CODES && verifiedOf(some) * JUDGED_CODES <= STOP_SHARE * some.length,
    )
    .map(([prefix]) => prefix);
}

function verifiedOf(codes: readonly JudgedCode[]): number {
  return codes.filter(({ verified }) => verified).length;
}

/**
 * Allows all codes of an account again, and judges it only by later codes. A repeat changes nothing else. Refuses
 * `not-found`.
 */
export async function allowAccount(tx: Tx, accountId: string): Promise<OtpAllowed> {
  await requireRow(tx.run(sql.upsertAllowed, [accountId]), "not-found");
  const stops = await tx.run(sql.deleteStops, [accountId]);
  return { accountId, prefixes: stops.map(({ prefix }) => prefix).sort() };
}
