-- Webhooks: the addresses that events are delivered to, and every event with what became of it.
CREATE TABLE webhook_endpoints (
  -- Given by whoever the endpoint belongs to.
  id                text COLLATE "C" PRIMARY KEY,
  url               text NOT NULL,
  sealed_secret     text NOT NULL,
  -- Signs beside the new one until its time is up.
  sealed_old_secret text,
  old_secret_until  timestamptz NOT NULL DEFAULT '-infinity',
  enabled           boolean NOT NULL DEFAULT true,
  disabled_reason   text,
  disabled_at       timestamptz,
  -- The owner is still to be told that it was disabled, not before this.
  tell_owner_at     timestamptz,
  -- The first failure since the last success.
  failing_since     timestamptz,
  -- What the receiver asked for with Retry-After.
  not_before        timestamptz NOT NULL DEFAULT '-infinity',
  -- What waits since before this is canceled: one write, however much waits.
  canceled_until    timestamptz NOT NULL DEFAULT '-infinity',
  created_at        timestamptz NOT NULL DEFAULT now(),
  CHECK (enabled = (disabled_reason IS NULL) AND enabled = (disabled_at IS NULL))
);
CREATE INDEX webhook_endpoints_untold ON webhook_endpoints (tell_owner_at) WHERE tell_owner_at IS NOT NULL;

-- An event is its own place in the queue. No foreign key: it would lock the endpoint for each event.
CREATE TABLE webhook_deliveries (
  endpoint_id      text COLLATE "C" NOT NULL,
  id               text COLLATE "C" NOT NULL,
  type             text NOT NULL,
  -- Never a secret. json, not jsonb: it is sent as it was given.
  data             json NOT NULL,
  status           text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'DELIVERED', 'EXHAUSTED', 'CANCELED')),
  attempts         smallint NOT NULL DEFAULT 0,
  next_attempt_at  timestamptz NOT NULL DEFAULT now(),
  -- The time of the clock, not of the transaction: compared to canceled_until.
  queued_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- A process has it until then. In no index, so that taking one rewrites no index.
  leased_until     timestamptz,
  last_status_code smallint,
  last_error       text,
  created_at       timestamptz NOT NULL DEFAULT now(),
  delivered_at     timestamptz,
  PRIMARY KEY (endpoint_id, id)
) WITH (fillfactor = 80);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (endpoint_id, next_attempt_at, id) WHERE status = 'PENDING';
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries USING brin (created_at) WITH (pages_per_range = 32, autosummarize = on);
