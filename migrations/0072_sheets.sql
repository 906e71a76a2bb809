-- Sheets: the messages of a send as CSV, exports like archives. A balance below the threshold of its company is told. Lists by type.
ALTER TABLE exports
  ADD COLUMN campaign_id text COLLATE "C",
  -- Whose messages a sheet has; an archive has none.
  ADD COLUMN send_id text COLLATE "C",
  ADD COLUMN message_count bigint,
  DROP CONSTRAINT exports_status_check,
  -- A sheet that is not written yet is WAITING, so that a node of an earlier version does not make an archive of it.
  ADD CONSTRAINT exports_status_check CHECK (status IN ('RUNNING', 'WAITING', 'DONE', 'FAILED')),
  ADD CONSTRAINT exports_of_sends CHECK (num_nulls(campaign_id, send_id, message_count) IN (0, 3)
    AND (status <> 'WAITING' OR send_id IS NOT NULL) AND (status <> 'RUNNING' OR send_id IS NULL));
CREATE UNIQUE INDEX exports_waiting ON exports (company_id, send_id) WHERE status = 'WAITING';
CREATE INDEX exports_unwritten ON exports (created_at) WHERE status IN ('RUNNING', 'WAITING');

CREATE INDEX campaigns_later ON campaigns (company_id, id) WHERE type <> 'SMS';

-- The threshold of a company, below which its owner is told once.
CREATE TABLE low_balances (
  company_id  text COLLATE "C" PRIMARY KEY,
  -- Null: the company wants none any more. The row stays, since it says when the owner was told.
  threshold   bigint CHECK (threshold > 0),
  -- Whether the owner was told since the balance was above, and when the last time.
  is_told     boolean NOT NULL DEFAULT false,
  told_at     timestamptz
);
SELECT keep_apart('low_balances', $$company_id = current_setting('atumpan.account', true)$$);
