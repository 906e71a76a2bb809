-- Idempotency: the answers of requests that came with a key, so that a repeat has no second effect.
CREATE TABLE idempotency_keys (
  -- Digest of who asked, for what, with which key.
  id          text COLLATE "C" PRIMARY KEY,
  body_digest text COLLATE "C" NOT NULL,
  -- As text, not jsonb: a repeat gets its members in the same order.
  answer      json NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX idempotency_keys_by_time ON idempotency_keys USING brin (created_at) WITH (pages_per_range = 32);
