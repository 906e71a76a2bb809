-- Opt-outs: the phones that want no more messages of a company.
CREATE TABLE optouts (
  company_id  text COLLATE "C" NOT NULL,
  phone       text COLLATE "C" NOT NULL,
  -- Who said so: the company through its interface, or the person by a reply.
  source      text NOT NULL CHECK (source IN ('COMPANY', 'HANDSET')),
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (company_id, phone)
);
CREATE INDEX optouts_by_time ON optouts (company_id, created_at, phone);

-- Who wrote to a phone last: an answer such as STOP is meant for them.
CREATE INDEX messages_by_phone ON messages (phone, campaign_id);
