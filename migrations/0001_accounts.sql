-- Accounts: users, companies, and who acts for which company.
CREATE TABLE users (
  id          text COLLATE "C" PRIMARY KEY,
  name        text,
  email       text,
  phone       text COLLATE "C",
  -- HMAC of the apiKey under a key that is not in this database: a dump gives nobody an account.
  key_digest  text COLLATE "C" NOT NULL UNIQUE,
  created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE companies (
  id            text COLLATE "C" PRIMARY KEY,
  name          text NOT NULL,
  -- How numbers without a country code are read, ISO 3166.
  country       text NOT NULL DEFAULT 'CI' CHECK (country ~ '^[A-Z]{2}$'),
  language      text NOT NULL DEFAULT 'fr' CHECK (language IN ('fr', 'en')),
  sender_limit  integer NOT NULL DEFAULT 3 CHECK (sender_limit >= 0),
  is_partner    boolean NOT NULL DEFAULT false,
  created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX companies_by_time ON companies (created_at, id);

CREATE TABLE memberships (
  company_id  text COLLATE "C" NOT NULL REFERENCES companies (id),
  user_id     text COLLATE "C" NOT NULL REFERENCES users (id),
  PRIMARY KEY (company_id, user_id)
);
CREATE INDEX memberships_by_user ON memberships (user_id);
