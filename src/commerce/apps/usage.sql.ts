// The query of a company's usage.
import type { QuotaName } from "../../identity/accounts/quotas.ts";
import { query } from "../../platform/database/query.ts";

/** Counts what a company has of each thing with a quota. */
export const countUsage = query<Record<QuotaName, number>>(
  "apps.countUsage",
  `SELECT coalesce((SELECT contact_count FROM contact_counts WHERE company_id = $1), 0) AS contacts,
          (SELECT count(*) FROM groups WHERE company_id = $1) AS groups,
          (SELECT coalesce(sum(contact_count), 0)::bigint FROM groups WHERE company_id = $1) AS "groupMembers",
          coalesce((SELECT optout_count FROM optout_counts WHERE company_id = $1), 0) AS optouts,
          (SELECT count(*) FROM campaigns WHERE company_id = $1 AND next_at IS NOT NULL) AS schedules,
          (SELECT count(*) FROM campaign_drafts WHERE company_id = $1) AS drafts,
          (SELECT count(*) FROM campaign_templates WHERE company_id = $1) AS templates,
          (SELECT count(*) FROM apps WHERE company_id = $1 AND status <> 'REJECTED') AS applications,
          (SELECT count(*) FROM connections WHERE company_id = $1 AND status = 'CONNECTED') AS connections,
          (SELECT count(*) FROM customers WHERE company_id = $1) AS customers,
          (SELECT count(*) FROM offers WHERE company_id = $1) AS offers,
          (SELECT count(*) FROM api_keys WHERE company_id = $1) AS keys,
          (SELECT count(*) FROM memberships WHERE company_id = $1) AS members,
          (SELECT count(*) FROM imports WHERE company_id = $1 AND ended_at IS NULL) AS imports,
          (SELECT count(*) FROM webhook_endpoints
           WHERE company_id = $1 AND disabled_reason IS DISTINCT FROM 'DELETED') AS webhooks`,
);
