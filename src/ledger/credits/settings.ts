// Settings: what a company sees and chooses of itself, with the balance below which its owner is told.
import { type Static, Type } from "typebox";
import { quotasOf, updateCompany } from "../../identity/accounts/accounts.ts";
import type { Statements, Tx } from "../../platform/database.ts";
import { refuse } from "../../platform/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { Name, nullable } from "../../platform/schemas.ts";
import { timeZoneOf } from "../../platform/zones.ts";
import * as sql from "./settings.sql.ts";
import type { OwnCompany } from "./shapes.ts";

const THRESHOLD_AT_MOST = 1_000_000_000;

/** What a company may change of itself. What is not said stays; `lowBalance` null: nobody is told. */
export const OwnChanges = Type.Object({
  name: Type.Optional(Name),
  language: Type.Optional(Type.Enum(["fr", "en"])),
  lowBalance: nullable(Type.Integer({ minimum: 1, maximum: THRESHOLD_AT_MOST })),
});

/** A company as its members see it. Refuses `not-found`. */
export async function readOwnCompany(db: Statements, app: Runtime, companyId: string): Promise<OwnCompany> {
  const [row] = await db.run(sql.findOwnCompany, [companyId]);
  if (!row) refuse("not-found");
  return { ...row, timeZone: timeZoneOf(row.country), quotas: quotasOf(app.config, row.quotas) };
}

/** Changes what a company may change of itself. */
export async function updateOwnCompany(
  tx: Tx,
  companyId: string,
  { name, language, lowBalance }: Static<typeof OwnChanges>,
): Promise<void> {
  if (name !== undefined || language !== undefined)
    await updateCompany(tx, companyId, { ...(name && { name }), ...(language && { language }) });
  if (lowBalance !== undefined) await tx.run(sql.upsertThreshold, [companyId, lowBalance]);
}

/** Lets those be told again whose balance is above their thresholds. */
export async function rearmThresholds(db: Statements): Promise<void> {
  await db.run(sql.rearmThresholds);
}

/**
 * A company whose owner is to be told that its balance is low: this transaction alone tells it, and none did in the
 * last `pauseMs`. Undefined: there is none.
 */
export async function takeLowBalance(tx: Tx, pauseMs: number) {
  const [low] = await tx.run(sql.takeLowBalance, [pauseMs]);
  return low;
}
