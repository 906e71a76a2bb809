-- Due campaigns are found company by company, and a series whose runs fail again and again is paused.
ALTER TABLE campaigns
  -- The runs of a series that have failed since one was sent.
  ADD COLUMN failed_runs integer NOT NULL DEFAULT 0,
  ADD COLUMN paused_at timestamptz;

-- A company's campaigns of one time lie beside each other, so the search for the next company passes over all of them.
DROP INDEX campaigns_due;
CREATE INDEX campaigns_due ON campaigns (next_at, company_id) WHERE next_at IS NOT NULL;
CREATE INDEX campaigns_waiting ON campaigns (company_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX campaigns_paused ON campaigns (company_id, paused_at) WHERE paused_at IS NOT NULL;
