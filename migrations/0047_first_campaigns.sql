-- The first large campaigns of a company may wait until an administrator has looked at them.

-- Sends that were kept back; null: it was not released (yet). What was canceled or expired meanwhile stays so.
CREATE TABLE first_campaigns (
  company_id   text COLLATE "C" NOT NULL,
  -- The send of the campaign, or of one run of a recurring one.
  send_id      text COLLATE "C" NOT NULL,
  campaign_id  text COLLATE "C" NOT NULL,
  kept_at      timestamptz NOT NULL DEFAULT now(),
  released_at  timestamptz,
  PRIMARY KEY (company_id, send_id)
);
CREATE INDEX first_campaigns_of ON first_campaigns (company_id, campaign_id);
CREATE INDEX first_campaigns_kept ON first_campaigns (kept_at, send_id) WHERE released_at IS NULL;
