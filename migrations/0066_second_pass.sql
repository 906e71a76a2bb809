-- An erasure goes through its steps twice, and says how far it is in both.
ALTER TABLE erasures ADD COLUMN is_again boolean NOT NULL DEFAULT false;
