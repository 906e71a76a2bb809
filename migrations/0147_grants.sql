-- Grants by administrators. Above GRANT_LIMIT in 24 hours a grant waits until another administrator confirms it.
CREATE TABLE grants (
  id             text COLLATE "C" PRIMARY KEY,
  -- The person who asked, or whose key asked; a key that no person made; '': the key of the installation.
  asked_by       text COLLATE "C" NOT NULL,
  asked_name     text,
  pool_kind      text NOT NULL CHECK (pool_kind IN ('company', 'user', 'customer')),
  pool_id        text COLLATE "C" NOT NULL,
  credit         bigint NOT NULL CHECK (credit > 0),
  reason         text,
  -- GRANTED: it did not have to wait. A grant that waits past `expires_at` has expired.
  status         text NOT NULL CHECK (status IN ('GRANTED', 'WAITING', 'CONFIRMED', 'REFUSED')),
  created_at     timestamptz NOT NULL DEFAULT now(),
  expires_at     timestamptz,
  decided_by     text COLLATE "C",
  decided_name   text,
  decided_at     timestamptz,
  refusal_reason text,
  transaction_id text COLLATE "C",
  CHECK ((status = 'WAITING') = (decided_at IS NULL AND expires_at IS NOT NULL)),
  CHECK (status <> 'CONFIRMED' OR decided_by <> asked_by)
);
CREATE INDEX grants_of_administrator ON grants (asked_by, created_at) WHERE status = 'GRANTED';
