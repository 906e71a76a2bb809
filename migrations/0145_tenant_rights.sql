-- What a transaction of one account may see and change of sends, idempotency keys, sessions of gateways and ported numbers.

-- The account whose send it is; null: it was written before, and its hold or its campaign tells.
ALTER TABLE sends ADD COLUMN account_id text COLLATE "C";

SELECT keep_apart('sends', $$account_id = current_setting('atumpan.account', true) OR account_id IS NULL AND (
  (SELECT true FROM holds WHERE holds.id = sends.id AND pool_id = current_setting('atumpan.account', true))
  OR (SELECT true FROM campaigns WHERE company_id = current_setting('atumpan.account', true) AND campaigns.id = sends.id))$$,
  $$account_id = current_setting('atumpan.account', true)$$);

-- Rows without an account are from before 0132 and for the service alone.
DROP POLICY of_account ON idempotency_keys;
DROP POLICY of_owner ON idempotency_keys;
SELECT keep_apart('idempotency_keys', $$account_id = current_setting('atumpan.account', true)$$);

-- Sessions of gateways and ported numbers are nobody's: an account reads them for its campaigns, and locks the session to
-- which it leases a batch, but changes none. src/kernel/rights.ts grants it no more than that from now on.
SELECT keep_apart(made.target::regclass, 'true', 'false') FROM (VALUES ('gateway_sessions'), ('ported_numbers')) AS made (target);
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'atumpan_tenant') THEN
    REVOKE INSERT, DELETE ON gateway_sessions FROM atumpan_tenant;
    REVOKE INSERT, UPDATE, DELETE ON ported_numbers FROM atumpan_tenant;
  END IF;
END $$;
