-- When each job ran last, so that each of its times is served once in the whole cluster. pg-boss, which did that, is gone.
CREATE TABLE jobs (
  name    text COLLATE "C" PRIMARY KEY,
  ran_at  timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- Workers of the version before, which still run during an upgrade, log that their job queue has trouble. Their jobs are
-- run by the first worker of this version; no request touches them.
DROP SCHEMA IF EXISTS pgboss CASCADE;
