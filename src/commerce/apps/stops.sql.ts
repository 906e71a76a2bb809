// The queries of stops: the connections whose queued messages are being canceled.
import { query } from "../../platform/database/query.ts";

const ANEW = "made_at = clock_timestamp(), spared_from = NULL, clean = false";

/** Stops one connection, or restarts its stop. */
export const upsertStop = query(
  "apps.upsertStop",
  `INSERT INTO connection_stops (connection_id, account_id) VALUES ($1, $2)
   ON CONFLICT (connection_id) DO UPDATE SET ${ANEW}`,
);

/** Stops all connections of an application, or restarts their stops. */
export const upsertStopsOfApp = query(
  "apps.upsertStopsOfApp",
  `INSERT INTO connection_stops (connection_id, account_id)
   SELECT id, account_id FROM connections WHERE app_id = $1 AND status = 'CONNECTED'
   ON CONFLICT (connection_id) DO UPDATE SET ${ANEW}`,
);

/** Excludes the sends of an application's connections from their stops, from now on: it was reactivated. */
export const spareFromNow = query(
  "apps.spareFromNow",
  `UPDATE connection_stops stop SET spared_from = clock_timestamp() FROM connections connection
   WHERE connection.id = stop.connection_id AND connection.app_id = $1 AND stop.spared_from IS NULL`,
);

export const findAnyStop = query<{ connection_id: string }>(
  "apps.findAnyStop",
  "SELECT connection_id FROM connection_stops LIMIT 1",
);

const isOld = (ms: string) => `made_at < now() - ${ms}::bigint * interval '1 millisecond'`;

/**
 * Lists up to $3 accounts after account $2 with stops to check: those whose last pass found something, and the others
 * once they are $1 milliseconds old.
 */
export const listAccountsToLookAt = query<{ account_id: string; looked_at: Date }>(
  "apps.listAccountsToLookAt",
  `SELECT DISTINCT account_id, now() AS looked_at FROM connection_stops
   WHERE account_id > $2 AND (NOT clean OR ${isOld("$1")}) ORDER BY account_id LIMIT $3`,
);

/** Selects those of these sends whose connection is being stopped. */
export const listStoppedSends = query<
  { account_id: string; send_id: string; connection_id: string },
  { sends: readonly { accountId: string; sendId: string }[] }
>(
  "apps.listStoppedSends",
  `SELECT asked.account_id, asked.send_id, stop.connection_id
   FROM $sends(account_id text, send_id text) AS asked (account_id, send_id)
   CROSS JOIN LATERAL (
     SELECT connection_id, created_at FROM campaigns
     WHERE company_id = asked.account_id AND id = asked.send_id LIMIT 1
   ) campaign
   JOIN connection_stops stop ON stop.connection_id = campaign.connection_id
   WHERE stop.spared_from IS NULL OR campaign.created_at < stop.spared_from`,
);

/** Locks those of these connections that are still being stopped. */
export const lockStops = query<{ connection_id: string; account_id: string }>(
  "apps.lockStops",
  `SELECT connection_id, account_id FROM connection_stops WHERE connection_id = ANY($1::text[])
   ORDER BY connection_id FOR KEY SHARE`,
);

/**
 * Records a pass over these accounts that began at `lookedAt` and found messages of these connections. Ends the other
 * stops that are `lifetimeMs` old. Returns all others: they have nothing queued.
 */
export const noteLook = query<
  { connection_id: string },
  { accountIds: readonly string[]; connectionIds: readonly string[]; lifetimeMs: number; lookedAt: Date }
>(
  "apps.noteLook",
  `WITH stop AS (
     SELECT connection_id, connection_id <> ALL($connectionIds::text[]) AS is_clean, ${isOld("$lifetimeMs")} AS is_old
     FROM connection_stops
     WHERE account_id = ANY($accountIds::text[]) AND made_at < $lookedAt::timestamptz
   ),
   noted AS (
     UPDATE connection_stops noted SET clean = is_clean FROM stop
     WHERE noted.connection_id = stop.connection_id AND NOT (is_clean AND is_old)
   ),
   ended AS (
     DELETE FROM connection_stops ended USING stop
     WHERE ended.connection_id = stop.connection_id AND is_clean AND is_old AND made_at < $lookedAt
   )
   SELECT connection_id FROM stop WHERE is_clean`,
);

/** Abandons stops that are $1 milliseconds old. */
export const deleteOldStops = query<{ connection_id: string }>(
  "apps.deleteOldStops",
  `DELETE FROM connection_stops WHERE ${isOld("$1")} RETURNING connection_id`,
);

/** Revokes all connections of an application. */
export const revokeAll = query<{
  id: string;
  external_account_id: string;
  target: "company" | "partnerCustomer";
}>(
  "apps.revokeAll",
  `UPDATE connections SET status = 'REVOKED', revoked_at = now() WHERE app_id = $1 AND status = 'CONNECTED'
   RETURNING id, external_account_id, target`,
);

/** Revokes up to $2 connections to a company and its customers, and clears their senders. */
export const revokeSomeOf = query<{ id: string }>(
  "apps.revokeSomeOf",
  `UPDATE connections SET status = 'REVOKED', revoked_at = coalesce(revoked_at, now()), sender_id = NULL
   WHERE company_id = $1 AND id = ANY(ARRAY(
     SELECT id FROM connections WHERE company_id = $1 AND (status = 'CONNECTED' OR sender_id IS NOT NULL) LIMIT $2)) RETURNING id`,
);

/** Deactivates the applications of a company, and clears the URLs of their webhooks. */
export const closeApplications = query<{ id: string }>(
  "apps.closeApplications",
  `UPDATE apps SET status = CASE WHEN status = 'ACTIVE' THEN 'INACTIVE' WHEN status = 'PENDING_REVIEW' THEN 'REJECTED' ELSE status END,
     webhook_url = NULL, sealed_query = NULL, logo_url = NULL WHERE company_id = $1 RETURNING id`,
);
