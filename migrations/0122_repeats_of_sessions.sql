-- Repeats of received messages: within the operator's window, or later where the session that brought the first one is over.
-- Until when the same message is a repeat over any session. Null: as long as the mark lives.
ALTER TABLE inbound_marks ADD COLUMN repeats_until timestamptz;
-- The session that brought it. If it ended, the operator may have no answer, and delivers the message again.
ALTER TABLE inbound_marks ADD COLUMN session_id text COLLATE "C";
