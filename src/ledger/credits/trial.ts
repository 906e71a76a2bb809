// The trial of a company that signed up: credits for the simulated handsets; unused ones are taken back when it ends.
import { markTrialBegun, markTrialEnded } from "../../identity/accounts/trials.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { grantCredits } from "./credits.ts";
import * as sql from "./sql.ts";

/** These texts appear in the company's statement. */
const GRANTED = "Crédits d’essai";
const TAKEN_BACK = "Fin de l’essai : crédits d’essai non utilisés";

/** Puts a new company on trial, with the trial credits of the installation. */
export async function beginTrial(tx: Tx, app: Runtime, companyId: string): Promise<void> {
  const credit = app.config.limits.trialCredits;
  await markTrialBegun(tx, companyId, credit);
  const key = `trial:${companyId}:begin`;
  if (credit > 0)
    await grantCredits(tx, { poolId: companyId, kind: "company", credit, reason: GRANTED, key });
}

/**
 * Ends the trial of a company; does nothing for any other company. Takes back the unused trial credits: they count as
 * spent before all others, and credits held for a message stay held.
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
