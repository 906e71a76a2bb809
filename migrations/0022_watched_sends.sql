-- Watched sends: who is told of each message of a send, and of its end.

-- Beside the totals, whose row is locked where a send becomes complete: so that its end is told once.
ALTER TABLE send_totals
  -- A webhook endpoint; null: nobody watches.
  ADD COLUMN endpoint_id text COLLATE "C",
  -- What the data of each event begins with.
  ADD COLUMN about json;
-- What is there has neither: reading all of it to find that out would hold up every turn of the gateways.
ALTER TABLE send_totals
  ADD CONSTRAINT send_totals_watch CHECK ((endpoint_id IS NULL) = (about IS NULL)) NOT VALID;
