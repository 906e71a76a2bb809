-- The record may lie on other machines (src/kernel/citus.ts), where no statement joins it to tables of this one.

-- The messages with these keys that are recorded. The planner puts the function's text in its place.
CREATE FUNCTION recorded_messages(accounts text[], sends text[], numbers integer[]) RETURNS SETOF messages
LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT message.* FROM unnest(accounts, sends, numbers) AS wanted (account_id, send_id, number)
  CROSS JOIN LATERAL (
    SELECT * FROM messages
    WHERE messages.account_id = wanted.account_id AND messages.send_id = wanted.send_id AND messages.number = wanted.number LIMIT 1
  ) message
$$;

-- The same, which takes its place where the record is distributed: Citus joins no distributed table to rows of another one,
-- but takes a statement of its own for each account, whose messages lie on one worker. A call costs 90 us more
-- (2 busy cores, 2026-11-25).
CREATE FUNCTION recorded_messages_apart(accounts text[], sends text[], numbers integer[]) RETURNS SETOF messages
LANGUAGE plpgsql STABLE ROWS 1 AS $$
DECLARE
  account text;
BEGIN
  FOR account IN SELECT DISTINCT one FROM unnest(accounts) AS one LOOP
    RETURN QUERY
      SELECT message.* FROM unnest(accounts, sends, numbers) AS wanted (account_id, send_id, number)
      CROSS JOIN LATERAL (
        SELECT * FROM messages
        WHERE messages.account_id = account AND messages.send_id = wanted.send_id AND messages.number = wanted.number LIMIT 1
      ) message
      WHERE wanted.account_id = account;
  END LOOP;
END $$;

-- As in migration 0050, by the keys: a place of a row (ctid) says nothing of the worker that has it.
CREATE OR REPLACE FUNCTION delete_unforeseen(beyond text, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  deleted bigint;
BEGIN
  WITH few AS MATERIALIZED (SELECT account_id, send_id, number FROM messages_unforeseen WHERE send_id < beyond LIMIT most)
  DELETE FROM messages_unforeseen gone USING few
  WHERE gone.account_id = few.account_id AND gone.send_id = few.send_id AND gone.number = few.number;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END $$;
