// The quality of an operator's routes: what an administrator reads of it, and how long it is kept.
import { type Static, Type } from "typebox";
import { nowMs } from "../../platform/clock.ts";
import type { Statements } from "../../platform/database/query.ts";
import { deleteInSteps } from "../../platform/database/steps.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { member } from "../../platform/http/meanings.ts";
import { timesOfPeriod } from "../../platform/http/periods.ts";
import type { Language } from "../../platform/http/refusals.ts";
import { readInstant } from "../../platform/http/timestamps.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { readOperator } from "../operators/operators.ts";
import { addCounts, type Count, type Counts, noCounts } from "./counts.ts";
import { percentileOf } from "./latencies.ts";
import type { RouteQuality } from "./shapes.ts";
import * as sql from "./sql.ts";
import { suspicionOf } from "./suspects.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The units of points: their length, how many are in a period at most, and how many without `from`. */
const UNITS = {
  hour: { ms: HOUR_MS, most: 7 * 24, unasked: 24, fr: "heures", en: "hours" },
  day: { ms: DAY_MS, most: 400, unasked: 30, fr: "jours", en: "days" },
} as const;
type Unit = keyof typeof UNITS;

export const QualityWanted = Type.Object({
  id: idOf("operator"),
  ...timesOfPeriod,
  by: member(Type.Optional(Type.Enum(["hour", "day"])), {
    fr: "Points par heure (24 heures par défaut, 7 jours au plus) ou par jour (30 jours par défaut, 400 au plus)",
    en: "Points by hour (24 hours by default, at most 7 days) or by day (30 days by default, at most 400)",
  }),
  prefix: member(Type.Optional(Type.String({ minLength: 1, maxLength: 15 })), {
    fr: "Seulement les numéros de ce préfixe de l’opérateur",
    en: "Only the numbers of this prefix of the operator",
  }),
});

const PREFIXES_AT_MOST = 100;
const SUSPECTS_AT_MOST = 1_000;

/**
 * Reads what an operator accepted and reported in a period, and whether a route of it is suspect; the sentences are in
 * this language. Refuses `not-found`, and `invalid-request` for an invalid or too long period.
 */
export async function readQuality(
  db: Statements,
  language: Language,
  { id: operatorId, by = "hour", prefix, ...period }: Optional<Static<typeof QualityWanted>>,
): Promise<RouteQuality> {
  const { from, to } = periodOf(period, by);
  await readOperator(db, operatorId);
  const wanted = { operatorId, from, to, prefix: prefix ?? null };
  const [points, prefixes, suspects] = await Promise.all([
    db.run(sql.listPoints, { ...wanted, by }),
    db.run(sql.listPrefixes, { ...wanted, limit: PREFIXES_AT_MOST }),
    db.run(sql.listSuspects, [operatorId, SUSPECTS_AT_MOST]),
  ]);
  const totals = noCounts({});
  for (const point of points) addCounts(totals, countsOf(point));
  return {
    ...{ operatorId, by, from, to },
    totals: figuresOf(totals),
    points: points.map((row) => ({ at: row.at, ...figuresOf(countsOf(row)) })),
    prefixes: prefixes.map((row) => ({ prefix: row.prefix, ...figuresOf(countsOf(row)) })),
    suspect: suspects.length > 0,
    suspects: suspects.map((row) => ({
      ...{ prefix: row.prefix, proof: row.proof, since: row.since },
      reason: suspicionOf(row)[language],
    })),
  };
}

type Optional<Of> = { [Name in keyof Of]: Of[Name] | undefined } & { id: string };

/** Returns the requested period in whole hours or days of UTC. Refuses `invalid-request`. */
function periodOf(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  by: Unit,
): { from: Date; to: Date } {
  const unit = UNITS[by];
  const last = to === undefined ? nowMs() : readInstant(to, "to").getTime();
  const end = Math.ceil(last / unit.ms) * unit.ms;
  const first = from === undefined ? end - unit.unasked * unit.ms : readInstant(from, "from").getTime();
  const begin = Math.floor(first / unit.ms) * unit.ms;
  if (begin >= end) refuseField("from", { fr: "n’est pas antérieur à to", en: "is not before to" });
  if (end - begin > unit.most * unit.ms)
    refuseField("from", {
      fr: `est antérieur à to de plus de ${unit.most} ${unit.fr}`,
      en: `is more than ${unit.most} ${unit.en} before to`,
    });
  return { from: new Date(begin), to: new Date(end) };
}

function countsOf(row: Record<Count, number> & { latencies: string[] }): Counts {
  return { ...row, latencies: row.latencies.map(Number) };
}

function figuresOf(counts: Counts): RouteQuality["totals"] {
  const { accepted, delivered, undelivered, codesSent, codesVerified, probesSent, probesConfirmed } = counts;
  return {
    ...{ accepted, delivered, undelivered },
    // A receipt may be counted before its acceptance is, by another process.
    unknown: Math.max(0, accepted - delivered - undelivered),
    deliveredShare: shareOf(delivered, accepted),
    p50Ms: percentileOf(counts.latencies, 0.5),
    p95Ms: percentileOf(counts.latencies, 0.95),
    refused: {
      recipient: counts.refusedRecipient,
      sender: counts.refusedSender,
      operator: counts.refusedOperator,
      service: counts.refusedService,
    },
    otp: { sent: codesSent, verified: codesVerified, share: shareOf(codesVerified, codesSent) },
    probes: { sent: probesSent, confirmed: probesConfirmed, share: shareOf(probesConfirmed, probesSent) },
  };
}

/** Returns a share to three decimals, 1 at most; null of nothing. */
function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.min(1, Math.round((part / whole) * 1_000) / 1_000);
}

const HOURS_KEPT_DAYS = 35;
const DAYS_KEPT = 400;
const STEPS = { atOnce: 5_000, most: 200 };

/** Adds hours up to days after 35 days, and deletes days after 400 and what deleted operators have. A job runs it. */
export async function keepQuality(app: Runtime, signal?: AbortSignal): Promise<void> {
  await deleteInSteps(app, sql.deleteOfDeleted, [], STEPS, signal);
  await deleteInSteps(app, sql.rollUp, [HOURS_KEPT_DAYS], STEPS, signal);
  await deleteInSteps(app, sql.deleteOldDays, [DAYS_KEPT], STEPS, signal);
}
