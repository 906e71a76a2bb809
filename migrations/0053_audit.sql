-- The audit log: who did what, on what and when. It grows at its end alone, and each entry is chained to the one before.

-- One row per chain: the platform's, and one for each account that acts. `hash` and `last_id` are those of its last
-- entry. Entries up to `dropped` are gone with months whose time was over.
CREATE TABLE audit_heads (
  chain    text COLLATE "C" PRIMARY KEY,
  number   bigint NOT NULL DEFAULT 0,
  hash     text NOT NULL DEFAULT '',
  last_id  text COLLATE "C" NOT NULL DEFAULT '000000000000000000000000',
  dropped  bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Ids begin with the time of the entry, so a month is a range of ids (0029). In a chain they grow with `number`.
-- `before` and `after` are json, which keeps the bytes that the hash was made of.
CREATE TABLE audit_log (
  id          text COLLATE "C" PRIMARY KEY,
  chain       text COLLATE "C" NOT NULL,
  number      bigint NOT NULL,
  company_id  text COLLATE "C",
  actor_kind  text NOT NULL,
  actor_id    text COLLATE "C",
  -- The key by which a member acts that has several; null for the first.
  key_id      text COLLATE "C",
  actor_name  text,
  address     text NOT NULL,
  action      text COLLATE "C" NOT NULL,
  thing       text NOT NULL,
  thing_id    text COLLATE "C",
  before      json,
  after       json,
  is_cut      boolean NOT NULL,
  previous    text NOT NULL,
  hash        text NOT NULL
) PARTITION BY RANGE (id);
CREATE INDEX audit_log_by_chain ON audit_log (chain, number);
CREATE INDEX audit_log_by_company ON audit_log (company_id, id) WHERE company_id IS NOT NULL;
CREATE INDEX audit_log_by_actor ON audit_log (actor_id, id) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_log_by_action ON audit_log (action, id);

-- Whoever owns the table could take these away; then the hashes still tell what was changed.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log only grows';
END $$;
CREATE TRIGGER audit_log_grows BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_log_stays BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
REVOKE UPDATE, DELETE, TRUNCATE ON audit_log FROM PUBLIC;

-- A company sees what concerns it, and writes of itself alone, at the end of its own chain.
SELECT keep_apart('audit_log', $$company_id = current_setting('atumpan.account', true)$$,
                  $$chain = current_setting('atumpan.account', true) AND company_id = current_setting('atumpan.account', true)$$);
SELECT keep_apart('audit_heads', $$chain = current_setting('atumpan.account', true)$$);

-- Entries of months without a part go here and stay: moving them would be deleting them.
CREATE TABLE audit_log_unforeseen PARTITION OF audit_log DEFAULT;
CREATE TRIGGER audit_log_stays BEFORE TRUNCATE ON audit_log_unforeseen
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- Makes the parts of this month and of the next two, where they are missing. They belong to who owns the log, so that the
-- service cannot change them. A month that has entries without a part gets none.
CREATE FUNCTION make_audit_months() RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
  month date := date_trunc('month', now() AT TIME ZONE 'UTC');
  name text;
  is_late boolean;
BEGIN
  FOR ahead IN 0..2 LOOP
    name := 'audit_log_' || to_char(month::timestamp, 'YYYY_MM');
    IF to_regclass(name) IS NULL THEN
      LOCK TABLE ONLY audit_log IN SHARE UPDATE EXCLUSIVE MODE;
      LOCK TABLE audit_log_unforeseen IN ACCESS EXCLUSIVE MODE;
      SELECT EXISTS (SELECT FROM audit_log_unforeseen
                     WHERE id >= first_id_of(month) AND id < first_id_of(month_after(month))) INTO is_late;
      IF NOT is_late THEN
        EXECUTE format('CREATE TABLE %I (LIKE audit_log)', name);
        EXECUTE format('CREATE TRIGGER audit_log_stays BEFORE TRUNCATE ON %I
                        FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()', name);
        EXECUTE format('ALTER TABLE audit_log ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                       name, first_id_of(month), first_id_of(month_after(month)));
      END IF;
    END IF;
    month := month_after(month);
  END LOOP;
END $$;

-- Drops the months that ended more than `kept` months ago, never less than 3, and notes in the heads how far each chain
-- is gone. Returns the months.
CREATE FUNCTION drop_audit_months(kept integer) RETURNS text[]
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
  months integer := greatest(kept, 3);
  dropped_months text[] := '{}';
  name text;
BEGIN
  -- The owner of the heads may have to say that all of them are meant (0050).
  PERFORM set_config('atumpan.account', '*', true);
  FOR name IN
    SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'audit_log'::regclass AND relname ~ '^audit_log_\d{4}_\d\d$'
      AND to_date(right(relname, 7), 'YYYY_MM') + make_interval(months => months + 1) <= now() AT TIME ZONE 'UTC'
    ORDER BY relname
  LOOP
    -- Heads are locked before the log, as by whoever writes an entry.
    EXECUTE format('UPDATE audit_heads SET dropped = last.number
                    FROM audit_heads head CROSS JOIN LATERAL
                         (SELECT number FROM %I WHERE chain = head.chain ORDER BY number DESC LIMIT 1) last
                    WHERE audit_heads.chain = head.chain', name);
    EXECUTE format('DROP TABLE %I', name);
    dropped_months := dropped_months || name;
  END LOOP;
  RETURN dropped_months;
END $$;
REVOKE EXECUTE ON FUNCTION make_audit_months(), drop_audit_months(integer) FROM PUBLIC;

-- The name of who acts, as it is at that moment. The log stands below the tables of those who act, so it asks here.
CREATE FUNCTION name_of_actor(kind text, id text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE kind
    WHEN 'user' THEN (SELECT name FROM users WHERE users.id = name_of_actor.id)
    WHEN 'reseller' THEN (SELECT name FROM companies WHERE companies.id = name_of_actor.id)
    WHEN 'application' THEN (SELECT name FROM apps WHERE apps.id = name_of_actor.id)
  END
$$;

SELECT make_audit_months();
