-- Suspensions: a company that is suspended may do nothing, and what it has queued waits.
ALTER TABLE companies ADD COLUMN suspended_at timestamptz, ADD COLUMN suspension_reason text;

-- Whose messages no gateway sends: suspended companies with their users, the customers of those that are resellers, and
-- for some seconds the accounts of a connection that is stopped.
CREATE TABLE suspended_accounts (
  account_id  text COLLATE "C" NOT NULL,
  -- The company or the connection that is why.
  cause       text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, cause)
);
CREATE INDEX suspended_accounts_by_cause ON suspended_accounts (cause);

-- Every transaction that changes these accounts counts here. Gateways read the number twice a second, and the accounts
-- where it is another.
CREATE TABLE suspension_changes (
  is_only  boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  count    bigint NOT NULL DEFAULT 0
);
INSERT INTO suspension_changes DEFAULT VALUES;

-- Batches before bulk belong to no account, but for those of suspended accounts, which no link takes.
CREATE INDEX batches_aside ON batches (account_id) WHERE lane < 2 AND account_id <> '';
