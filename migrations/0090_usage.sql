-- Usage: what a company sent by day, operator and kind of message, from the upgrade on.

-- The kind of the messages of each line; null: nobody knows it, as of receipts, of messages that left their batches, and of
-- what a process of the version before added.
ALTER TABLE tallies ADD COLUMN kinds text[];

-- Messages that operators took, and their credits, on the days of `message_days`, which also counts those of no kind. The
-- tick that adds up tallies writes it.
CREATE TABLE usage_days (
  account_id   text COLLATE "C" NOT NULL,
  day          date NOT NULL,
  kind         text COLLATE "C" NOT NULL CHECK (kind IN ('otp', 'campaign', 'application')),
  operator_id  text COLLATE "C" NOT NULL,
  sent         bigint NOT NULL,
  credits      bigint NOT NULL,
  PRIMARY KEY (account_id, day, kind, operator_id)
) WITH (fillfactor = 70);
CREATE INDEX usage_days_by_day ON usage_days (day);

SELECT keep_apart('usage_days', $$account_id = current_setting('atumpan.account', true)$$);
