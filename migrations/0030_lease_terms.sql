-- A lease counts only in the term in which it was offered. Whoever finds out what became of lost commits begins the next
-- term, so what a lost acceptance makes later is nobody's, and any gateway may take it. The unique index makes a change
-- of the term one of a key: PostgreSQL then lets nobody lock the row of an older term FOR KEY SHARE.
ALTER TABLE gateway_sessions ADD COLUMN lease_term integer NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX gateway_sessions_terms ON gateway_sessions (id, lease_term);
