-- Pages for people.

-- Sessions are sealed in cookies, which nobody can call back: one that was ended is known by its digest until it would be
-- over anyway.
CREATE TABLE ended_sessions (
  id_digest  text COLLATE "C" PRIMARY KEY,
  ended_at   timestamptz NOT NULL DEFAULT now()
);

-- Whoever signs in is found by the phone.
CREATE INDEX users_by_phone ON users (phone) WHERE phone IS NOT NULL;
