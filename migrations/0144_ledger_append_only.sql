-- The ledger is append-only: nobody changes an entry, and old entries are deleted by one function alone.

-- Whoever owns the table can disable the triggers (docs/security.md); the digests below then show what was changed.
CREATE FUNCTION refuse_entry_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- `forget_entries` runs as the owner of the table. No setting lets anybody delete an entry that is younger than a year.
  IF TG_OP = 'DELETE' AND current_setting('atumpan.forgets', true) = 'on' THEN
    IF OLD.created_at < now() - interval '1 year'
       AND pg_has_role((SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'the ledger is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE ON entries
  FOR EACH ROW EXECUTE FUNCTION refuse_entry_change();
CREATE TRIGGER entries_not_truncated BEFORE TRUNCATE ON entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_entry_change();

-- The chain of days: one row for each day that has entries. A day holds the entries with ids up to `last_id` that follow
-- those of the day before. `digest` is a keyed hash over each of them and the digest of the day before; its key is not in
-- the database. `seal` is a keyed hash over the row itself.
CREATE TABLE ledger_days (
  day        date PRIMARY KEY,
  last_id    bigint NOT NULL,
  entries    bigint NOT NULL CHECK (entries >= 0),
  -- The sum of their amounts.
  amount     bigint NOT NULL CHECK (amount >= 0),
  -- Entries that came later than their own time allows: the day of that time was complete already.
  backdated  bigint NOT NULL CHECK (backdated >= 0),
  -- All entries from before this time have ids up to `last_id`.
  until      timestamptz NOT NULL,
  digest     text NOT NULL,
  -- Their retention is over: they are deleted, and no longer compared.
  forgotten  boolean NOT NULL DEFAULT false,
  seal       text NOT NULL,
  -- By how much its entries differed from the digest when they were last compared.
  difference bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Deletes up to `most` entries of days that are forgotten, if they are older than a year and in the sums of the audit.
-- Returns how many.
CREATE FUNCTION forget_entries(most integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  last bigint;
  before timestamptz;
  gone integer;
BEGIN
  -- The owner of the tables says that the rows of all accounts are meant (0050).
  PERFORM set_config('atumpan.account', '*', true), set_config('atumpan.forgets', 'on', true);
  SELECT max(last_id) INTO last FROM ledger_days WHERE forgotten;
  SELECT least(now() - interval '1 year', coalesce(max(until), '-infinity')) INTO before FROM audit_marks;
  DELETE FROM entries WHERE id = ANY(ARRAY(
    SELECT id FROM entries WHERE id <= last AND created_at < before ORDER BY id LIMIT most));
  GET DIAGNOSTICS gone = ROW_COUNT;
  PERFORM set_config('atumpan.forgets', '', true);
  RETURN gone;
END $$;
REVOKE EXECUTE ON FUNCTION forget_entries(integer) FROM PUBLIC;

-- Roles that exist already; src/kernel/rights.ts grants SELECT and INSERT alone from now on.
DO $$
DECLARE
  wanted name;
BEGIN
  FOR wanted IN SELECT rolname FROM pg_roles WHERE rolname IN ('atumpan_service', 'atumpan_tenant') LOOP
    EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON entries FROM %I', wanted);
  END LOOP;
END $$;
