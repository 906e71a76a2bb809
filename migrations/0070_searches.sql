-- Searches of a console: which campaign a message was of, and contacts by the beginning of their names.

-- A scheduled campaign that has run sent its messages under another id than its own.
CREATE INDEX campaigns_by_send ON campaigns (company_id, send_id) WHERE send_id IS NOT NULL;

-- By the bytes of names, whatever the collation of the database: so the names that begin alike stand together.
CREATE INDEX contacts_by_name_start ON contacts (company_id, name COLLATE "C", id);
