-- A person makes a company by a code on their phone; it is on trial until its first sender is accepted.
CREATE TABLE sign_ups (
  id            text COLLATE "C" PRIMARY KEY,
  -- Null until the code is sent, and where none is.
  token_digest  text COLLATE "C" UNIQUE,
  phone         text COLLATE "C" NOT NULL,
  -- A /24, or a /48 of IPv6; null where networks have no limits.
  network       text,
  -- Where the code goes, if that is abroad.
  foreign_code  text,
  -- Empty once the company is made.
  company_name  text NOT NULL,
  person_name   text NOT NULL,
  language      text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  made_at       timestamptz
);
CREATE INDEX sign_ups_by_time ON sign_ups (created_at);

-- What a company on trial sends goes to the simulated handsets alone. It never begins for a company that is there already.
ALTER TABLE companies ADD COLUMN trial boolean NOT NULL DEFAULT false;
-- What it was granted for that. The rest is taken back with the end of the trial.
ALTER TABLE companies ADD COLUMN trial_credits integer NOT NULL DEFAULT 0;
ALTER TABLE companies ADD COLUMN trial_ended_at timestamptz;
