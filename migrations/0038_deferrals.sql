-- How often messages of unknown fate were deferred because a session began.
ALTER TABLE batches ADD COLUMN deferrals smallint NOT NULL DEFAULT 0;
