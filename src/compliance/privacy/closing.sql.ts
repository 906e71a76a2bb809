// The queries of closing and emptying a company.
import { query } from "../../platform/database/query.ts";

/** $2: how long the company can be reopened. */
export const insertClosing = query<{ empty_at: Date }>(
  "privacy.insertClosing",
  `INSERT INTO closings (company_id, empty_at) VALUES ($1, now() + $2::bigint * interval '1 millisecond')
   ON CONFLICT (company_id) DO UPDATE SET company_id = excluded.company_id RETURNING empty_at`,
);

/**
 * Deletes a closing that has not begun to empty the company. A failed step postpones `empty_at`, so `empty_at` alone
 * does not show that.
 */
export const deleteClosing = query<{ company_id: string }>(
  "privacy.deleteClosing",
  "DELETE FROM closings WHERE company_id = $1 AND empty_at > now() AND step = 'keys' RETURNING company_id",
);

export const findClosing = query<{ company_id: string }>(
  "privacy.findClosing",
  "SELECT company_id FROM closings WHERE company_id = $1",
);

export type EmptyingStep =
  | "keys"
  | "connections"
  | "imports"
  | "contacts"
  | "groups"
  | "received"
  | "customers"
  | "accounts"
  | "events"
  | "senders";

export type DueClosing = { company_id: string; step: EmptyingStep; cursor: string };

/** Locks the next company to empty. Returns no row if there is none. */
export const lockDueClosing = query<DueClosing>(
  "privacy.lockDueClosing",
  `SELECT company_id, step, cursor FROM closings WHERE emptied_at IS NULL AND empty_at <= now()
   ORDER BY empty_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
);

export const updateClosing = query(
  "privacy.updateClosing",
  "UPDATE closings SET step = $2, cursor = $3 WHERE company_id = $1",
);

export const markEmptied = query(
  "privacy.markEmptied",
  "UPDATE closings SET emptied_at = now() WHERE company_id = $1",
);

/** After a failed step, others go first. */
export const postponeClosing = query(
  "privacy.postponeClosing",
  "UPDATE closings SET empty_at = now() + interval '1 minute' WHERE company_id = $1",
);

/** Returns the next endpoint of a company after $2: of an application, which has the application's id, or its own. */
export const findEndpointAfter = query<{ id: string }>(
  "privacy.findEndpointAfter",
  `SELECT id FROM (
     (SELECT id FROM apps WHERE company_id = $1 AND id > $2 ORDER BY id LIMIT 1)
     UNION ALL
     (SELECT id FROM webhook_endpoints WHERE company_id = $1 AND id > $2 ORDER BY id LIMIT 1)
   ) endpoint ORDER BY id LIMIT 1`,
);
