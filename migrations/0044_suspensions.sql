-- Suspensions: a company that is suspended may do nothing, and what it has queued waits.
ALTER TABLE companies ADD COLUMN suspended_at timestamptz, ADD COLUMN suspension_reason text;

-- Whose messages no gateway sends: suspended companies, the customers of those that are resellers, and for some seconds
-- the accounts of a connection that is stopped. Gateways read the count and the latest `since` twice a second, and the
-- ids where these have changed.
CREATE TABLE suspended_accounts (
  account_id  text COLLATE "C" NOT NULL,
  -- The company or the connection that is why.
  cause       text COLLATE "C" NOT NULL,
  since       timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, cause)
);
CREATE INDEX suspended_accounts_by_cause ON suspended_accounts (cause);
CREATE INDEX suspended_accounts_by_time ON suspended_accounts (since);

-- Batches before bulk belong to no account, but for those of suspended accounts, which no link takes.
CREATE INDEX batches_aside ON batches (account_id) WHERE lane < 2 AND account_id <> '';
