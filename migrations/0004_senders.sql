-- Sender IDs: the names that a company may show as the sender of an SMS.
CREATE TABLE senders (
  company_id   text COLLATE "C" NOT NULL REFERENCES companies (id),
  id           text COLLATE "C" NOT NULL,
  name         text NOT NULL,
  description  text NOT NULL,
  status       text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'SUBMITTED', 'ACCEPTED', 'REFUSED')),
  reason       text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX senders_by_name ON senders (company_id, lower(name)) WHERE status <> 'REFUSED';
