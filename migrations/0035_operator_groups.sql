-- Rows of one account at a mobile operator: a receipt that one of them brings may be about a message of another.
ALTER TABLE operators
  -- Null: rows with the same host and system_id are one account.
  ADD COLUMN operator_group text;
