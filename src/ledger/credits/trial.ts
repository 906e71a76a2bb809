// The trial of a company that signed up: credits for the simulated handsets, of which the rest is taken back at its end.
import { markTrialBegun, markTrialEnded } from "../../identity/accounts/accounts.ts";
import type { Tx } from "../../platform/database.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { grantCredits } from "./credits.ts";
import * as sql from "./sql.ts";

/** What the company reads in its statement. */
const GRANTED = "Crédits d’essai";
const TAKEN_BACK = "Fin de l’essai : crédits d’essai non utilisés";

/** Puts a company that was just made on trial, with the credits of the installation for that. */
export async function beginTrial(tx: Tx, app: Runtime, companyId: string): Promise<void> {
  const credit = app.config.limits.trialCredits;
  await markTrialBegun(tx, companyId, credit);
  const key = `trial:${companyId}:begin`;
  if (credit > 0)
    await grantCredits(tx, { poolId: companyId, kind: "company", credit, reason: GRANTED, key });
}

/**
 * Ends the trial of a company; for any other company it does nothing. What is left of the trial's credits is taken back:
 * they count as spent before all others, and what is held for a message stays held.
 */
export async function endTrial(tx: Tx, companyId: string): Promise<void> {
  const granted = await markTrialEnded(tx, companyId);
  if (granted === undefined || granted === 0) return;
  const [pool] = await tx.run(sql.lockSpent, [companyId]);
  const left = pool ? Math.min(pool.available, granted - pool.spent) : 0;
  const key = `trial:${companyId}:end`;
  if (left > 0)
    await grantCredits(tx, { poolId: companyId, kind: "company", credit: -left, reason: TAKEN_BACK, key });
}
