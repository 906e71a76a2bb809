-- A rejected row keeps the cells that were read of it, so that its person can mend it and send it again.
-- Rows from before have none.
ALTER TABLE import_rejects ADD COLUMN cells text[];
