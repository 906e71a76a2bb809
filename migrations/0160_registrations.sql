-- Registrations of sender names: what an operator said about a name in one country.
CREATE TABLE sender_registrations (
  company_id   text COLLATE "C" NOT NULL,
  sender_id    text COLLATE "C" NOT NULL,
  operator_id  text COLLATE "C" NOT NULL REFERENCES operators (id) ON DELETE CASCADE,
  -- ISO 3166.
  country      text COLLATE "C" NOT NULL,
  state        text COLLATE "C" NOT NULL CHECK (state IN ('REQUESTED', 'REGISTERED', 'REFUSED', 'EXPIRED')),
  -- The number of the request at the operator, and where its documents are.
  reference    text NOT NULL DEFAULT '',
  document     text NOT NULL DEFAULT '',
  -- The last day on which the name is registered. Null: it does not expire.
  expires_on   date,
  updated_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (company_id, sender_id, operator_id, country),
  FOREIGN KEY (company_id, sender_id) REFERENCES senders (company_id, id) ON DELETE CASCADE
);
CREATE INDEX sender_registrations_by_operator ON sender_registrations (operator_id);
CREATE UNIQUE INDEX sender_registrations_by_sender ON sender_registrations (sender_id, operator_id, country);
CREATE INDEX sender_registrations_by_state ON sender_registrations (state, sender_id, operator_id, country);
CREATE INDEX sender_registrations_expiring ON sender_registrations (expires_on) WHERE state = 'REGISTERED';

-- Where the name is registered now, as sends need it: 'operator-id calling-code', in order.
ALTER TABLE senders ADD COLUMN registered text[] COLLATE "C" NOT NULL DEFAULT '{}';
SELECT keep_apart('sender_registrations', $$company_id = current_setting('atumpan.account', true)$$);
