-- An account over HTTP lists its recent receipts without a message each second: not through those of all operators.
CREATE INDEX orphan_receipts_by_operator ON orphan_receipts (operator_id, received_at);
-- Old receipts are deleted by time alone. No list orders by this expression, so none goes through the index.
CREATE INDEX orphan_receipts_by_age ON orphan_receipts ((received_at AT TIME ZONE 'UTC'));
DROP INDEX orphan_receipts_by_time;
