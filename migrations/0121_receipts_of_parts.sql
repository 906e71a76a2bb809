-- Receipts of long texts: every id that an operator gave for a message finds it, and a part that fails fails the message.

-- The operator's ids of the parts of messages in several submit_sm, but for the last, whose id the record has. A message
-- in one part has no row. Rows go once receipts no longer search their month (`receipts_reach`).
CREATE TABLE message_parts (
  operator_message_id  text COLLATE "C" NOT NULL,
  operator_id          text COLLATE "C" NOT NULL,
  account_id           text COLLATE "C" NOT NULL,
  send_id              text COLLATE "C" NOT NULL,
  number               integer NOT NULL,
  -- From 1.
  part                 smallint NOT NULL
);
CREATE INDEX message_parts_by_id ON message_parts (operator_message_id, operator_id);
-- Ids of sends grow with time, so a summary of ranges finds the old rows and costs a new one nothing.
CREATE INDEX message_parts_by_send ON message_parts USING brin (send_id);

-- The parts of a message whose receipts say that they were delivered: bit 0 is the last part, bit n part n. Null: none.
ALTER TABLE messages ADD COLUMN delivered_parts integer;

-- The operator's ids of the parts that it has accepted of a message that is not final, in order; '' where it gave none.
ALTER TABLE message_queue ADD COLUMN part_ids jsonb;

-- The id in the text of a receipt that has another one in receipted_message_id: either may be the id of the message.
ALTER TABLE orphan_receipts ADD COLUMN text_id text COLLATE "C";
CREATE INDEX orphan_receipts_by_text_id ON orphan_receipts (text_id) WHERE text_id IS NOT NULL;

-- Receipts that came in several deliver_sm, until all parts of one are there.
CREATE TABLE receipt_parts (
  operator_id  text COLLATE "C" NOT NULL,
  phone        text COLLATE "C" NOT NULL,
  address      text COLLATE "C" NOT NULL,
  reference    text COLLATE "C" NOT NULL,
  total        smallint NOT NULL,
  number       smallint NOT NULL,
  octets       bytea NOT NULL,
  received_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (operator_id, phone, address, reference, total, number)
);
CREATE INDEX receipt_parts_by_time ON receipt_parts (received_at);
