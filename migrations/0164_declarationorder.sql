-- An administrator finds a declaration as it was entered: jsonb sorts the members of objects.
ALTER TABLE operators ALTER COLUMN declaration TYPE json;
