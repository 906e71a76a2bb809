// The queries that change what campaigns say.
import { query } from "../../platform/database.ts";

/**
 * Which version of a campaign's row this is: every change makes another one. `hasRun`: a run of it was tried, so what it
 * says is what somebody got, or reviews.
 */
export const findVersion = query<{ version: string; hasRun: boolean }>(
  "campaigns.findVersion",
  `SELECT xmin::text AS version, EXISTS (
     SELECT FROM campaign_runs WHERE company_id = $1 AND campaign_id = $2) AS "hasRun"
   FROM campaigns WHERE company_id = $1 AND id = $2`,
);

/** Returns no row where the company has no such campaign. */
export const markNamed = query<{ id: string }>(
  "campaigns.markNamed",
  "UPDATE campaigns SET name = $3 WHERE company_id = $1 AND id = $2 RETURNING id",
);

/** Changes the text ($3) of a campaign with its own variables ($6), and how many people it would reach ($4) or not ($5). */
export const markSaid = query(
  "campaigns.markSaid",
  "UPDATE campaigns SET body = $3, contact_count = $4, blocked_count = $5, own_variables = $6::jsonb WHERE company_id = $1 AND id = $2",
);

/** Deletes whom a campaign names: 10,000 at most. */
export const deleteAllNamed = query(
  "campaigns.deleteAllNamed",
  "DELETE FROM campaign_contacts WHERE company_id = $1 AND campaign_id = $2",
);
