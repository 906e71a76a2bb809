-- Top-ups: what the service itself sells to companies, what they began to pay, and what was paid.

-- Prices are whole numbers of the currency: the franc CFA has no smaller unit.
CREATE TABLE topup_offers (
  id            text COLLATE "C" PRIMARY KEY,
  name          text NOT NULL,
  amount        bigint NOT NULL CHECK (amount > 0),
  currency      text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  credit        bigint NOT NULL CHECK (credit > 0),
  bonus_credit  bigint NOT NULL CHECK (bonus_credit >= 0),
  archived_at   timestamptz,
  created_at    timestamptz NOT NULL DEFAULT now(),
  CHECK (credit + bonus_credit <= 1000000000)
);
CREATE INDEX topup_offers_on_sale ON topup_offers (amount, id) WHERE archived_at IS NULL;

-- A top-up keeps the terms of its offer as they were. It is born with the operation keys of its two entries, so that neither
-- credit nor bonus can ever be entered twice. What stands on a receipt is written once, with the grant.
CREATE TABLE topups (
  company_id          text COLLATE "C" NOT NULL REFERENCES companies (id),
  id                  text COLLATE "C" NOT NULL UNIQUE,
  offer_id            text COLLATE "C" NOT NULL REFERENCES topup_offers (id),
  offer_name          text NOT NULL,
  amount              bigint NOT NULL CHECK (amount > 0),
  currency            text COLLATE "C" NOT NULL,
  credit              bigint NOT NULL CHECK (credit > 0),
  bonus_credit        bigint NOT NULL CHECK (bonus_credit >= 0),
  provider            text COLLATE "C" NOT NULL,
  return_url          text,
  -- What the provider calls it; a provider that takes no reference twice gets `reference-2` and so on at the next tries.
  reference           text COLLATE "C" NOT NULL UNIQUE,
  checkout_url        text,
  credit_key          text COLLATE "C" NOT NULL UNIQUE,
  bonus_key           text COLLATE "C" NOT NULL UNIQUE,
  -- A pending one expires by its age alone; money that comes later is granted all the same.
  status              text COLLATE "C" NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'GRANTED', 'FAILED')),
  created_by          text COLLATE "C" NOT NULL,
  created_at          timestamptz NOT NULL DEFAULT now(),
  granted_at          timestamptz,
  company_name        text,
  provider_reference  text,
  receipt_year        integer,
  receipt_number      integer,
  PRIMARY KEY (company_id, id),
  CHECK ((status = 'GRANTED') = (granted_at IS NOT NULL)),
  CHECK ((status = 'GRANTED') = (receipt_number IS NOT NULL)),
  CHECK ((receipt_year IS NULL) = (receipt_number IS NULL)),
  UNIQUE (receipt_year, receipt_number)
);
CREATE INDEX topups_by_status ON topups (status, id);
-- For the job that forgets what was never paid.
CREATE INDEX topups_unpaid ON topups (created_at) WHERE status <> 'GRANTED';

-- The last receipt of each year. It is counted in the transaction of the grant, so a grant that fails leaves no gap.
CREATE TABLE receipt_years (
  year  integer PRIMARY KEY,
  last  integer NOT NULL
);

SELECT keep_apart('topups', $$company_id = current_setting('atumpan.account', true)$$);
