-- Deliveries of webhooks are kept apart by the endpoints of an account, which are read once a statement: a look-up for each
-- delivery made a count of 100,000 read 200,948 pages instead of 939 (2026-11-24).
DROP POLICY of_account ON webhook_deliveries;
DROP POLICY of_owner ON webhook_deliveries;
SELECT keep_apart('webhook_deliveries',
  $$endpoint_id = ANY(ARRAY(SELECT apps.id FROM apps WHERE apps.company_id = current_setting('atumpan.account', true)))$$);
