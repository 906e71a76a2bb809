-- Administrators who have not enrolled a second factor can sign in for a while only, and keys know who made them.
ALTER TABLE administrators ADD COLUMN invited_until timestamptz NOT NULL DEFAULT now() + interval '72 hours';
-- The person by whose session, or by whose keys, it was made; null: by the key of the installation, or before this column.
ALTER TABLE administrator_keys ADD COLUMN created_by text COLLATE "C";
CREATE INDEX administrator_keys_by_person ON administrator_keys (created_by) WHERE revoked_at IS NULL;
