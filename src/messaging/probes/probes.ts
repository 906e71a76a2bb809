// Test handsets: phones whose owners agreed to get messages by every route, and to confirm those that arrive.
import { type Static, Type } from "typebox";
import { nowMs } from "../../platform/clock.ts";
import { readListed, shownAs } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import { deleteInSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseTaken } from "../../platform/database/unique.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { member } from "../../platform/http/meanings.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { Name, Phone } from "../../platform/http/schemas.ts";
import { lowestId, newId, timeOf } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { requirePhone } from "../../protocol/sms/phone.ts";
import { type Probe, type ProbeSend, probeMeanings } from "./shapes.ts";
import * as sql from "./sql.ts";

const HOURS_AT_MOST = 30 * 24;

export const ProbeInput = Type.Object({
  phone: Phone,
  name: member(Name, probeMeanings.name),
  consent: member(Type.String({ minLength: 1, maxLength: 500 }), probeMeanings.consent),
  language: member(Type.Optional(Type.Enum(["fr", "en"])), probeMeanings.language),
  everyHours: member(
    Type.Optional(Type.Integer({ minimum: 1, maximum: HOURS_AT_MOST })),
    probeMeanings.everyHours,
  ),
});

const TAKEN: Sentence = {
  fr: "est déjà celui d’un téléphone de test",
  en: "already belongs to a test handset",
};
const tooMany = (most: number): Sentence => ({
  fr: `le maximum de ${most} téléphones de test est atteint`,
  en: `the maximum of ${most} test handsets is reached`,
});

/**
 * Creates a test handset. With `everyHours`, its first messages go out within a minute. Refuses `invalid-phone-number`,
 * and `conflict` if the phone has one already, or beyond 100.
 */
export async function createProbe(
  tx: Tx,
  app: Pick<Runtime, "config">,
  input: Static<typeof ProbeInput>,
): Promise<Probe> {
  const { name, consent, language = "fr", everyHours = null } = input;
  const phone = requirePhone(input.phone, "phone");
  const most = app.config.limits.probes;
  const made = { id: newId(), phone, name, consent, language, everyHours, most };
  const [row] = await refuseTaken(tx.run(sql.insertProbe, made), "phone", TAKEN);
  return row ?? refuseConflict("phone", tooMany(most));
}

/** Returns one page of the test handsets. */
export function listProbes(db: Statements, page: Page): Promise<Listed<Probe>> {
  return readListed(db, sql.listProbes, page, {});
}

/** Returns one test handset. Refuses `not-found`. */
export async function readProbe(db: Statements, id: string): Promise<Probe> {
  return requireRow(db.run(sql.findProbe, [id]), "not-found");
}

/** Deletes a test handset and its results, and returns it as it was. What counts for routes stays. Refuses `not-found`. */
export async function deleteProbe(tx: Tx, id: string): Promise<Probe> {
  const known = await readProbe(tx, id);
  await tx.run(sql.deleteProbe, [id]);
  return known;
}

/** Deletes the test handset of a person who is erased. */
export async function eraseProbe(tx: Tx, phone: string): Promise<void> {
  await tx.run(sql.deleteProbeOf, [phone]);
}

/** Returns one page of what was sent to a test handset, newest first. Refuses `not-found`. */
export async function listResults(
  db: Statements,
  { id: probeId, ...page }: Page & { id: string },
): Promise<Listed<ProbeSend>> {
  await readProbe(db, probeId);
  return shownAs(readListed(db, sql.listSends, page, { probeId }), ({ isOver, ...row }): ProbeSend => {
    const unconfirmed = isOver ? "UNCONFIRMED" : "PENDING";
    const result = row.confirmedAt ? "CONFIRMED" : unconfirmed;
    return { ...row, result, createdAt: new Date(timeOf(row.id)) };
  });
}

const KEPT_MS = 90 * 24 * 3_600_000;
const STEPS = { atOnce: 1_000, most: 100 };

/** Deletes the results of test handsets after 90 days. A job runs it. */
export function forgetResults(app: Runtime, signal?: AbortSignal): Promise<void> {
  return deleteInSteps(app, sql.deleteOldSends, [lowestId(nowMs() - KEPT_MS)], STEPS, signal);
}
