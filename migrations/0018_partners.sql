-- Resellers: who may sell credits, their customers and offers, what was bought and paid; and statements of a pool.

-- A company that an administrator made a reseller. Payments and grants of purchases of one reseller go one after
-- another: each locks this row first, then pools.
CREATE TABLE partners (
  company_id    text COLLATE "C" PRIMARY KEY REFERENCES companies (id),
  -- HMAC of the one server key that lives, under a key that is not in this database.
  key_digest    text COLLATE "C" UNIQUE,
  -- Who made that key, and when.
  key_made_by   text COLLATE "C",
  key_made_at   timestamptz,
  created_at    timestamptz NOT NULL DEFAULT now()
);

-- A customer's pool carries the customer's id, and comes with its first credits.
CREATE TABLE customers (
  company_id   text COLLATE "C" NOT NULL REFERENCES partners (company_id),
  id           text COLLATE "C" NOT NULL UNIQUE,
  name         text NOT NULL,
  -- What the reseller calls it.
  external_id  text COLLATE "C",
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX customers_by_external_id ON customers (company_id, external_id) WHERE external_id IS NOT NULL;

-- Prices are whole numbers of the currency: the franc CFA has no smaller unit.
CREATE TABLE offers (
  company_id    text COLLATE "C" NOT NULL REFERENCES partners (company_id),
  id            text COLLATE "C" NOT NULL,
  name          text NOT NULL,
  price         bigint NOT NULL CHECK (price >= 0),
  credit        bigint NOT NULL CHECK (credit > 0),
  bonus_credit  bigint NOT NULL CHECK (bonus_credit >= 0),
  archived_at   timestamptz,
  created_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (company_id, id),
  CHECK (credit + bonus_credit <= 1000000000)
);

-- A purchase keeps the price and the credits of its offer as they were. It is born with the operation keys of its
-- two entries, so that neither credit nor bonus can ever be entered twice, whoever tries.
CREATE TABLE purchases (
  company_id    text COLLATE "C" NOT NULL,
  id            text COLLATE "C" NOT NULL UNIQUE,
  customer_id   text COLLATE "C" NOT NULL,
  offer_id      text COLLATE "C" NOT NULL,
  offer_name    text NOT NULL,
  amount        bigint NOT NULL CHECK (amount >= 0),
  credit        bigint NOT NULL CHECK (credit > 0),
  bonus_credit  bigint NOT NULL CHECK (bonus_credit >= 0),
  -- What the payment provider calls it.
  reference     text COLLATE "C" NOT NULL UNIQUE,
  credit_key    text COLLATE "C" NOT NULL UNIQUE,
  bonus_key     text COLLATE "C" NOT NULL UNIQUE,
  status        text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'PAID', 'GRANTED', 'FAILED')),
  created_at    timestamptz NOT NULL DEFAULT now(),
  paid_at       timestamptz,
  granted_at    timestamptz,
  PRIMARY KEY (company_id, id),
  FOREIGN KEY (company_id, customer_id) REFERENCES customers (company_id, id),
  FOREIGN KEY (company_id, offer_id) REFERENCES offers (company_id, id),
  CHECK ((status IN ('PAID', 'GRANTED')) = (paid_at IS NOT NULL)),
  CHECK ((status = 'GRANTED') = (granted_at IS NOT NULL))
);
-- Paid, and waiting for their reseller to have the credits: in order of payment.
CREATE INDEX purchases_waiting ON purchases (company_id, paid_at, id) WHERE status = 'PAID';

-- What payment providers told us. An event about a purchase stays; everything else (forged, old, about nothing that we
-- know) shares places in two rings, so that nobody can fill the disk and no forger can push out what was signed.
CREATE TABLE payment_events (
  id           text COLLATE "C" PRIMARY KEY,
  provider     text COLLATE "C" NOT NULL,
  event_id     text COLLATE "C",
  type         text,
  purchase_id  text COLLATE "C",
  amount       bigint,
  currency     text,
  status       text COLLATE "C" NOT NULL CHECK (status IN ('ACCEPTED', 'REFUSED', 'IGNORED')),
  reason       text NOT NULL,
  ip           text,
  slot         integer UNIQUE,
  received_at  timestamptz NOT NULL DEFAULT now(),
  CHECK (slot IS NOT NULL OR (event_id IS NOT NULL AND purchase_id IS NOT NULL))
);
CREATE UNIQUE INDEX payment_events_once ON payment_events (provider, event_id) WHERE slot IS NULL;
CREATE INDEX payment_events_by_status ON payment_events (status, id);
CREATE SEQUENCE payment_slots_signed;
CREATE SEQUENCE payment_slots_unsigned;

-- Statements: the newest movements of one pool. Rows of one pool are written while it is locked, so the time at which a
-- row is written, unlike that at which its transaction began, is the order in which the balance changed.
ALTER TABLE holds ALTER COLUMN created_at SET DEFAULT clock_timestamp();
ALTER TABLE entries ALTER COLUMN created_at SET DEFAULT clock_timestamp();
-- 2 µs and 100 bytes of WAL per hold of one hot pool, 5 µs with holds of 1,000 pools mixed; a campaign of any size is
-- one hold (2 cores under load, 2026-11-21).
CREATE INDEX holds_by_pool ON holds (pool_id, created_at);
-- Captures change no available balance, and grants come from the world, which nobody asks a statement of.
CREATE INDEX entries_to_pool ON entries (to_pool, created_at) WHERE kind IN ('grant', 'transfer', 'release');
CREATE INDEX entries_from_pool ON entries (from_pool, created_at) WHERE kind IN ('correction', 'transfer');
