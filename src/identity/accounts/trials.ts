// Trials: a company that signed up itself cannot send to real phones until an administrator accepts its first sender.

import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import * as sql from "./sql.ts";

const KNOWN_AT_MOST = 100_000;

/** Accounts that are not on trial. A trial begins only when a company is created, so an entry never becomes wrong. */
const others = perRuntime(() => new Set<string>());

/** Returns whether a company's messages only go to simulated handsets. Other kinds of account are never on trial. */
export async function isOnTrial(app: Runtime, db: Statements, accountId: string): Promise<boolean> {
  const known = others(app);
  if (known.has(accountId)) return false;
  const [company] = await db.run(sql.findTrial, [accountId]);
  if (company?.trial) return true;
  if (known.size >= KNOWN_AT_MOST) known.clear();
  known.add(accountId);
  return false;
}

/** Returns whether all companies of a user are on trial; one-time passwords at the user's own cost are then, too. */
export async function isUserOnTrial(db: Statements, userId: string): Promise<boolean> {
  const [user] = await db.run(sql.findTrialOfUser, [userId]);
  return user?.trial ?? false;
}

/** Puts a company created by this transaction on trial, with this many credits. */
export async function markTrialBegun(tx: Tx, companyId: string, credits: number): Promise<void> {
  await tx.run(sql.markTrialBegun, [companyId, credits]);
}

/** Ends a trial and returns the credits granted for it; undefined if the company is not on trial. */
export async function markTrialEnded(tx: Tx, companyId: string): Promise<number | undefined> {
  const [ended] = await tx.run(sql.markTrialEnded, [companyId]);
  return ended?.credits;
}
