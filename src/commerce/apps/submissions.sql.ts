// The queries of public submissions: the daily budget, the surplus beyond it, and the slugs of pending ones.
import { query } from "../../platform/database/query.ts";

/** Counts the public submissions of the last 24 hours that are not surplus, up to $1. */
export const countOfBudget = query<{ count: number }>(
  "apps.countOfBudget",
  `SELECT count(*) FROM (
     SELECT FROM apps
     WHERE company_id IS NULL AND NOT is_surplus AND created_at > now() - interval '24 hours' LIMIT $1
   ) submitted`,
);

/** Locks a slug until the commit, so that concurrent submissions see who has it. */
export const lockSlug = query(
  "apps.lockSlug",
  "SELECT pg_advisory_xact_lock(hashtextextended('app slug ' || $1, 0))",
);

/** Takes the slug $1 from a public submission that has been pending for longer than $2 milliseconds. */
export const releaseSlug = query(
  "apps.releaseSlug",
  `UPDATE apps SET holds_slug = false
   WHERE slug = $1 AND status = 'PENDING_REVIEW' AND company_id IS NULL AND holds_slug
     AND created_at < now() - $2::bigint * interval '1 millisecond'`,
);

/** Restores a submission's slug. Returns no row if another application has it. */
export const holdSlug = query<{ id: string }>(
  "apps.holdSlug",
  `UPDATE apps SET holds_slug = true
   WHERE id = $1 AND NOT EXISTS (
     SELECT FROM apps other WHERE other.slug = apps.slug AND other.status <> 'REJECTED' AND other.holds_slug)
   RETURNING id`,
);

/** Deletes a limited number of surplus submissions older than $1 milliseconds. Ones decided meanwhile stay. */
export const deleteOldSurplus = query<{ id: string }>(
  "apps.deleteOldSurplus",
  `DELETE FROM apps WHERE is_surplus AND id = ANY(ARRAY(
     SELECT id FROM apps WHERE is_surplus AND created_at < now() - $1::bigint * interval '1 millisecond'
     ORDER BY created_at LIMIT 5000
   )) RETURNING id`,
);

/** Deletes a limited number of the oldest surplus submissions beyond the newest $1. */
export const deleteExcessSurplus = query<{ id: string }>(
  "apps.deleteExcessSurplus",
  `DELETE FROM apps WHERE is_surplus AND id = ANY(ARRAY(
     SELECT id FROM apps WHERE is_surplus ORDER BY created_at DESC OFFSET $1 LIMIT 5000
   )) RETURNING id`,
);
