// The queries that duplicate a campaign.
import { query } from "../../platform/database/query.ts";

/** The groups of a campaign that still exist. */
export const listLivingGroups = query<{ id: string }>(
  "campaigns.listLivingGroups",
  `SELECT groups.id FROM campaign_groups named JOIN groups ON groups.company_id = named.company_id AND groups.id = named.group_id
   WHERE named.company_id = $1 AND named.campaign_id = $2 ORDER BY groups.id LIMIT $3`,
);
