-- Campaigns: what a company asked to send, to how many, when.
CREATE TABLE campaigns (
  company_id      text COLLATE "C" NOT NULL,
  id              text COLLATE "C" NOT NULL,
  user_id         text COLLATE "C" NOT NULL,
  name            text,
  body            text NOT NULL,
  type            text NOT NULL DEFAULT 'SMS' CHECK (type IN ('SMS', 'SCHEDULED', 'RECURRING')),
  sender_id       text COLLATE "C",
  sender_name     text NOT NULL,
  scheduled_date  timestamptz,
  contact_count   integer NOT NULL,
  group_count     integer NOT NULL DEFAULT 0,
  credit_used     bigint NOT NULL,
  blocked         jsonb,
  created_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (company_id, id)
);
