-- Imports: files of contacts, in sealed parts until they are read, and what became of their rows.
CREATE TABLE imports (
  id              text COLLATE "C" PRIMARY KEY,
  company_id      text COLLATE "C" NOT NULL REFERENCES companies (id),
  user_id         text COLLATE "C" NOT NULL,
  status          text NOT NULL DEFAULT 'UPLOADING'
                  CHECK (status IN ('UPLOADING', 'READY', 'RUNNING', 'DONE', 'FAILED', 'CANCELED')),
  file_name       text NOT NULL,
  -- What the client recognises the file by, so that an upload goes on after a reload.
  fingerprint     text COLLATE "C",
  byte_count      integer NOT NULL,
  received        integer NOT NULL DEFAULT 0,
  -- Whether all that came is UTF-8, and the bytes of a character whose end has not come yet.
  is_utf8         boolean NOT NULL DEFAULT true,
  utf8_rest       bytea NOT NULL DEFAULT '',
  kind            text CHECK (kind IN ('CSV', 'XLSX')),
  encoding        text CHECK (encoding IN ('UTF-8', 'UTF-16LE', 'UTF-16BE', 'WINDOWS-1252')),
  delimiter       text,
  -- The first rows, and what the columns may be: JSON, sealed. Gone with the parts.
  sealed_preview  text,
  group_id        text COLLATE "C",
  group_name      text,
  -- What stands in each column; '' is not read.
  columns         text[] NOT NULL DEFAULT '{}',
  has_header      boolean NOT NULL DEFAULT false,
  converts        boolean NOT NULL DEFAULT false,
  -- The row of the sheet behind which a process goes on that takes the import over.
  reached         integer NOT NULL DEFAULT 0,
  percent         integer NOT NULL DEFAULT 0,
  row_count       integer NOT NULL DEFAULT 0,
  created         integer NOT NULL DEFAULT 0,
  updated         integer NOT NULL DEFAULT 0,
  repeated        integer NOT NULL DEFAULT 0,
  rejected        integer NOT NULL DEFAULT 0,
  failure         text,
  -- Counts the processes that began it; only the last one may write. `tries` counts those that got no further.
  attempt         integer NOT NULL DEFAULT 0,
  tries           integer NOT NULL DEFAULT 0,
  leased_until    timestamptz NOT NULL DEFAULT '-infinity',
  created_at      timestamptz NOT NULL DEFAULT now(),
  touched_at      timestamptz NOT NULL DEFAULT now(),
  ended_at        timestamptz,
  CHECK ((status IN ('DONE', 'FAILED', 'CANCELED')) = (ended_at IS NOT NULL))
);
CREATE INDEX imports_of_company ON imports (company_id, id);
CREATE INDEX imports_of_day ON imports (company_id, created_at);
CREATE INDEX imports_open ON imports (company_id) WHERE ended_at IS NULL;
CREATE INDEX imports_due ON imports (leased_until) WHERE status = 'RUNNING';
CREATE INDEX imports_waiting ON imports (touched_at) WHERE status IN ('UPLOADING', 'READY');
CREATE INDEX imports_ended ON imports (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE import_parts (
  -- The import and the number of the part.
  id         text COLLATE "C" PRIMARY KEY,
  import_id  text COLLATE "C" NOT NULL REFERENCES imports (id),
  number     integer NOT NULL,
  sealed     text NOT NULL
);
CREATE UNIQUE INDEX import_parts_in_order ON import_parts (import_id, number);

CREATE TABLE import_rejects (
  import_id      text COLLATE "C" NOT NULL REFERENCES imports (id),
  row_number     integer NOT NULL,
  company_id     text COLLATE "C" NOT NULL,
  column_number  integer NOT NULL,
  member         text NOT NULL,
  cell           text NOT NULL,
  reason         text NOT NULL,
  -- The phone of the row, where it has one: an erasure finds it by that.
  phone          text COLLATE "C",
  PRIMARY KEY (import_id, row_number)
);
CREATE INDEX import_rejects_of_company ON import_rejects (company_id, import_id, row_number);
CREATE INDEX import_rejects_by_phone ON import_rejects (company_id, phone) WHERE phone IS NOT NULL;

-- People who were erased while a file waited: their rows are not imported.
CREATE TABLE import_erasures (
  import_id  text COLLATE "C" NOT NULL REFERENCES imports (id),
  digest     text COLLATE "C" NOT NULL,
  PRIMARY KEY (import_id, digest)
);

-- What a company chose for the columns of a header, which is known by a keyed hash.
CREATE TABLE import_mappings (
  company_id     text COLLATE "C" NOT NULL REFERENCES companies (id),
  header_digest  text COLLATE "C" NOT NULL,
  columns        text[] NOT NULL DEFAULT '{}',
  has_header     boolean NOT NULL,
  chosen_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (company_id, header_digest)
);
CREATE INDEX import_mappings_by_time ON import_mappings (company_id, chosen_at);

SELECT keep_apart(made.target::regclass, $$company_id = current_setting('atumpan.account', true)$$) FROM (VALUES
  ('imports'), ('import_rejects'), ('import_mappings')) AS made (target);
SELECT keep_apart(made.target::regclass, format(
  $$EXISTS (SELECT FROM imports WHERE imports.id = %I.import_id)$$, made.target)) FROM (VALUES
  ('import_parts'), ('import_erasures')) AS made (target);
