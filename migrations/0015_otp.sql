-- One-time passwords: what was sent, how often it was guessed, and what the guard against pumping counts.

-- No code and no token is here: digests under a key that is not in this database. Four digits are 10,000 guesses, so
-- only that key keeps them from whoever has a dump.
CREATE TABLE otp_codes (
  token_digest  text COLLATE "C" PRIMARY KEY,
  -- Who pays and whose limits count: the company or, without one, the user.
  account_id    text COLLATE "C" NOT NULL,
  user_id       text COLLATE "C" NOT NULL,
  phone         text COLLATE "C" NOT NULL,
  -- The number less 4 digits.
  prefix        text COLLATE "C" NOT NULL,
  -- The calling code of a foreign number.
  foreign_code  text COLLATE "C",
  length        smallint NOT NULL,
  code_digest   text COLLATE "C" NOT NULL,
  status        text COLLATE "C" NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'VERIFIED', 'REPLACED')),
  -- Counted before the comparison. The limit stands here too, so that no race can pass it.
  guesses       smallint NOT NULL DEFAULT 0 CHECK (guesses BETWEEN 0 AND 5),
  send_id       text COLLATE "C" NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX otp_codes_by_phone ON otp_codes (account_id, phone, created_at);
CREATE INDEX otp_codes_by_prefix ON otp_codes (account_id, prefix, created_at);
CREATE INDEX otp_codes_by_time ON otp_codes USING brin (created_at) WITH (pages_per_range = 32);

-- Codes to one foreign country, by the hour.
CREATE TABLE otp_countries (
  account_id    text COLLATE "C" NOT NULL,
  calling_code  text COLLATE "C" NOT NULL,
  hour          timestamptz NOT NULL,
  sent          integer NOT NULL DEFAULT 0,
  verified      integer NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, calling_code, hour)
);

-- What was refused and by which rule, by the hour: an attack of a million requests is a few rows.
CREATE TABLE otp_refusals (
  account_id    text COLLATE "C" NOT NULL,
  rule          text COLLATE "C" NOT NULL CHECK (rule IN ('country', 'prefix', 'unroutable', 'unknown-token')),
  -- A calling code, or a number less 4 digits; empty for a token.
  destination   text COLLATE "C" NOT NULL,
  hour          timestamptz NOT NULL,
  count         integer NOT NULL DEFAULT 1,
  last_at       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, rule, destination, hour)
) WITH (fillfactor = 70);
CREATE INDEX otp_refusals_by_hour ON otp_refusals (hour, account_id, rule, destination);
CREATE INDEX otp_refusals_by_account ON otp_refusals (account_id, hour, rule, destination);

-- An answer may hold the token of a code. It is sealed now; what was kept in the clear is forgotten.
DELETE FROM idempotency_keys;
ALTER TABLE idempotency_keys ALTER COLUMN answer TYPE text;
COMMENT ON COLUMN idempotency_keys.answer IS 'Sealed JSON: a repeat gets its members in the same order.';
