-- Exports: archives of what a company has, in sealed parts that every process can read, for a day.
CREATE TABLE exports (
  id             text COLLATE "C" PRIMARY KEY,
  company_id     text COLLATE "C" NOT NULL REFERENCES companies (id),
  status         text NOT NULL DEFAULT 'RUNNING' CHECK (status IN ('RUNNING', 'DONE', 'FAILED')),
  -- Counts the processes that began it. Only the last one may write it, so no archive is of two.
  attempt        integer NOT NULL DEFAULT 0,
  leased_until   timestamptz NOT NULL DEFAULT '-infinity',
  percent        integer NOT NULL DEFAULT 0,
  row_count      bigint NOT NULL DEFAULT 0,
  byte_count     bigint NOT NULL DEFAULT 0,
  token_digest   text COLLATE "C" UNIQUE,
  sealed_token   text,
  created_at     timestamptz NOT NULL DEFAULT now(),
  expires_at     timestamptz,
  CHECK ((status = 'DONE') = (token_digest IS NOT NULL) AND (token_digest IS NULL) = (sealed_token IS NULL))
);
CREATE UNIQUE INDEX exports_running ON exports (company_id) WHERE status = 'RUNNING';
CREATE INDEX exports_of_company ON exports (company_id, created_at);
CREATE INDEX exports_by_time ON exports (created_at);

CREATE TABLE export_parts (
  -- The export, the attempt and the number of the part.
  id         text COLLATE "C" PRIMARY KEY,
  export_id  text COLLATE "C" NOT NULL,
  attempt    integer NOT NULL,
  number     integer NOT NULL,
  sealed     text NOT NULL
);
CREATE INDEX export_parts_in_order ON export_parts (export_id, attempt, number);

SELECT keep_apart('exports', $$company_id = current_setting('atumpan.account', true)$$);
SELECT keep_apart('export_parts', $$EXISTS (SELECT FROM exports WHERE exports.id = export_parts.export_id)$$);
