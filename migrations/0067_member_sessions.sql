-- People of companies sign in by a code on their phone, and then act by the key of a session.
CREATE TABLE member_sign_ins (
  token_digest  text COLLATE "C" PRIMARY KEY,
  phone         text COLLATE "C" NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX member_sign_ins_by_time ON member_sign_ins (created_at);

-- Whoever has the phone acts as the users that have it, looked up with each request: a session belongs to no company.
CREATE TABLE member_sessions (
  id            text COLLATE "C" PRIMARY KEY,
  -- Begins with 'ses ', which no digest of another key does.
  digest        text COLLATE "C" NOT NULL UNIQUE,
  phone         text COLLATE "C" NOT NULL,
  -- Where the person signed in from, and by which browser.
  address       text NOT NULL,
  browser       text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  -- By the minute: a session that is used writes once a minute at most.
  last_used_at  timestamptz NOT NULL DEFAULT now(),
  -- Moves on with each use, up to the longest life of a session.
  ends_at       timestamptz NOT NULL
);
CREATE INDEX member_sessions_by_phone ON member_sessions (phone, id);
CREATE INDEX member_sessions_by_end ON member_sessions (ends_at);
-- A company sees the sessions of its members: an owner's key is looked up again in the company's own transaction.
SELECT keep_apart('member_sessions', $$(SELECT true FROM users WHERE users.phone = member_sessions.phone LIMIT 1)$$);

-- Sessions that began before are shut out of this company; null: none is. Set when all of its keys are taken back.
ALTER TABLE companies ADD COLUMN sessions_from timestamptz;
