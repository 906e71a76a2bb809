-- Suspensions: a company that is suspended may do nothing, and what it has queued waits.
ALTER TABLE companies ADD COLUMN suspended_at timestamptz, ADD COLUMN suspension_reason text;

-- Whose messages no gateway sends: suspended companies, and the customers of those that are resellers. Gateways read the
-- count and the latest `since` twice a second, and the ids where these have changed.
CREATE TABLE suspended_accounts (
  account_id  text COLLATE "C" PRIMARY KEY,
  company_id  text COLLATE "C" NOT NULL REFERENCES companies (id),
  since       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX suspended_accounts_of_company ON suspended_accounts (company_id);
CREATE INDEX suspended_accounts_by_time ON suspended_accounts (since);

-- Batches before bulk belong to no account, but for those of suspended accounts, which no link takes.
CREATE INDEX batches_aside ON batches (account_id) WHERE lane < 2 AND account_id <> '';
