-- Keys that do not change with the master key: they are kept here, sealed under it.

CREATE TABLE keyring (
  -- digest: the key of all digests. The secrets behind them are not known, so they cannot be made again with another key.
  name    text COLLATE "C" PRIMARY KEY,
  sealed  text NOT NULL
);
