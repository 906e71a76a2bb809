// The queries of the deliverer: endpoints with due deliveries, taking deliveries, and recording outcomes.
import { query } from "../../platform/database/query.ts";
import type { DisabledReason } from "./sql.ts";

// Rows are found by their key, one by one. If a plan made for an empty table reads all of it instead, `id || '' =
// ANY(…)`, which no index serves, discards the wrong rows cheaply. And `status || ''` keeps the planner from the index
// of pending rows, in which the id comes only after the time.

/**
 * Lists up to $2 endpoints after $1 with pending deliveries, by a loose index scan: one descent for each endpoint,
 * however many deliveries it has. `due`: some are due now.
 */
export const listWaiting = query<{ endpoint_id: string; due: boolean }>(
  "webhooks.listWaiting",
  `WITH RECURSIVE waiting AS (
     (SELECT endpoint_id, next_attempt_at FROM webhook_deliveries
      WHERE status = 'PENDING' AND endpoint_id > $1 ORDER BY endpoint_id, next_attempt_at, id LIMIT 1)
     UNION ALL
     SELECT next.* FROM waiting CROSS JOIN LATERAL (
       SELECT endpoint_id, next_attempt_at FROM webhook_deliveries delivery
       WHERE status = 'PENDING' AND delivery.endpoint_id > waiting.endpoint_id
       ORDER BY endpoint_id, next_attempt_at, id LIMIT 1
     ) next
   )
   SELECT waiting.endpoint_id, waiting.next_attempt_at <= now() AND coalesce(endpoint.open, false) AS due
   FROM (SELECT * FROM waiting LIMIT $2) waiting LEFT JOIN LATERAL (
     SELECT enabled AND not_before <= now() AS open FROM webhook_endpoints WHERE id = waiting.endpoint_id LIMIT 1
   ) endpoint ON true
   ORDER BY waiting.endpoint_id`,
);

export type TakenDelivery = {
  endpoint_id: string;
  id: string;
  type: string;
  data: unknown;
  attempts: number;
  created_at: Date;
  url: string;
  sealed_query: string | null;
  sealed_secret: string;
  /** The secret before a rotation, while it still signs. */
  sealed_old_secret: string | null;
  canceled: boolean;
  request_id: string | null;
};

/**
 * Takes due deliveries of endpoints, as many as there is room for. A process that has not reported by the end of the
 * lease is considered dead. Deliveries that other processes have taken, or are taking, are skipped.
 */
export const takeDeliveries = query<
  TakenDelivery,
  { wanted: readonly { endpointId: string; room: number }[]; leaseMs: number }
>(
  "webhooks.takeDeliveries",
  `WITH free AS MATERIALIZED (
     SELECT delivery.id, endpoint.*
     FROM $wanted(endpoint_id text, room int) AS wanted (endpoint_id, room)
     CROSS JOIN LATERAL (
       SELECT id AS endpoint_id, url, sealed_query, sealed_secret, canceled_until,
              CASE WHEN old_secret_until > now() THEN sealed_old_secret END AS sealed_old_secret
       FROM webhook_endpoints WHERE id = wanted.endpoint_id AND enabled AND not_before <= now() LIMIT 1
     ) endpoint
     CROSS JOIN LATERAL (
       SELECT id FROM webhook_deliveries
       WHERE endpoint_id = wanted.endpoint_id AND status = 'PENDING' AND next_attempt_at <= now()
         AND (leased_until IS NULL OR leased_until <= now())
       ORDER BY next_attempt_at, id LIMIT wanted.room FOR UPDATE SKIP LOCKED
     ) delivery
   )
   UPDATE webhook_deliveries delivery SET leased_until = now() + $leaseMs::bigint * interval '1 millisecond'
   FROM free WHERE delivery.endpoint_id = free.endpoint_id AND delivery.id = free.id
     AND delivery.id || '' = ANY(ARRAY(SELECT id FROM free))
   RETURNING delivery.endpoint_id, delivery.id, delivery.type, delivery.data, delivery.attempts, delivery.created_at,
             free.url, free.sealed_query, free.sealed_secret, free.sealed_old_secret, delivery.queued_at < free.canceled_until AS canceled,
             delivery.request_id`,
);

/** The outcome of a taken delivery. `attempts`: those before it. */
export type Tried = {
  endpointId: string;
  id: string;
  attempts: number;
  status: "PENDING" | "DELIVERED" | "EXHAUSTED" | "CANCELED" | "RETURNED";
  statusCode: number | null;
  error: string | null;
  delayMs: number | null;
};

/**
 * Records the outcomes of up to thousands of deliveries. A success always counts. Any other outcome counts only if no
 * other process has reported a try meanwhile. A canceled delivery was not tried.
 */
export const updateTried = query<never, { tried: readonly Tried[] }>(
  "webhooks.updateTried",
  `UPDATE webhook_deliveries delivery
   SET status = tried.status, attempts = delivery.attempts + (tried.status <> 'CANCELED')::int,
       next_attempt_at = now() + coalesce(tried.delay_ms, 0) * interval '1 millisecond', leased_until = NULL,
       last_status_code = tried.status_code, last_error = tried.error,
       delivered_at = CASE WHEN tried.status = 'DELIVERED' THEN now() END
   FROM $tried(endpoint_id text, id text, attempts smallint, status text, status_code smallint, delay_ms bigint, error text)
     AS tried (endpoint_id, id, attempts, status, status_code, delay_ms, error)
   WHERE delivery.endpoint_id = tried.endpoint_id AND delivery.id = tried.id
     AND delivery.id || '' = ANY($tried.id)
     AND delivery.status || '' = 'PENDING' AND (delivery.attempts = tried.attempts OR tried.status = 'DELIVERED')`,
);

/** Returns deliveries that were taken but not tried. */
export const returnDeliveries = query<never, { taken: readonly Pick<Tried, "endpointId" | "id">[] }>(
  "webhooks.returnDeliveries",
  `UPDATE webhook_deliveries delivery SET leased_until = NULL
   FROM $taken(endpoint_id text, id text) AS taken (endpoint_id, id)
   WHERE delivery.endpoint_id = taken.endpoint_id AND delivery.id = taken.id AND delivery.id || '' = ANY($taken.id)`,
);

/** The results of the tries to one URL of an endpoint. `holdMs`: the receiver's longest `Retry-After`. */
export type Seen = { id: string; url: string; succeeded: boolean; gone: boolean; holdMs: number };

/**
 * Records the results of tries for each endpoint, in their order, and writes only changes. An endpoint is disabled if
 * it is gone, or if it failed and has had no success for `failingMs`. A try to an earlier URL does not count. Returns the
 * endpoints that were disabled.
 */
export const updateSeen = query<
  { id: string; reason: DisabledReason | null },
  { said: readonly Seen[]; failingMs: number }
>(
  "webhooks.updateSeen",
  `WITH seen AS (
     SELECT endpoint.id, said.succeeded, said.hold_ms,
            CASE WHEN said.gone THEN 'GONE'
                 WHEN NOT said.succeeded AND endpoint.failing_since < now() - $failingMs::bigint * interval '1 millisecond' THEN 'FAILING'
            END AS reason
     FROM $said(id text, url text, succeeded boolean, gone boolean, hold_ms bigint) AS said (id, url, succeeded, gone, hold_ms)
     CROSS JOIN LATERAL (
       SELECT id, failing_since FROM webhook_endpoints
       WHERE id = said.id AND url = said.url AND enabled
         AND (said.gone OR said.hold_ms > 0 OR said.succeeded = (failing_since IS NOT NULL)
              OR failing_since < now() - $failingMs::bigint * interval '1 millisecond')
       LIMIT 1 FOR NO KEY UPDATE
     ) endpoint
   )
   UPDATE webhook_endpoints endpoint
   SET failing_since = CASE WHEN seen.succeeded THEN NULL ELSE coalesce(endpoint.failing_since, now()) END,
       not_before = greatest(endpoint.not_before, now() + seen.hold_ms * interval '1 millisecond'),
       enabled = seen.reason IS NULL, disabled_reason = seen.reason,
       disabled_at = CASE WHEN seen.reason IS NOT NULL THEN now() END,
       tell_owner_at = CASE WHEN seen.reason IS NOT NULL THEN now() END
   FROM seen WHERE endpoint.id = seen.id AND endpoint.id || '' = ANY($said.id)
   RETURNING endpoint.id, seen.reason`,
);

/** Takes up to $1 endpoints whose owners must be notified; no other process takes them within the next $2 ms. */
export const takeUntold = query<{ id: string; disabled_reason: DisabledReason }>(
  "webhooks.takeUntold",
  `UPDATE webhook_endpoints SET tell_owner_at = now() + $2::bigint * interval '1 millisecond'
   WHERE id = ANY(ARRAY(
     SELECT id FROM webhook_endpoints WHERE tell_owner_at <= now() ORDER BY tell_owner_at LIMIT $1 FOR UPDATE SKIP LOCKED))
   RETURNING id, disabled_reason`,
);

export const markTold = query(
  "webhooks.markTold",
  "UPDATE webhook_endpoints SET tell_owner_at = NULL WHERE id = $1",
);
