// Trials: companies that signed up by themselves reach nobody's phone until an administrator accepts their first sender.
import type { Statements, Tx } from "../../platform/database.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import * as sql from "./trials.sql.ts";

const KNOWN_AT_MOST = 100_000;

/** Accounts that are on no trial. None begins later, since a company is made with it: so what is known here stays true. */
const others = perRuntime(() => new Set<string>());

/** Whether what a company sends goes to the simulated handsets alone. An account that is no company is on no trial. */
export async function isOnTrial(app: Runtime, db: Statements, accountId: string): Promise<boolean> {
  const known = others(app);
  if (known.has(accountId)) return false;
  const [company] = await db.run(sql.findTrial, [accountId]);
  if (company?.trial) return true;
  if (known.size >= KNOWN_AT_MOST) known.clear();
  known.add(accountId);
  return false;
}

/** Whether all companies of a user are on trial, so that a code at its own cost is too. */
export async function isUserOnTrial(db: Statements, userId: string): Promise<boolean> {
  const [user] = await db.run(sql.findTrialOfUser, [userId]);
  return user?.trial ?? false;
}

/** Puts a company that this transaction has made on trial, with so many credits. */
export async function markTrialBegun(tx: Tx, companyId: string, credits: number): Promise<void> {
  await tx.run(sql.markTrialBegun, [companyId, credits]);
}

/** Ends a trial; the credits that were granted for it, undefined where the company is on none. */
export async function markTrialEnded(tx: Tx, companyId: string): Promise<number | undefined> {
  const [ended] = await tx.run(sql.markTrialEnded, [companyId]);
  return ended?.credits;
}
