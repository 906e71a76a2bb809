-- Whom a run could not reach counts for that run. (`campaigns.blocked` is written no more: who is blocked is told when a
-- campaign is made. The column goes with a later version, since processes of the one before still write it.)
ALTER TABLE campaign_runs ADD COLUMN blocked_count integer NOT NULL DEFAULT 0;
