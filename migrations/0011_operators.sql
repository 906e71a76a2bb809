-- Several operators at once: managed by their URLs, each takes over what another cannot send now, and accounts take turns.
ALTER TABLE operators
  -- Gone for its administrator; the row stays until what its sessions left behind is recovered.
  ADD COLUMN deleted boolean NOT NULL DEFAULT false;

-- Rows that were made by hand may share a name.
UPDATE operators SET name = name || ' ' || id
WHERE id NOT IN (SELECT min(id) FROM operators GROUP BY name);
CREATE UNIQUE INDEX operators_by_name ON operators (name) WHERE NOT deleted;

ALTER TABLE operator_binds
  -- In the future: it can take messages now. A dead process renews nothing, so that others take over within seconds.
  ADD COLUMN able_until timestamptz;

-- What waits, by account: a group of lane, prefix and account is found in one descent, the oldest of it in another.
ALTER TABLE message_batches ALTER COLUMN prefix TYPE text COLLATE "C";
DROP INDEX message_batches_free;
CREATE INDEX message_batches_free ON message_batches (lane, prefix, account_id, not_before, id) WHERE session_id IS NULL;
