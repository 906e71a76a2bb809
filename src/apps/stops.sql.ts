// The queries of stops: the connections whose queued messages are being canceled.
import { query } from "../kernel/database.ts";

/** Stops one connection, once. */
export const insertStop = query(
  "apps.insertStop",
  `INSERT INTO connection_stops (connection_id, account_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
);

/** Stops all connections of an application, anew where one is being stopped already. */
export const insertStopsOfApp = query(
  "apps.insertStopsOfApp",
  `INSERT INTO connection_stops (connection_id, account_id)
   SELECT id, account_id FROM connections WHERE app_id = $1 AND status = 'CONNECTED'
   ON CONFLICT (connection_id) DO UPDATE SET until = NULL, made_by = excluded.made_by, made_at = excluded.made_at`,
);

/** What the connections of an application send from now on stays. */
export const updateStopsOfApp = query(
  "apps.updateStopsOfApp",
  `UPDATE connection_stops stop SET until = now() FROM connections connection
   WHERE connection.id = stop.connection_id AND connection.app_id = $1 AND stop.until IS NULL`,
);

/** No row: nothing is being stopped. All transactions before `ended` have ended: nothing of them comes to the queue any more. */
export const findAnyStop = query<{ ended: string }>(
  "apps.findAnyStop",
  `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS ended FROM connection_stops LIMIT 1`,
);

/** Lists up to $2 accounts after account $1. */
export const listStoppedAccounts = query<{ account_id: string }>(
  "apps.listStoppedAccounts",
  `SELECT DISTINCT account_id FROM connection_stops WHERE account_id > $1 ORDER BY account_id LIMIT $2`,
);

/** Those of these sends, given by account ($1) and id ($2), that a connection made which is being stopped. */
export const listStoppedSends = query<{ account_id: string; send_id: string; connection_id: string }>(
  "apps.listStoppedSends",
  `SELECT asked.account_id, asked.send_id, stop.connection_id
   FROM unnest($1::text[], $2::text[]) AS asked (account_id, send_id)
   CROSS JOIN LATERAL (
     SELECT connection_id, created_at FROM campaigns
     WHERE company_id = asked.account_id AND id = asked.send_id LIMIT 1
   ) campaign
   JOIN connection_stops stop ON stop.connection_id = campaign.connection_id
   WHERE stop.until IS NULL OR campaign.created_at < stop.until`,
);

/** Locks those of these connections that are still being stopped. */
export const lockStops = query<{ connection_id: string; account_id: string }>(
  "apps.lockStops",
  `SELECT connection_id, account_id FROM connection_stops WHERE connection_id = ANY($1::text[])
   ORDER BY connection_id FOR KEY SHARE`,
);

/**
 * Ends the stops that were made before $1 and none of whose messages is queued, all but $2. Those made more than $3
 * milliseconds ago end in any case.
 */
export const deleteStops = query<{ connection_id: string; late: boolean }>(
  "apps.deleteStops",
  `DELETE FROM connection_stops
   WHERE made_by < $1::xid8 AND (connection_id <> ALL($2::text[]) OR made_at < now() - $3::bigint * interval '1 millisecond')
   RETURNING connection_id, connection_id = ANY($2) AS late`,
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
