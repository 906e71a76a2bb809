-- Messages of which carriers over HTTP are asked when no answer or no receipt comes: only of connectors that have a query.
CREATE TABLE status_queries (
  operator_id  text COLLATE "C" NOT NULL,
  account_id   text COLLATE "C" NOT NULL,
  send_id      text COLLATE "C" NOT NULL,
  number       integer NOT NULL,
  -- Whether its fate was unknown when it was noted; otherwise the carrier had accepted it.
  unknown      boolean NOT NULL,
  asked        smallint NOT NULL DEFAULT 0,
  due_at       timestamptz NOT NULL,
  -- How long after a query the next one is due; doubled with each.
  wait_ms      bigint NOT NULL,
  PRIMARY KEY (operator_id, send_id, number)
);
-- Messages of unknown fate come first: they are sent again after the quarantine.
CREATE INDEX status_queries_due ON status_queries (operator_id, unknown, due_at);
-- Ids of sends grow with time, so a summary of ranges finds what deleted operators left and costs a new row nothing.
CREATE INDEX status_queries_by_send ON status_queries USING brin (send_id);
