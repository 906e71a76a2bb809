-- A rate holds over all processes together, so what they have taken of it is counted here. A crash of the database empties the
-- table, and a standby has nothing of it: buckets then begin full again, and nothing of this is written to the WAL.
CREATE UNLOGGED TABLE rates (
  name        text COLLATE "C" NOT NULL,
  -- Whose bucket it is, as a keyed hash.
  key         text COLLATE "C" NOT NULL,
  -- When the bucket is full again if nothing more is taken: the row is needed until then.
  full_at     timestamptz NOT NULL,
  -- What a process asked last. A statement that meets the row knows what is asked by these columns alone.
  per_second  float8 NOT NULL,
  burst       float8 NOT NULL,
  told        float8 NOT NULL,
  wanted      float8 NOT NULL,
  granted     float8 NOT NULL,
  PRIMARY KEY (name, key)
);
CREATE INDEX rates_by_end ON rates (name, full_at);
