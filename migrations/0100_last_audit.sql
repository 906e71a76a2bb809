-- What the last hourly audit of the ledger found, for those who watch the service: it outlives the process that ran it.
CREATE TABLE last_audit (
  is_only      boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  audited_at   timestamptz NOT NULL,
  -- Credits that are too many or too few; 0: the ledger balances, unless balances differ from their entries.
  difference   bigint NOT NULL,
  is_balanced  boolean NOT NULL,
  -- When it last balanced; null: never yet.
  balanced_at  timestamptz
) WITH (fillfactor = 50);

-- How far the clock of its machine is ahead of the database's, in milliseconds; below 0: behind.
ALTER TABLE nodes ADD COLUMN ahead_ms integer;
