-- Contacts: a company's phone book, one row per phone.
CREATE TABLE contacts (
  -- Only written for a company that was just identified; a foreign key would check its row for each contact of a send.
  company_id  text COLLATE "C" NOT NULL,
  id          text COLLATE "C" NOT NULL,
  phone       text COLLATE "C" NOT NULL,
  name        text NOT NULL,
  first_name  text,
  last_name   text,
  sex         text CHECK (sex IN ('M', 'F')),
  created_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (company_id, id),
  UNIQUE (company_id, phone)
);
-- Ids are ordered by time of creation: the primary key is the index of that order too.
CREATE INDEX contacts_by_first_name ON contacts (company_id, first_name, id);
CREATE INDEX contacts_by_last_name ON contacts (company_id, last_name, id);
