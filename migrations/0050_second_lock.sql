-- The second lock: row-level security keeps the rows of other accounts from a statement that forgot its filter.

-- A table of tenants shows a transaction of one account, which says for whom it runs, only the rows that fit `condition`.
-- Who does not say so sees nothing. The owner, who migrates, says '*'. The roles of the service are made and granted by
-- src/kernel/rights.ts after the migrations, since not every installation may make roles.
CREATE FUNCTION keep_apart(target regclass, condition text, writable text DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  -- CASE is no condition of an index, and to the planner leaves half of the rows, so the plans stay those without policies.
  -- A plain condition moves statements about thousands of contacts to other indexes, and IS TRUE, which is believed to
  -- leave none, sorts a phone book for each page.
  EXECUTE format('CREATE POLICY of_account ON %s USING (CASE WHEN %s THEN true ELSE false END) WITH CHECK (%s)',
                 target, condition, coalesce(writable, condition));
  EXECUTE format($policy$CREATE POLICY of_owner ON %s TO CURRENT_USER USING (current_setting('atumpan.account', true) = '*')$policy$,
                 target);
END $$;

-- Whether an application may send for an account, which then sees its name. It looks as the owner who sees all, because the
-- policies of connections ask the applications in turn. (Only a superuser may attach such a setting to a function.) It
-- answers for the account of the transaction alone, and leaves the transaction to that account.
CREATE FUNCTION is_connected(application text, account text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  found boolean;
BEGIN
  IF account IS NULL OR account = '*' OR account IS DISTINCT FROM current_setting('atumpan.account', true) THEN
    RETURN false;
  END IF;
  PERFORM set_config('atumpan.account', '*', true);
  found := EXISTS (SELECT FROM connections WHERE app_id = application AND (company_id = account OR account_id = account));
  PERFORM set_config('atumpan.account', account, true);
  RETURN found;
END $$;
REVOKE ALL ON FUNCTION is_connected FROM PUBLIC;

SELECT keep_apart(made.target::regclass, format($$%I = current_setting('atumpan.account', true)$$, made.account)) FROM (VALUES
  ('companies', 'id'), ('suspended_accounts', 'account_id'),
  ('contacts', 'company_id'), ('contact_counts', 'company_id'), ('groups', 'company_id'), ('group_members', 'company_id'),
  ('senders', 'company_id'), ('optouts', 'company_id'), ('optout_counts', 'company_id'),
  ('campaigns', 'company_id'), ('campaign_counts', 'company_id'), ('campaign_contacts', 'company_id'),
  ('campaign_groups', 'company_id'), ('campaign_runs', 'company_id'), ('first_campaigns', 'company_id'),
  ('messages', 'account_id'), ('message_queue', 'account_id'), ('unqueued_sends', 'account_id'),
  ('otp_codes', 'account_id'), ('otp_countries', 'account_id'), ('otp_refusals', 'account_id'), ('otp_shares', 'account_id'),
  ('otp_stops', 'account_id'),
  ('partners', 'company_id'), ('customers', 'company_id'), ('offers', 'company_id'), ('purchases', 'company_id'),
  ('connection_stops', 'account_id'), ('pairing_misses', 'account_id')
) AS made (target, account);

-- Sends to one phone share batches, which belong to nobody.
SELECT keep_apart('batches', $$account_id IN (current_setting('atumpan.account', true), '')$$);

SELECT keep_apart('memberships', $$current_setting('atumpan.account', true) IN (company_id, user_id)$$);
-- A user is seen by itself, and by the companies whose member it is.
SELECT keep_apart('users', $$id = current_setting('atumpan.account', true) OR (
  SELECT true FROM memberships WHERE company_id = current_setting('atumpan.account', true) AND user_id = users.id)$$);

-- A reseller moves credits between its pool and those of its customers, and reads their balances.
SELECT keep_apart(made.target::regclass, format($$%1$I = current_setting('atumpan.account', true)
  OR (SELECT company_id FROM customers WHERE customers.id = %2$I.%1$I) = current_setting('atumpan.account', true)$$,
  made.account, made.target)) FROM (VALUES ('pools', 'id'), ('pool_outcomes', 'pool_id'), ('holds', 'pool_id'), ('audit_marks', 'pool_id')
) AS made (target, account);
SELECT keep_apart('entries', $$current_setting('atumpan.account', true) IN (from_pool, to_pool)
  OR current_setting('atumpan.account', true) IN (
    (SELECT company_id FROM customers WHERE customers.id = entries.from_pool),
    (SELECT company_id FROM customers WHERE customers.id = entries.to_pool))$$);

-- An application is seen by its owner, and by the accounts that it may send for; a connection by the account that it
-- charges, by its reseller, and by the owner of its application.
SELECT keep_apart('apps', $$company_id = current_setting('atumpan.account', true)
  OR is_connected(id, current_setting('atumpan.account', true))$$, $$company_id = current_setting('atumpan.account', true)$$);
SELECT keep_apart('connections', $$current_setting('atumpan.account', true) IN (company_id, account_id)
  OR (SELECT apps.company_id FROM apps WHERE apps.id = connections.app_id) = current_setting('atumpan.account', true)$$);
SELECT keep_apart('connection_days', $$(SELECT true FROM connections WHERE connections.id = connection_days.connection_id)$$);
SELECT keep_apart('pairings',
  $$(SELECT apps.company_id FROM apps WHERE apps.id = pairings.app_id) = current_setting('atumpan.account', true)$$);

-- Endpoints are named by their application, and seen with it. Deliveries are those of its owner alone: what is told to the
-- endpoints of others is written by the service.
SELECT keep_apart('webhook_endpoints', $$(SELECT true FROM apps WHERE apps.id = webhook_endpoints.id)$$);
SELECT keep_apart('webhook_deliveries',
  $$(SELECT apps.company_id FROM apps WHERE apps.id = webhook_deliveries.endpoint_id) = current_setting('atumpan.account', true)$$);

-- What needs the owner of a table is done by functions that run as the owner.
ALTER FUNCTION make_record_month SECURITY DEFINER;
ALTER FUNCTION make_record_month SET search_path = public, pg_temp;
ALTER FUNCTION drop_record_month SECURITY DEFINER;
ALTER FUNCTION drop_record_month SET search_path = public, pg_temp;
ALTER FUNCTION drop_receipts_index SECURITY DEFINER;
ALTER FUNCTION drop_receipts_index SET search_path = public, pg_temp;
ALTER FUNCTION forget_ported_numbers SECURITY DEFINER;
ALTER FUNCTION forget_ported_numbers SET search_path = public, pg_temp;

-- Deletes up to `most` messages of sends with ids before `beyond` where nobody foresaw their month. Nobody may name a part
-- of the record itself, because row-level security is that of the whole table.
CREATE FUNCTION delete_unforeseen(beyond text, most integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH deleted AS (
    DELETE FROM messages_unforeseen
    WHERE ctid = ANY(ARRAY(SELECT ctid FROM messages_unforeseen WHERE send_id < beyond LIMIT most)) RETURNING 1)
  SELECT count(*) FROM deleted
$$;

REVOKE ALL ON FUNCTION keep_apart, make_record_table, make_record_month, drop_record_month, drop_receipts_index,
  forget_ported_numbers, delete_unforeseen FROM PUBLIC;
