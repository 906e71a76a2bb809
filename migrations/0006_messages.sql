-- Messages: the queue of what is not final yet, and the record of what is.

-- A batch is what a gateway takes at once: up to 500 messages of one lane and one prefix. `session_id` tells who has
-- it; messages up to position `intent` may have been written to the operator, later ones certainly were not. So the
-- intent of a hundred messages costs one narrow row, and after a crash it is known which ones are of unknown fate.
CREATE TABLE message_batches (
  id           text COLLATE "C" PRIMARY KEY,
  lane         smallint NOT NULL,
  prefix       text NOT NULL,
  account_id   text COLLATE "C" NOT NULL,
  segments     integer NOT NULL,
  size         integer NOT NULL,
  intent       integer NOT NULL DEFAULT 0,
  session_id   text COLLATE "C",
  -- The operator whose session has the batch, or lost it with messages of unknown fate.
  operator_id  text COLLATE "C",
  unknown      boolean NOT NULL DEFAULT false,
  not_before   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX message_batches_free ON message_batches (lane, id) WHERE session_id IS NULL;
CREATE INDEX message_batches_held ON message_batches (operator_id) WHERE session_id IS NOT NULL;
CREATE INDEX message_batches_unknown ON message_batches (operator_id) WHERE unknown;
CREATE INDEX message_batches_expiry ON message_batches (expires_at);

-- A row is here exactly as long as its price is held. No foreign keys: a trigger per row would double the cost of a
-- campaign; batches, queue and records are written by this folder alone, in one transaction.
CREATE TABLE message_queue (
  batch_id     text COLLATE "C" NOT NULL,
  position     integer NOT NULL,
  account_id   text COLLATE "C" NOT NULL,
  campaign_id  text COLLATE "C" NOT NULL,
  number       integer NOT NULL,
  pool_id      text COLLATE "C" NOT NULL,
  phone        text COLLATE "C" NOT NULL,
  sender       text NOT NULL,
  body         text NOT NULL,
  segments     smallint NOT NULL,
  price        integer NOT NULL CHECK (price > 0),
  -- Concatenation reference and user_message_reference: the same each time this message is submitted.
  reference    integer NOT NULL,
  -- Segments that the operator has accepted already, a bit each, where a session was lost in the middle.
  accepted     smallint NOT NULL DEFAULT 0,
  retries      smallint NOT NULL DEFAULT 0,
  losses       smallint NOT NULL DEFAULT 0,
  unknown_since timestamptz,
  PRIMARY KEY (batch_id, position)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX message_queue_by_campaign ON message_queue (campaign_id, number);
CREATE INDEX message_queue_unknown ON message_queue (phone) WHERE unknown_since IS NOT NULL;

CREATE TABLE messages (
  account_id   text COLLATE "C" NOT NULL,
  campaign_id  text COLLATE "C" NOT NULL,
  number       integer NOT NULL,
  phone        text COLLATE "C" NOT NULL,
  status       text COLLATE "C" NOT NULL CHECK (status IN ('SENT', 'DELIVERED', 'UNDELIVERED', 'EXPIRED', 'REJECTED', 'CANCELED', 'UNKNOWN')),
  segments     smallint NOT NULL,
  price        integer NOT NULL,
  operator_id  text COLLATE "C",
  operator_message_id text COLLATE "C",
  error        text,
  sent_at      timestamptz,
  delivered_at timestamptz,
  PRIMARY KEY (account_id, campaign_id, number)
) WITH (fillfactor = 85);
CREATE INDEX messages_by_operator_id ON messages (operator_message_id, operator_id) WHERE operator_message_id IS NOT NULL;

-- What became of the messages of one send, counted as it happens, so that statistics never read the messages.
CREATE TABLE send_totals (
  campaign_id  text COLLATE "C" PRIMARY KEY,
  total        integer NOT NULL,
  sent         integer NOT NULL DEFAULT 0,
  failed       integer NOT NULL DEFAULT 0,
  delivered    integer NOT NULL DEFAULT 0,
  undelivered  integer NOT NULL DEFAULT 0,
  CHECK (sent + failed <= total AND delivered + undelivered <= sent)
) WITH (fillfactor = 70);

-- Receipts that came before the answer to their submit_sm, or for nothing that we know; kept for 7 days.
CREATE TABLE orphan_receipts (
  operator_id  text COLLATE "C" NOT NULL,
  operator_message_id text COLLATE "C" NOT NULL,
  status       text NOT NULL,
  error        text,
  -- What it says of its message: evidence for one whose answer never comes.
  phone        text COLLATE "C" NOT NULL,
  sender       text NOT NULL,
  reference    integer,
  received_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (operator_id, operator_message_id)
);
CREATE INDEX orphan_receipts_by_phone ON orphan_receipts (phone);
CREATE INDEX orphan_receipts_by_time ON orphan_receipts (received_at);
