-- An operator may have several sessions; each is a bind of its own, with an owner of its own. Not rolling: a process of
-- the version before would take all of them for one.
ALTER TABLE operator_binds ADD COLUMN number integer NOT NULL DEFAULT 0;
ALTER TABLE operator_binds DROP CONSTRAINT operator_binds_pkey;
ALTER TABLE operator_binds ADD PRIMARY KEY (operator_id, number);

-- The processes that bind operators, so that each takes its share of an operator's sessions.
CREATE TABLE gateways (
  node     text COLLATE "C" PRIMARY KEY,
  seen_at  timestamptz NOT NULL
);

ALTER TABLE operators DROP CONSTRAINT operators_message_id_form_check;
ALTER TABLE operators ADD CONSTRAINT operators_message_id_form_check
  CHECK (message_id_form IN ('as-is', 'quoted', 'hex-to-decimal', 'decimal-to-hex', 'case'));
