-- Webhooks of companies: an endpoint belongs to an application, whose id it has, or to a company that chose its events.
ALTER TABLE webhook_endpoints
  -- Null: an application's.
  ADD COLUMN company_id text COLLATE "C",
  ADD COLUMN name text,
  ADD COLUMN description text,
  -- The events that the company chose; null: all that an application is told.
  ADD COLUMN events text[],
  ADD CONSTRAINT webhook_endpoints_owner CHECK ((company_id IS NULL) = (events IS NULL));
CREATE INDEX webhook_endpoints_of_company ON webhook_endpoints (company_id, id) WHERE company_id IS NOT NULL;
-- Endpoints that their company has deleted stay until their deliveries are gone.
CREATE INDEX webhook_endpoints_deleted ON webhook_endpoints (id) WHERE disabled_reason = 'DELETED';

-- Whether a webhook of the company is told of sends: read with the caller, so that a send needs no look-up of its own.
ALTER TABLE companies ADD COLUMN listens boolean NOT NULL DEFAULT false;

-- A send is watched where it has `about`: by the endpoint of an application, by the webhooks of an account, or by both.
ALTER TABLE sends ADD COLUMN listener_id text COLLATE "C";

-- What the sender of a campaign wants back in its events.
ALTER TABLE campaigns ADD COLUMN callback_data text;

DROP POLICY of_account ON webhook_endpoints;
DROP POLICY of_owner ON webhook_endpoints;
SELECT keep_apart('webhook_endpoints', $$company_id = current_setting('atumpan.account', true)
  OR (SELECT true FROM apps WHERE apps.id = webhook_endpoints.id)$$);
DROP POLICY of_account ON webhook_deliveries;
DROP POLICY of_owner ON webhook_deliveries;
SELECT keep_apart('webhook_deliveries', $$endpoint_id = ANY(ARRAY(
  SELECT apps.id FROM apps WHERE apps.company_id = current_setting('atumpan.account', true)
  UNION ALL
  SELECT webhook_endpoints.id FROM webhook_endpoints WHERE webhook_endpoints.company_id = current_setting('atumpan.account', true)))$$);
