-- What a connection has queued is canceled once it is revoked, or its application is deactivated.

-- The connection by which an application sent; null for everything else.
ALTER TABLE campaigns ADD COLUMN connection_id text COLLATE "C";

-- The connections whose queued messages are being canceled. A row is deleted after a look that found none of them, once
-- every request has ended that may have been allowed before.
CREATE TABLE connection_stops (
  connection_id  text COLLATE "C" PRIMARY KEY,
  account_id     text COLLATE "C" NOT NULL,
  made_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Campaigns made from then on are spared, since the application was brought back; null: none is.
  spared_from    timestamptz,
  -- The last look found nothing of it. It is looked at once more before it ends.
  clean          boolean NOT NULL DEFAULT false
);
CREATE INDEX connection_stops_by_account ON connection_stops (account_id);
