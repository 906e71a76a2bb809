-- Credits: who owns how many, and the entries that prove every balance.

-- A pool belongs to a company, a user or a reseller's customer and carries its owner's id. Two rows hold its
-- balance, because two sides write it: sends and grants write `pools`, outcomes write `pool_outcomes`. A send and
-- an outcome of the same hot pool therefore never wait for each other's commit.
--   held     = held_ever - captured - released
--   consumed = captured
CREATE TABLE pools (
  id          text COLLATE "C" PRIMARY KEY,
  kind        text NOT NULL CHECK (kind IN ('world', 'company', 'user', 'customer')),
  available   bigint NOT NULL DEFAULT 0 CHECK (kind = 'world' OR available >= 0),
  held_ever   bigint NOT NULL DEFAULT 0 CHECK (held_ever >= 0),
  created_at  timestamptz NOT NULL DEFAULT now(),
  CHECK (abs(available) < 9007199254740992)
) WITH (fillfactor = 20);

CREATE TABLE pool_outcomes (
  pool_id   text COLLATE "C" PRIMARY KEY REFERENCES pools (id),
  captured  bigint NOT NULL DEFAULT 0 CHECK (captured >= 0),
  released  bigint NOT NULL DEFAULT 0 CHECK (released >= 0)
) WITH (fillfactor = 20);

-- The world is where credits come from: the only pool below zero.
INSERT INTO pools (id, kind) VALUES ('world', 'world');
INSERT INTO pool_outcomes (pool_id) VALUES ('world');

-- A hold is the entry that moved credits from available to held, and the limit of what may be captured or released.
-- Its id is its operation key: the id of the send that it pays for.
CREATE TABLE holds (
  id          text COLLATE "C" PRIMARY KEY,
  pool_id     text COLLATE "C" NOT NULL,
  total       bigint NOT NULL CHECK (total > 0),
  captured    bigint NOT NULL DEFAULT 0 CHECK (captured >= 0),
  released    bigint NOT NULL DEFAULT 0 CHECK (released >= 0),
  created_at  timestamptz NOT NULL DEFAULT now(),
  CHECK (captured + released <= total)
) WITH (fillfactor = 80);

-- Every other movement. `capture` and `release` stay inside one pool: held to consumed, held to available.
-- No foreign keys here and on holds: their checks would lock the row of a hot pool once more for each send. Both are
-- written only beside an update of that row, and the audit compares them.
CREATE TABLE entries (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key         text COLLATE "C" NOT NULL UNIQUE,
  kind        text NOT NULL CHECK (kind IN ('grant', 'correction', 'transfer', 'capture', 'release')),
  from_pool   text COLLATE "C" NOT NULL,
  to_pool     text COLLATE "C" NOT NULL,
  amount      bigint NOT NULL CHECK (amount > 0),
  reason      text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  CHECK ((kind IN ('capture', 'release')) = (from_pool = to_pool))
);

-- The audit reads what came since its last mark; a block range index finds that and costs writers nothing.
CREATE INDEX holds_by_time ON holds USING brin (created_at) WITH (pages_per_range = 32);
CREATE INDEX entries_by_time ON entries USING brin (created_at) WITH (pages_per_range = 32);

-- Sums of everything written before `until`, so that an audit never reads the whole history.
CREATE TABLE audit_marks (
  pool_id   text COLLATE "C" PRIMARY KEY REFERENCES pools (id),
  until     timestamptz NOT NULL,
  received  bigint NOT NULL,
  given     bigint NOT NULL,
  held_ever bigint NOT NULL,
  captured  bigint NOT NULL,
  released  bigint NOT NULL,
  entries   bigint NOT NULL
);
