-- A deleted operator is known for some days: receipts for its messages may come by another operator of its account.
ALTER TABLE operators ADD COLUMN deleted_at timestamptz;
UPDATE operators SET deleted_at = now() WHERE deleted;
