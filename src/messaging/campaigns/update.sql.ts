// The queries that change campaigns.
import { query } from "../../platform/database/query.ts";

/**
 * The version of a campaign's row, which every change replaces. `hasRun`: a run was tried, so people may have received
 * its content, or an administrator may be reviewing it.
 */
export const findVersion = query<{ version: string; hasRun: boolean }>(
  "campaigns.findVersion",
  `SELECT xmin::text AS version, EXISTS (
     SELECT FROM campaign_runs WHERE company_id = $1 AND campaign_id = $2) AS "hasRun"
   FROM campaigns WHERE company_id = $1 AND id = $2`,
);

/** Returns no row if the company has no such campaign. */
export const markNamed = query<{ id: string }>(
  "campaigns.markNamed",
  "UPDATE campaigns SET name = $3 WHERE company_id = $1 AND id = $2 RETURNING id",
);

/** Changes a campaign's text and custom fields, and the numbers of people that it reaches or not. */
export const markSaid = query<
  never,
  {
    companyId: string;
    id: string;
    text: string;
    count: number;
    blockedCount: number;
    ownVariables: string | null;
  }
>(
  "campaigns.markSaid",
  `UPDATE campaigns SET body = $text, contact_count = $count, blocked_count = $blockedCount, own_variables = $ownVariables::jsonb
   WHERE company_id = $companyId AND id = $id`,
);

/** Deletes the named contacts of a campaign: 10,000 at most. */
export const deleteAllNamed = query(
  "campaigns.deleteAllNamed",
  "DELETE FROM campaign_contacts WHERE company_id = $1 AND campaign_id = $2",
);
