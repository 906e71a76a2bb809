-- The member who asked for a sender is notified once of the decision. Earlier senders do not know who asked: nobody is notified of them.
ALTER TABLE senders ADD COLUMN requested_by text, ADD COLUMN notified_at timestamptz;

CREATE INDEX senders_decided ON senders (decided_at)
  WHERE decided_at IS NOT NULL AND requested_by IS NOT NULL AND notified_at IS NULL;
