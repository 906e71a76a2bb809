-- The request behind a change, an entry of the request log, or an event. Null: a count, no request, or from before this
-- migration. `requests.id` is the service's own id of the request, also where its caller gave another.
ALTER TABLE audit_log ADD COLUMN request_id text COLLATE "C";
CREATE INDEX audit_log_by_request ON audit_log (request_id) WHERE request_id IS NOT NULL;

ALTER TABLE requests ADD COLUMN request_id text COLLATE "C";
CREATE INDEX requests_by_request ON requests (request_id) WHERE request_id IS NOT NULL;

ALTER TABLE webhook_deliveries ADD COLUMN request_id text COLLATE "C";
