-- One-time passwords of all accounts together: how many one phone gets, and whose codes are verified too rarely.

-- Codes to sign in on our own pages count for neither.
CREATE INDEX otp_codes_in_all ON otp_codes (phone, created_at) WHERE user_id <> 'service';

-- The newest codes of an account, by which it is judged.
CREATE INDEX otp_codes_by_account ON otp_codes (account_id, created_at) WHERE user_id <> 'service';

-- Accounts that were judged closer, because few of their codes were verified.
CREATE TABLE otp_shares (
  account_id   text COLLATE "C" PRIMARY KEY,
  -- Since an administrator was told; null: the share is fair.
  low_since    timestamptz,
  -- Codes from before count no more: an administrator has allowed the account.
  judged_from  timestamptz NOT NULL DEFAULT '-infinity',
  judged_at    timestamptz NOT NULL DEFAULT now()
);

-- Blocks of 10,000 numbers to which an account sends no more codes.
CREATE TABLE otp_stops (
  account_id  text COLLATE "C" NOT NULL,
  prefix      text COLLATE "C" NOT NULL,
  stopped_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, prefix)
);

ALTER TABLE otp_refusals
  DROP CONSTRAINT otp_refusals_rule_check,
  ADD CHECK (rule IN ('country', 'prefix', 'unroutable', 'unknown-token', 'low-share', 'stopped'));
