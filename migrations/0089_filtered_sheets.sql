-- Sheets of the messages with one status.
ALTER TABLE exports
  -- Null: of all messages.
  ADD COLUMN only_status text CHECK (only_status IS NULL OR send_id IS NOT NULL);
