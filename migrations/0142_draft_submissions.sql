-- An editor submits a draft to the members who may send it, and they are notified once.
ALTER TABLE campaign_drafts
  ADD COLUMN submitted_at timestamptz,
  ADD COLUMN submitted_by text,
  ADD COLUMN notified_at timestamptz;

CREATE INDEX campaign_drafts_submitted ON campaign_drafts (submitted_at)
  WHERE submitted_at IS NOT NULL AND notified_at IS NULL;
