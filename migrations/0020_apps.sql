-- Applications of third parties, their connections to accounts, and the codes that pair them.

CREATE TABLE apps (
  id                text COLLATE "C" PRIMARY KEY,
  slug              text COLLATE "C" NOT NULL,
  name              text NOT NULL,
  description       text NOT NULL,
  logo_url          text,
  webhook_url       text,
  status            text COLLATE "C" NOT NULL DEFAULT 'PENDING_REVIEW'
                    CHECK (status IN ('PENDING_REVIEW', 'ACTIVE', 'REJECTED', 'INACTIVE')),
  rejection_reason  text,
  -- Who submitted it: a company and its user, or somebody without an account, of whom there is a phone and a mail address.
  company_id        text COLLATE "C" REFERENCES companies (id),
  user_id           text COLLATE "C" REFERENCES users (id),
  owner_email       text,
  owner_phone       text COLLATE "C",
  secret_digest     text COLLATE "C" UNIQUE,
  sealed_secret     text,
  -- The one-time link of an owner without an account; null once it was used.
  claim_digest      text COLLATE "C" UNIQUE,
  claim_until       timestamptz,
  created_at        timestamptz NOT NULL DEFAULT now(),
  CHECK ((company_id IS NULL) = (user_id IS NULL)),
  CHECK ((company_id IS NULL) = (owner_email IS NOT NULL AND owner_phone IS NOT NULL)),
  CHECK ((secret_digest IS NULL) = (sealed_secret IS NULL)),
  CHECK (status NOT IN ('ACTIVE', 'INACTIVE') OR secret_digest IS NOT NULL)
);
-- A slug whose application was rejected is free again.
CREATE UNIQUE INDEX apps_by_slug ON apps (slug) WHERE status <> 'REJECTED';
CREATE INDEX apps_by_company ON apps (company_id, id) WHERE company_id IS NOT NULL;
CREATE INDEX apps_by_status ON apps (status, id);

CREATE TABLE connections (
  id                   text COLLATE "C" PRIMARY KEY,
  app_id               text COLLATE "C" NOT NULL REFERENCES apps (id),
  -- As the application wrote it, byte for byte: what looks alike is not the same.
  external_account_id  text COLLATE "C" NOT NULL,
  target               text NOT NULL CHECK (target IN ('company', 'partnerCustomer')),
  -- Whose pool is charged: the company, or the customer of the reseller `company_id`.
  account_id           text COLLATE "C" NOT NULL,
  company_id           text COLLATE "C" NOT NULL REFERENCES companies (id),
  user_id              text COLLATE "C" REFERENCES users (id),
  token_digest         text COLLATE "C" NOT NULL UNIQUE,
  sealed_token         text NOT NULL,
  sender_id            text COLLATE "C",
  daily_credit_cap     bigint CHECK (daily_credit_cap >= 0),
  status               text NOT NULL DEFAULT 'CONNECTED' CHECK (status IN ('CONNECTED', 'REVOKED')),
  created_at           timestamptz NOT NULL DEFAULT now(),
  revoked_at           timestamptz,
  FOREIGN KEY (company_id, sender_id) REFERENCES senders (company_id, id)
);
CREATE UNIQUE INDEX connections_live ON connections (app_id, external_account_id) WHERE status = 'CONNECTED';
CREATE INDEX connections_by_company ON connections (company_id, id);

-- What a connection with a daily cap has spent on a day (UTC).
CREATE TABLE connection_days (
  connection_id  text COLLATE "C" NOT NULL REFERENCES connections (id),
  day            date NOT NULL,
  credits        bigint NOT NULL CHECK (credits >= 0),
  PRIMARY KEY (connection_id, day)
);

-- The pairing of an external account that was begun last.
CREATE TABLE pairings (
  app_id               text COLLATE "C" NOT NULL REFERENCES apps (id),
  external_account_id  text COLLATE "C" NOT NULL,
  code_digest          text COLLATE "C" NOT NULL UNIQUE,
  status               text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'CONNECTED', 'DENIED')),
  connection_id        text COLLATE "C" REFERENCES connections (id),
  expires_at           timestamptz NOT NULL,
  -- How often one was begun in the hour that began then.
  hour                 timestamptz NOT NULL,
  begun                integer NOT NULL,
  PRIMARY KEY (app_id, external_account_id),
  CHECK ((status = 'CONNECTED') = (connection_id IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX pairings_by_time ON pairings USING brin (expires_at) WITH (pages_per_range = 32);

-- Wrong codes of an account in an hour; of all accounts together where `account_id` is empty.
CREATE TABLE pairing_misses (
  hour        timestamptz NOT NULL,
  account_id  text COLLATE "C" NOT NULL,
  misses      integer NOT NULL,
  PRIMARY KEY (hour, account_id)
) WITH (fillfactor = 50);

-- A campaign that an application sent for a customer of a reseller has no user.
ALTER TABLE campaigns ALTER COLUMN user_id DROP NOT NULL;
