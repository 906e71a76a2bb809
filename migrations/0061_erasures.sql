-- Erasures: people are taken out of everything, and what they had opted out of is known by keyed hashes.

-- Who had opted out before the erasure: nobody can read the phone, but a send to it still finds this.
CREATE TABLE erased_optouts (
  digest      text COLLATE "C" NOT NULL,
  company_id  text COLLATE "C" NOT NULL,
  source      text NOT NULL CHECK (source IN ('COMPANY', 'HANDSET')),
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (digest, company_id)
);
CREATE INDEX erased_optouts_by_company ON erased_optouts (company_id);

CREATE TABLE erasures (
  id          text COLLATE "C" PRIMARY KEY,
  -- Whose data of the person; null: those of all accounts.
  company_id  text COLLATE "C",
  -- The keyed hash and the sealed phone of the person; null once it is done.
  digest      text COLLATE "C",
  sealed      text,
  step        text NOT NULL,
  -- How far the step is; what it means is known to the step.
  cursor      text COLLATE "C" NOT NULL DEFAULT '',
  -- Whether the pass over the queue has seen messages that must become final first.
  waits       boolean NOT NULL DEFAULT false,
  contacts    integer NOT NULL DEFAULT 0,
  optouts     integer NOT NULL DEFAULT 0,
  canceled    integer NOT NULL DEFAULT 0,
  messages    integer NOT NULL DEFAULT 0,
  codes       integer NOT NULL DEFAULT 0,
  events      integer NOT NULL DEFAULT 0,
  next_at     timestamptz NOT NULL DEFAULT now(),
  created_at  timestamptz NOT NULL DEFAULT now(),
  done_at     timestamptz,
  CHECK ((done_at IS NULL) = (sealed IS NOT NULL) AND (done_at IS NULL) = (digest IS NOT NULL))
);
CREATE UNIQUE INDEX erasures_under_way ON erasures (coalesce(company_id, ''), digest) WHERE done_at IS NULL;
CREATE INDEX erasures_due ON erasures (next_at) WHERE done_at IS NULL;
CREATE INDEX erasures_done ON erasures (done_at) WHERE done_at IS NOT NULL;

-- The watched sends of an erasure, whose events may name the person.
CREATE TABLE erasure_watches (
  erasure_id   text COLLATE "C" NOT NULL REFERENCES erasures (id) ON DELETE CASCADE,
  endpoint_id  text COLLATE "C" NOT NULL,
  send_id      text COLLATE "C" NOT NULL,
  PRIMARY KEY (erasure_id, endpoint_id, send_id)
);

SELECT keep_apart('erased_optouts', $$company_id = current_setting('atumpan.account', true)$$);
SELECT keep_apart('erasures', $$company_id = current_setting('atumpan.account', true)$$);
SELECT keep_apart('erasure_watches', $$EXISTS (SELECT FROM erasures WHERE erasures.id = erasure_watches.erasure_id)$$);
