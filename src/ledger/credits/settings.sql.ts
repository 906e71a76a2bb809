// The queries of a company's own settings and of its low balance.
import type { QuotaChoice } from "../../identity/accounts/quotas.ts";
import { query } from "../../platform/database/query.ts";
import type { OwnCompany } from "./shapes.ts";

/** A company as its members see it. */
export const findOwnCompany = query<Omit<OwnCompany, "timeZone" | "quotas"> & { quotas: QuotaChoice }>(
  "credits.findOwnCompany",
  `SELECT companies.id, name, country, language, sender_limit AS "senderLimit", is_partner AS partner, quotas,
     coalesce((SELECT available FROM pools WHERE pools.id = companies.id), 0) AS balance,
     (SELECT threshold FROM low_balances WHERE company_id = companies.id) AS "lowBalance", created_at AS "createdAt"
   FROM companies WHERE companies.id = $1`,
);

/** A new threshold allows a new notification. */
export const upsertThreshold = query(
  "credits.upsertThreshold",
  `INSERT INTO low_balances AS known (company_id, threshold) VALUES ($1, $2)
   ON CONFLICT (company_id) DO UPDATE SET threshold = excluded.threshold,
     is_told = known.is_told AND known.threshold IS NOT DISTINCT FROM excluded.threshold`,
);

/** Allows another notification for companies above their thresholds again. Few companies are notified at a time. */
export const rearmThresholds = query(
  "credits.rearmThresholds",
  `UPDATE low_balances low SET is_told = false FROM pools
   WHERE pools.id = low.company_id AND low.is_told AND pools.available >= low.threshold`,
);

/**
 * Marks one company as notified that is below its threshold, that no other transaction notifies now, and that was not
 * notified within $1 ms. Returns no row if there is none.
 */
export const takeLowBalance = query<{
  company_id: string;
  name: string;
  threshold: number;
  available: number;
}>(
  "credits.takeLowBalance",
  `UPDATE low_balances low SET is_told = true, told_at = now()
   FROM (
     SELECT waiting.company_id, companies.name, coalesce(pools.available, 0) AS available
     FROM low_balances waiting JOIN companies ON companies.id = waiting.company_id AND companies.suspended_at IS NULL
     LEFT JOIN pools ON pools.id = waiting.company_id
     WHERE NOT waiting.is_told AND waiting.threshold IS NOT NULL
       AND coalesce(waiting.told_at < now() - $1::bigint * interval '1 millisecond', true) AND coalesce(pools.available, 0) < waiting.threshold
     LIMIT 1 FOR NO KEY UPDATE OF waiting SKIP LOCKED
   ) found
   WHERE low.company_id = found.company_id RETURNING low.company_id, found.name, coalesce(low.threshold, 0) AS threshold, found.available`,
);
