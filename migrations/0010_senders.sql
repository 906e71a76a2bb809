-- Sender IDs: found by id alone for the administrator, and listed by status.
CREATE UNIQUE INDEX senders_by_id ON senders (id);
CREATE INDEX senders_by_status ON senders (status, id);
