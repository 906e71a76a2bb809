-- A company sees when its sender was submitted and when it was decided; only the last status was known, and no time.
-- Of senders from before these times stay unknown.
ALTER TABLE senders ADD COLUMN submitted_at timestamptz, ADD COLUMN decided_at timestamptz;
