-- The record is partitioned by the month of the send, so that an old month is dropped whole.

-- What `campaign_id` holds in these tables is the id of a send. A process of the version before cannot write under the
-- new name, so this upgrade is not rolling.
ALTER TABLE messages RENAME COLUMN campaign_id TO send_id;
ALTER TABLE message_queue RENAME COLUMN campaign_id TO send_id;
ALTER INDEX message_queue_by_campaign RENAME TO message_queue_by_send;

-- Ids begin with 12 hex digits of milliseconds since 1970, so the sends of a month are a range of ids.
CREATE FUNCTION first_id_of(month date) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT lpad(to_hex((extract(epoch FROM month) * 1000)::bigint), 12, '0') || repeat('0', 12)
$$;
CREATE FUNCTION month_after(month date) RETURNS date LANGUAGE sql IMMUTABLE AS $$
  SELECT (month + interval '1 month')::date
$$;
CREATE FUNCTION table_of_month(month date) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'messages_' || to_char(month::timestamp, 'YYYY_MM')
$$;
CREATE FUNCTION receipts_index_of(record_table text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT record_table || '_by_operator_id'
$$;

-- Makes the table of one part of the record, not attached yet. Each part has an index of its own by which receipts find
-- their messages: it is dropped once no receipt is expected any more, which an index of the whole table could not be.
CREATE FUNCTION make_record_table(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE %I (LIKE messages) WITH (fillfactor = 85)', name);
  EXECUTE format('CREATE INDEX %I ON %I (operator_message_id, operator_id) WHERE operator_message_id IS NOT NULL',
                 receipts_index_of(name), name);
  -- As migration 0019 says of the whole table.
  EXECUTE format('ALTER TABLE %I ALTER COLUMN account_id SET (n_distinct = 1)', name);
END $$;

-- Makes the part of a month. Attaching a finished table takes a lock that lets others write the record. Only the table
-- of the months that nobody foresaw is locked whole: rows that it has of this month move. Whoever reads the record waits
-- for that, so it is given up where it does not get its locks soon, and the caller sets a short statement_timeout.
CREATE FUNCTION make_record_month(month date) RETURNS void LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
DECLARE
  name text := table_of_month(month);
  lowest text := first_id_of(month);
  beyond text := first_id_of(month_after(month));
BEGIN
  PERFORM make_record_table(name);
  LOCK TABLE ONLY messages IN SHARE UPDATE EXCLUSIVE MODE;
  LOCK TABLE messages_unforeseen IN ACCESS EXCLUSIVE MODE;
  EXECUTE format('WITH moved AS (DELETE FROM messages_unforeseen WHERE send_id >= %L AND send_id < %L RETURNING *)
                  INSERT INTO %I SELECT * FROM moved', lowest, beyond, name);
  EXECUTE format('ALTER TABLE messages ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, lowest, beyond);
END $$;

-- Drops the part of a month. It locks the whole record for a moment (DETACH CONCURRENTLY is refused beside a DEFAULT
-- partition), so it is given up where it does not get its lock soon.
CREATE FUNCTION drop_record_month(month date) RETURNS void LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
BEGIN
  EXECUTE format('DROP TABLE %I', table_of_month(month));
  DELETE FROM record_drops WHERE record_drops.month = drop_record_month.month;
END $$;

-- Drops the index by which receipts find the messages of a month.
CREATE FUNCTION drop_receipts_index(month date) RETURNS void LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
BEGIN
  EXECUTE format('DROP INDEX %I', receipts_index_of(table_of_month(month)));
END $$;

-- What is recorded already is not copied: its table becomes the part of this month and of all before it.
DO $$
DECLARE
  month date := date_trunc('month', now() AT TIME ZONE 'UTC');
  name text := table_of_month(month);
BEGIN
  EXECUTE format('ALTER TABLE messages RENAME TO %I', name);
  EXECUTE format('ALTER INDEX messages_pkey RENAME TO %I', name || '_pkey');
  EXECUTE format('ALTER INDEX messages_by_phone RENAME TO %I', name || '_phone_idx');
  EXECUTE format('ALTER INDEX messages_by_operator_id RENAME TO %I', receipts_index_of(name));
  EXECUTE format('CREATE TABLE messages (LIKE %I, PRIMARY KEY (account_id, send_id, number)) PARTITION BY RANGE (send_id)', name);
END $$;
-- As in 0009, which says what it is for and what it costs.
CREATE INDEX messages_by_phone ON messages
  USING brin (phone text_bloom_ops (n_distinct_per_range = 2000, false_positive_rate = 0.01))
  WITH (pages_per_range = 32, autosummarize = on);

-- Where messages of months go that nobody foresaw, so that none is ever refused. It is empty while a worker runs.
SELECT make_record_table('messages_unforeseen');
ALTER TABLE messages ATTACH PARTITION messages_unforeseen DEFAULT;

DO $$
DECLARE
  month date := date_trunc('month', now() AT TIME ZONE 'UTC');
  name text := table_of_month(month);
  beyond text := first_id_of(month_after(month));
  attach text := format('ALTER TABLE messages ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', name, beyond);
BEGIN
  BEGIN
    EXECUTE attach;
  EXCEPTION WHEN check_violation THEN
    -- A clock was wrong once, and made ids of times to come.
    EXECUTE format('WITH moved AS (DELETE FROM %I WHERE send_id >= %L RETURNING *) INSERT INTO messages_unforeseen SELECT * FROM moved',
                   name, beyond);
    EXECUTE attach;
  END;
  PERFORM make_record_month(month_after(month)), make_record_month(month_after(month_after(month)));
END $$;

-- How far the sends of a month that is to be dropped were seen that have no row in `sends`.
CREATE TABLE record_drops (
  month       date PRIMARY KEY,
  account_id  text COLLATE "C" NOT NULL,
  send_id     text COLLATE "C" NOT NULL,
  number      integer NOT NULL
);

-- Receipts find the messages of sends with ids from this one on: the parts of all of them have an index for receipts.
-- It begins with all sends, since a scheduled campaign that ran before this upgrade has an id of up to 180 days ago.
CREATE TABLE receipts_reach (
  is_only  boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  from_id  text COLLATE "C" NOT NULL
);
INSERT INTO receipts_reach (from_id) VALUES ('');

-- The credits that a send to one phone got back, once its message is dropped: its hold may be shared with others. Null:
-- the hold says it.
ALTER TABLE sends ADD COLUMN refunded integer;

-- The send of a scheduled campaign that has run. Null: the send has the campaign's own id.
ALTER TABLE campaigns ADD COLUMN send_id text COLLATE "C";
