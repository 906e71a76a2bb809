-- Sends and batches: a batch carries its messages itself, so a message is written twice: in its batch, and in the record.

-- The new names stop a process of the version before: it could not read what a batch carries, and would lose it.
ALTER TABLE message_batches RENAME TO batches;
ALTER INDEX message_batches_pkey RENAME TO batches_pkey;
ALTER INDEX message_batches_free RENAME TO batches_free;
ALTER INDEX message_batches_held RENAME TO batches_held;
ALTER INDEX message_batches_unknown RENAME TO batches_unknown;
ALTER INDEX message_batches_expiry RENAME TO batches_expiry;

ALTER TABLE batches
  -- The send whose batch it is; null where sends to one phone share it. Then its id is the lowest of their ids.
  ADD COLUMN send_id text COLLATE "C",
  -- The numbers of its recipients, where it belongs to one send.
  ADD COLUMN first_number integer,
  ADD COLUMN last_number integer,
  -- Its messages, as `fold` in src/sends/fold.ts writes them; null where each has a row in message_queue.
  ADD COLUMN messages text,
  -- The credits of the messages that it carries and that are not final. It is deleted only at zero.
  ADD COLUMN held bigint NOT NULL DEFAULT 0,
  -- It carries the positions from `first` to `size`, without those that were withdrawn.
  ADD COLUMN first integer NOT NULL DEFAULT 1,
  ADD COLUMN withdrawn integer[];
-- A row is updated in each turn that writes or settles one of its messages, so what it carries lies outside of it.
ALTER TABLE batches SET (toast_tuple_target = 128);
CREATE INDEX batches_by_send ON batches (send_id, first_number) WHERE send_id IS NOT NULL;
CREATE INDEX batches_shared ON batches (id) WHERE send_id IS NULL AND messages IS NOT NULL;

-- The hold that pays for a message; null: that of its send.
ALTER TABLE message_queue ADD COLUMN hold_id text COLLATE "C";

-- One row for each session of a gateway with an operator. `turn` is the number of its last committed turn: after a
-- COMMIT without an answer it says whether the turn happened. Whoever takes over deletes the row, which ends the
-- session's right to commit turns.
CREATE TABLE gateway_sessions (
  id           text COLLATE "C" PRIMARY KEY,
  operator_id  text COLLATE "C" NOT NULL,
  turn         bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE INDEX gateway_sessions_of_operator ON gateway_sessions (operator_id);

-- A send to one phone that nobody watches has no row: the record of its only message says it all.
ALTER TABLE send_totals RENAME TO sends;
ALTER TABLE sends RENAME COLUMN campaign_id TO id;
ALTER INDEX send_totals_pkey RENAME TO sends_pkey;

-- Fails the transaction unless a statement found what it must find.
CREATE FUNCTION must(holds boolean, what text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF holds IS NOT TRUE THEN RAISE EXCEPTION '%', what USING ERRCODE = 'AT001'; END IF;
  RETURN true;
END $$;

-- PostgreSQL parses the text of each check again for each statement that writes its table: 15 to 25 us a message
-- together with the settling of 48 answers at once (2 cores, 2026-11-22). The statements that write these columns now
-- compare themselves, and fail by `must`.
ALTER TABLE messages DROP CONSTRAINT messages_status_check;
ALTER TABLE message_queue DROP CONSTRAINT message_queue_price_check;
DO $$ DECLARE made record; BEGIN
  FOR made IN SELECT conrelid::regclass AS table, conname FROM pg_constraint
    WHERE contype = 'c' AND conrelid IN ('campaigns'::regclass, 'campaign_counts'::regclass, 'sends'::regclass)
  LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', made.table, made.conname); END LOOP;
END $$;

-- The statement that writes campaigns counts them.
DROP TRIGGER campaigns_are_counted ON campaigns;
DROP FUNCTION count_campaigns();
