-- What a connection has queued is canceled once it is revoked, or its application is deactivated.

-- The connection by which an application sent; null for everything else.
ALTER TABLE campaigns ADD COLUMN connection_id text COLLATE "C";

-- The connections whose queued messages are being canceled. A row is deleted when nothing of it is queued and all
-- transactions that might have queued more have ended.
CREATE TABLE connection_stops (
  connection_id  text COLLATE "C" PRIMARY KEY,
  account_id     text COLLATE "C" NOT NULL,
  -- What was accepted from then on stays; null: everything is canceled.
  until          timestamptz,
  made_by        xid8 NOT NULL DEFAULT pg_current_xact_id(),
  made_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX connection_stops_by_account ON connection_stops (account_id);
