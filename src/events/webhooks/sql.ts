// The queries of webhook endpoints, and of deliveries as their owners see them.

import { columnsOf } from "../../platform/database/columns.ts";
import { pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import { sealedColumn } from "../../platform/secrets/sealed.ts";
import { Delivery } from "./shapes.ts";

export type EndpointRow = {
  id: string;
  url: string;
  sealed_secret: string;
  enabled: boolean;
  disabled_reason: DisabledReason | null;
  disabled_at: Date | null;
};

/** `FAILING`: no success for five days. `GONE`: the receiver answered 410. */
export type DisabledReason = "FAILING" | "GONE";

const ENDPOINT = "id, url, sealed_secret, enabled, disabled_reason, disabled_at";

/** Returns no row if the endpoint exists already. */
export const insertEndpoint = query<
  { id: string },
  { id: string; url: string; sealedQuery: string | null; sealedSecret: string }
>(
  "webhooks.insertEndpoint",
  "INSERT INTO webhook_endpoints (id, url, sealed_query, sealed_secret) VALUES ($id, $url, $sealedQuery, $sealedSecret) ON CONFLICT (id) DO NOTHING RETURNING id",
);

export const findEndpoint = query<EndpointRow>(
  "webhooks.findEndpoint",
  `SELECT ${ENDPOINT} FROM webhook_endpoints WHERE id = $1`,
);

/** Locks the endpoint for a change that depends on its current state. */
export const lockEndpoint = query<EndpointRow>(
  "webhooks.lockEndpoint",
  `SELECT ${ENDPOINT} FROM webhook_endpoints WHERE id = $1 FOR NO KEY UPDATE`,
);

export const updateSecret = query<
  never,
  { id: string; sealedSecret: string; sealedOldSecret: string; overlapMs: number }
>(
  "webhooks.updateSecret",
  `UPDATE webhook_endpoints SET sealed_secret = $sealedSecret, sealed_old_secret = $sealedOldSecret,
     old_secret_until = now() + $overlapMs::bigint * interval '1 millisecond'
   WHERE id = $id`,
);

/** Enables the endpoint, whatever its state. Without a URL ($2) the current one stays. */
export const updateEndpointUrl = query<{ id: string }>(
  "webhooks.updateEndpointUrl",
  `UPDATE webhook_endpoints
   SET url = coalesce($2, url), sealed_query = CASE WHEN $2::text IS NULL THEN sealed_query ELSE $3 END, enabled = true, disabled_reason = NULL, disabled_at = NULL, tell_owner_at = NULL,
       failing_since = NULL, not_before = '-infinity'
   WHERE id = $1 RETURNING id`,
);

export const cancelDeliveries = query(
  "webhooks.cancelDeliveries",
  "UPDATE webhook_endpoints SET canceled_until = clock_timestamp() WHERE id = $1",
);

/** Makes all pending deliveries due now, whatever `Retry-After` said. */
export const clearNotBefore = query(
  "webhooks.clearNotBefore",
  "UPDATE webhook_endpoints SET not_before = '-infinity' WHERE id = $1 AND not_before > now()",
);

/** An event as it is inserted, with its data as JSON. */
type NewEvent = { id: string; type: string; data: string; requestId: string | null };

/** Inserts one row for each event with an enabled endpoint. */
export const insertDeliveries = query<
  { id: string },
  { events: readonly (NewEvent & { endpointId: string })[] }
>(
  "webhooks.insertDeliveries",
  `INSERT INTO webhook_deliveries (endpoint_id, id, type, data, request_id)
   SELECT endpoint.id, event.id, event.type, event.data::json, event.request_id
   FROM $events(endpoint_id text, id text, type text, data text, request_id text)
     AS event (endpoint_id, id, type, data, request_id)
   CROSS JOIN LATERAL (SELECT id FROM webhook_endpoints WHERE id = event.endpoint_id AND enabled LIMIT 1) endpoint
   RETURNING id`,
);

/** Inserts one row for each enabled, subscribed endpoint of these accounts. An event has the same id at all of them. */
export const insertAccountDeliveries = query<
  { id: string },
  { events: readonly (NewEvent & { accountId: string })[] }
>(
  "webhooks.insertAccountDeliveries",
  `INSERT INTO webhook_deliveries (endpoint_id, id, type, data, request_id)
   SELECT endpoint.id, event.id, event.type, event.data::json, event.request_id
   FROM $events(account_id text, id text, type text, data text, request_id text)
     AS event (account_id, id, type, data, request_id)
   CROSS JOIN LATERAL (
     SELECT id FROM webhook_endpoints WHERE company_id = event.account_id AND enabled AND event.type = ANY(events) OFFSET 0
   ) endpoint
   RETURNING id`,
);

const IS_CANCELED = "delivery.status = 'PENDING' AND delivery.queued_at < endpoint.canceled_until";
const DELIVERY = columnsOf(
  Delivery,
  {
    status: `CASE WHEN ${IS_CANCELED} THEN 'CANCELED' ELSE delivery.status END`,
    nextAttemptAt: `CASE WHEN delivery.status = 'PENDING' AND NOT (${IS_CANCELED}) THEN delivery.next_attempt_at END`,
  },
  "delivery",
);
const OF_ENDPOINT = `FROM webhook_deliveries delivery JOIN webhook_endpoints endpoint ON endpoint.id = delivery.endpoint_id
   WHERE delivery.endpoint_id = $endpointId`;

type DeliveriesOf = { endpointId: string; atMost: number };

/** Newest first: ids are ordered by time of creation. */
export const listDeliveries = {
  ...pagedQuery<Delivery, DeliveriesOf>(
    "webhooks.listDeliveries",
    ["delivery.id"],
    ({ seek, page }) => `SELECT ${DELIVERY} ${OF_ENDPOINT} AND ${seek} ${page}`,
  ),
  /** Counts up to `atMost`: some endpoints have millions. */
  count: query<Counted, DeliveriesOf>(
    "webhooks.countDeliveries",
    "SELECT count(*) FROM (SELECT FROM webhook_deliveries WHERE endpoint_id = $endpointId LIMIT $atMost) counted",
  ),
};

export const findDelivery = query<Delivery & { data: unknown }, { endpointId: string; id: string }>(
  "webhooks.findDelivery",
  `SELECT ${DELIVERY}, delivery.data ${OF_ENDPOINT} AND delivery.id = $id`,
);

/** Restarts the schedule of a delivery. A process that is trying it continues. */
export const replayDelivery = query<{ id: string }>(
  "webhooks.replayDelivery",
  `UPDATE webhook_deliveries
   SET status = 'PENDING', attempts = 0, next_attempt_at = now(), queued_at = clock_timestamp(), delivered_at = NULL
   WHERE endpoint_id = $1 AND id = $2 AND created_at > now() - $3::bigint * interval '1 millisecond' RETURNING id`,
);

/** Deletes up to $2 that are older than $1 ms. Pending ones (replayed, or endpoint disabled) stay twice as long. */
export const deleteOldDeliveries = query<{ id: string }>(
  "webhooks.deleteOldDeliveries",
  `DELETE FROM webhook_deliveries delivery USING (
     SELECT endpoint_id, id FROM webhook_deliveries
     WHERE created_at < now() - $1::bigint * interval '1 millisecond'
       AND (status <> 'PENDING' OR created_at < now() - 2 * $1::bigint * interval '1 millisecond')
     LIMIT $2
   ) old
   WHERE delivery.endpoint_id = old.endpoint_id AND delivery.id = old.id RETURNING delivery.id`,
);

/** Returns where the next $3 deliveries of an endpoint after $2 end. */
export const findDeliveryStep = query<{ last: string; count: number }>(
  "webhooks.findDeliveryStep",
  `SELECT id AS last, count(*) OVER () AS count
   FROM (SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 AND id > $2 ORDER BY id LIMIT $3) step
   ORDER BY id DESC LIMIT 1`,
);

/** Lists the deliveries of an endpoint with ids after `after` up to `last` that name this phone. */
export const listDeliveriesAbout = query<
  { id: string; campaignId: string | null },
  { endpointId: string; after: string; last: string; phone: string }
>(
  "webhooks.listDeliveriesAbout",
  `SELECT id, data ->> 'campaignId' AS "campaignId" FROM webhook_deliveries
   WHERE endpoint_id = $endpointId AND id > $after AND id <= $last AND $phone IN (data ->> 'phone', data ->> 'from')`,
);

/** Replaces the phone in the data of these deliveries ($2) by $3, and clears texts received from it. */
export const erasePhone = query<{ id: string }>(
  "webhooks.erasePhone",
  `UPDATE webhook_deliveries
   SET data = (data::jsonb || CASE WHEN data ->> 'from' IS NULL THEN jsonb_build_object('phone', $3::text)
                                   ELSE jsonb_build_object('from', $3::text, 'text', '') END)::json
   WHERE endpoint_id = $1 AND id = ANY($2::text[]) RETURNING id`,
);

export const sealedSecrets = sealedColumn("webhooks", "webhook_endpoints", "sealed_secret");
export const sealedOldSecrets = sealedColumn("webhooks", "webhook_endpoints", "sealed_old_secret");

/** Deletes up to $2 deliveries of an endpoint. */
export const deleteSomeDeliveries = query<{ id: string }>(
  "webhooks.deleteSomeDeliveries",
  `DELETE FROM webhook_deliveries WHERE endpoint_id = $1 AND id = ANY(ARRAY(
     SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY id LIMIT $2)) RETURNING id`,
);

/** Deletes endpoints and cancels their pending deliveries. */
export const deleteEndpoints = query(
  "webhooks.deleteEndpoints",
  "DELETE FROM webhook_endpoints WHERE id = ANY($1::text[])",
);
