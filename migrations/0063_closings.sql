-- Closing: a company that closes itself is emptied some time later; until then it can be read and opened again.
ALTER TABLE companies ADD COLUMN closed_at timestamptz;

CREATE TABLE closings (
  company_id  text COLLATE "C" PRIMARY KEY REFERENCES companies (id),
  empty_at    timestamptz NOT NULL,
  step        text NOT NULL DEFAULT 'keys',
  -- How far the step is: an account, and a place in what it has.
  cursor      text COLLATE "C" NOT NULL DEFAULT '',
  emptied_at  timestamptz
);
CREATE INDEX closings_due ON closings (empty_at) WHERE emptied_at IS NULL;

SELECT keep_apart('closings', $$company_id = current_setting('atumpan.account', true)$$);
