-- Messages received: what handsets write to our numbers and names, whose these are, and what is still being put together.

-- Short codes and long numbers that handsets write to, given by an administrator. Without a company a number is shared: its
-- keywords decide. Two operators may have one short code; without an operator it is the same at all of them.
CREATE TABLE inbound_numbers (
  id           text COLLATE "C" PRIMARY KEY,
  address      text COLLATE "C" NOT NULL CHECK (address ~ '^[0-9]{3,15}$'),
  operator_id  text COLLATE "C",
  company_id   text COLLATE "C" REFERENCES companies (id),
  created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX inbound_numbers_by_address ON inbound_numbers (address, coalesce(operator_id, ''));
CREATE INDEX inbound_numbers_of_company ON inbound_numbers (company_id, address, id) WHERE company_id IS NOT NULL;

-- The first words that give a message to a company, in capitals without accents.
CREATE TABLE inbound_keywords (
  company_id  text COLLATE "C" NOT NULL REFERENCES companies (id),
  id          text COLLATE "C" NOT NULL UNIQUE,
  number_id   text COLLATE "C" NOT NULL REFERENCES inbound_numbers (id),
  keyword     text COLLATE "C" NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX inbound_keywords_by_word ON inbound_keywords (number_id, keyword);

-- A message is nobody's (company_id '') where no company was found for it. Its id begins with the time at which it came.
CREATE TABLE inbound_messages (
  company_id   text COLLATE "C" NOT NULL,
  id           text COLLATE "C" NOT NULL,
  -- The handset, as a phone in international format where it is one, and what it wrote to.
  phone        text COLLATE "C" NOT NULL,
  address      text COLLATE "C" NOT NULL,
  keyword      text COLLATE "C",
  -- Null once its time is over.
  body         text,
  encoding     text COLLATE "C" NOT NULL CHECK (encoding IN ('GSM-7', 'UCS-2', 'LATIN-1')),
  segments     integer NOT NULL,
  -- How many of its segments never came.
  missing      integer NOT NULL DEFAULT 0,
  campaign_id  text COLLATE "C",
  -- Whether the campaign that it answers has been looked for.
  is_sought    boolean NOT NULL,
  PRIMARY KEY (company_id, id)
);
CREATE INDEX inbound_messages_by_phone ON inbound_messages (company_id, phone, id);
CREATE INDEX inbound_messages_by_address ON inbound_messages (company_id, address, id);
CREATE INDEX inbound_messages_by_keyword ON inbound_messages (company_id, keyword, id) WHERE keyword IS NOT NULL;
CREATE INDEX inbound_messages_by_campaign ON inbound_messages (company_id, campaign_id, id) WHERE campaign_id IS NOT NULL;
CREATE INDEX inbound_messages_by_time ON inbound_messages (id);
CREATE INDEX inbound_messages_with_text ON inbound_messages (id) WHERE body IS NOT NULL;
CREATE INDEX inbound_messages_unsought ON inbound_messages (id) WHERE NOT is_sought;

-- Segments of long messages that are not whole yet. A handset may begin a message by a reference that it uses already: that
-- one is another series.
CREATE TABLE inbound_parts (
  phone        text COLLATE "C" NOT NULL,
  address      text COLLATE "C" NOT NULL,
  reference    text COLLATE "C" NOT NULL,
  total        integer NOT NULL,
  series       integer NOT NULL,
  number       integer NOT NULL CHECK (number BETWEEN 1 AND total),
  encoding     text COLLATE "C" NOT NULL,
  octets       bytea NOT NULL,
  -- The number of ours that it came to, and whether its operator speaks for this handset.
  number_id    text COLLATE "C",
  is_served    boolean NOT NULL,
  received_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (phone, address, reference, total, series, number)
);
CREATE INDEX inbound_parts_by_time ON inbound_parts (received_at);

-- What came a short while ago, as keyed hashes: an operator whose answer was lost delivers it again.
CREATE TABLE inbound_marks (
  digest   text COLLATE "C" PRIMARY KEY,
  repeats  integer NOT NULL DEFAULT 0,
  until    timestamptz NOT NULL
);
CREATE INDEX inbound_marks_by_time ON inbound_marks (until);

SELECT keep_apart(made.target::regclass, $$company_id = current_setting('atumpan.account', true)$$) FROM (VALUES
  ('inbound_messages'), ('inbound_keywords')) AS made (target);
-- A company sees its own numbers, and the shared ones on which it has a keyword.
SELECT keep_apart('inbound_numbers', $$company_id = current_setting('atumpan.account', true)
  OR EXISTS (SELECT FROM inbound_keywords WHERE inbound_keywords.number_id = inbound_numbers.id)$$);
