-- Idempotency keys work at every URL that changes something, also in transactions of one account: row-level security keeps
-- the answers of an account from the others. Rows from before have no account, and stay visible for their 72 hours.
ALTER TABLE idempotency_keys ADD COLUMN account_id text COLLATE "C";
ALTER TABLE idempotency_keys ALTER COLUMN account_id SET DEFAULT current_setting('atumpan.account', true);

SELECT keep_apart('idempotency_keys', $$account_id IS NULL OR account_id = current_setting('atumpan.account', true)$$);

COMMENT ON COLUMN idempotency_keys.account_id IS 'The account whose transaction wrote the row; * for the service.';
