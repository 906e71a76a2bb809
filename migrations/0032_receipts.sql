-- Receipts of every dialect: how an operator writes its ids and dates, and phones however they are written.
ALTER TABLE operators
  -- An IANA name or an offset; null: the date of a receipt is read as UTC, and one in the future moved back.
  ADD COLUMN receipt_time_zone text,
  -- Whether a deliver_sm with esm_class 0 and nothing but the text of a receipt is one.
  ADD COLUMN plain_receipts boolean NOT NULL DEFAULT false;

-- 'case': ids that differ in case alone are different ids.
ALTER TABLE operators DROP CONSTRAINT operators_message_id_form_check;
ALTER TABLE operators ADD CONSTRAINT operators_message_id_form_check
  CHECK (message_id_form IN ('as-is', 'hex-to-decimal', 'decimal-to-hex', 'case'));

-- A receipt may write a phone as +225…, 00225… or as a national number: the last seven digits are the same in all.
DROP INDEX message_queue_unknown;
CREATE INDEX message_queue_unknown ON message_queue (right(phone, 7)) WHERE unknown_since IS NOT NULL;
DROP INDEX orphan_receipts_by_phone;
CREATE INDEX orphan_receipts_by_phone ON orphan_receipts (right(phone, 7));
