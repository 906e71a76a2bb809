-- Statistics: what became of messages, counted by day and by send, so that no question reads the record.

-- What a transaction that settled messages, or heard of receipts, adds to the statistics: one row, whose arrays have a
-- place for each account, send, operator, status and error. Who settles only adds a row here, and so waits for nobody. A
-- tick adds the rows up within seconds and deletes them; questions add what is left.
CREATE TABLE tallies (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at            timestamptz NOT NULL DEFAULT now(),
  account_ids   text[] NOT NULL,
  -- Null: a send to one phone, which has no row in `sends`.
  send_ids      text[] NOT NULL,
  operator_ids  text[] NOT NULL,
  statuses      text[] NOT NULL,
  errors        text[] NOT NULL,
  -- Of receipts: when their message was sent, in quarters of an hour since 1970. Every zone's days begin at one.
  quarters      integer[] NOT NULL,
  counts        integer[] NOT NULL,
  credits       integer[] NOT NULL
);

-- Messages by the day on which they were settled, in the zone of the account's country. What a receipt says counts on the
-- day on which its message was sent. Rows of account '' are of all accounts together.
CREATE TABLE message_days (
  account_id   text COLLATE "C" NOT NULL,
  day          date NOT NULL,
  -- '': no operator had it.
  operator_id  text COLLATE "C" NOT NULL,
  -- Taken by the operator; of these `delivered` and `undelivered` have their receipt.
  sent         bigint NOT NULL DEFAULT 0,
  delivered    bigint NOT NULL DEFAULT 0,
  undelivered  bigint NOT NULL DEFAULT 0,
  -- Not taken; of these `expired` and `canceled` say why.
  failed       bigint NOT NULL DEFAULT 0,
  expired      bigint NOT NULL DEFAULT 0,
  canceled     bigint NOT NULL DEFAULT 0,
  credits      bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, day, operator_id)
) WITH (fillfactor = 70);
CREATE INDEX message_days_by_day ON message_days (day);

-- What became of the messages of a send to several phones, by operator and reason, and when.
CREATE TABLE send_tallies (
  send_id     text COLLATE "C" PRIMARY KEY,
  account_id  text COLLATE "C" NOT NULL,
  counted     jsonb NOT NULL
) WITH (fillfactor = 70);

SELECT keep_apart('message_days', $$account_id = current_setting('atumpan.account', true)$$);
SELECT keep_apart('send_tallies', $$account_id = current_setting('atumpan.account', true)$$);
