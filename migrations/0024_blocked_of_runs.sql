-- Whom a run could not reach counts for that run; and who is blocked is told when a campaign is made, not kept.
ALTER TABLE campaign_runs ADD COLUMN blocked_count integer NOT NULL DEFAULT 0;
ALTER TABLE campaigns DROP COLUMN blocked;
