-- The messages a second that an operator was found to take, so that a new session does not have to find it again.
-- Null: nothing but its limit holds the session back.
ALTER TABLE operator_binds ADD COLUMN learned_rate double precision;

-- How long messages wait for an operator before the next one may take them. Null: for ever.
ALTER TABLE operators ADD COLUMN overflow_after_s int DEFAULT 60;
