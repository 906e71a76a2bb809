-- An erasure counts what it deletes of the messages that a person wrote.
ALTER TABLE erasures ADD COLUMN received integer NOT NULL DEFAULT 0;
