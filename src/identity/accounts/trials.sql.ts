// The queries of trials.
import { query } from "../../platform/database/query.ts";

export const findTrial = query<{ trial: boolean }>(
  "accounts.findTrial",
  "SELECT trial FROM companies WHERE id = $1",
);

/** Returns null for a user without a company. */
export const findTrialOfUser = query<{ trial: boolean | null }>(
  "accounts.findTrialOfUser",
  `SELECT bool_and(companies.trial) AS trial FROM memberships JOIN companies ON companies.id = memberships.company_id
   WHERE memberships.user_id = $1`,
);

export const markTrialBegun = query(
  "accounts.markTrialBegun",
  "UPDATE companies SET trial = true, trial_credits = $2 WHERE id = $1",
);

/** Returns no row if the company is not on trial. */
export const markTrialEnded = query<{ credits: number }>(
  "accounts.markTrialEnded",
  `UPDATE companies SET trial = false, trial_ended_at = now() WHERE id = $1 AND trial RETURNING trial_credits AS credits`,
);
