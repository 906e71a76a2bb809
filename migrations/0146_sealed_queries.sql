-- The query of a webhook's address may hold a secret of the receiver: it is sealed, and the address shows it masked
-- (`src/webhooks/address.ts`). A worker seals those that are there, found by these indexes; null: the address has no query.
ALTER TABLE webhook_endpoints ADD COLUMN sealed_query text;
CREATE INDEX webhook_endpoints_unsealed ON webhook_endpoints (id) WHERE url ~ '[?#].' AND url !~ '[?#].*••••';

ALTER TABLE apps ADD COLUMN sealed_query text;
CREATE INDEX apps_unsealed ON apps (id) WHERE webhook_url ~ '[?#].' AND webhook_url !~ '[?#].*••••';
