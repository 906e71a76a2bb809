// Settings: what a company sees and changes of itself, with the balance below which its owner is notified.
import { type Static, Type } from "typebox";
import { updateCompany } from "../../identity/accounts/accounts.ts";
import { quotasOf } from "../../identity/accounts/quotas.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { requireRow } from "../../platform/http/refusals.ts";
import { Name, nullable } from "../../platform/http/schemas.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { timeZoneOf } from "../../platform/zones.ts";
import * as sql from "./settings.sql.ts";
import type { OwnCompany } from "./shapes.ts";

const THRESHOLD_AT_MOST = 1_000_000_000;

/** What a company may change of itself. Absent members stay unchanged; `lowBalance` null: nobody is notified. */
export const OwnChanges = Type.Object({
  name: Type.Optional(Name),
  language: Type.Optional(Type.Enum(["fr", "en"])),
  lowBalance: nullable(Type.Integer({ minimum: 1, maximum: THRESHOLD_AT_MOST })),
});

/** Returns a company as its members see it. Refuses `not-found`. */
export async function readOwnCompany(db: Statements, app: Runtime, companyId: string): Promise<OwnCompany> {
  const row = await requireRow(db.run(sql.findOwnCompany, [companyId]), "not-found");
  return { ...row, timeZone: timeZoneOf(row.country), quotas: quotasOf(app.config, row.quotas) };
}

/** Updates what a company may change of itself. */
export async function updateOwnCompany(
  tx: Tx,
  companyId: string,
  { name, language, lowBalance }: Static<typeof OwnChanges>,
): Promise<void> {
  if (name !== undefined || language !== undefined)
    await updateCompany(tx, companyId, { ...(name && { name }), ...(language && { language }) });
  if (lowBalance !== undefined) await tx.run(sql.upsertThreshold, [companyId, lowBalance]);
}

/** Allows another notification for the companies whose balances are above their thresholds again. */
export async function rearmThresholds(db: Statements): Promise<void> {
  await db.run(sql.rearmThresholds);
}

/**
 * Takes a company whose owner must be notified of a low balance: only this transaction notifies, and no other did
 * within `pauseMs`. Returns undefined if there is none.
 */
export async function takeLowBalance(tx: Tx, pauseMs: number) {
  const [low] = await tx.run(sql.takeLowBalance, [pauseMs]);
  return low;
}
