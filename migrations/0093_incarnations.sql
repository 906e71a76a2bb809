-- Incarnations: whether the database is still the one that the processes know. A restored backup is another one, and so is
-- a standby that took over. Sending is held then until it is known what the database has forgotten.
CREATE TABLE incarnations (
  number        integer PRIMARY KEY,
  -- What tells one from another: the cluster (`pg_control_system`), its timeline, and the database in it.
  system_id     text NOT NULL,
  timeline      text NOT NULL,
  database_oid  text NOT NULL,
  -- Why it is held; null: it is the first one.
  reason        text CHECK (reason IN ('RESTORED', 'PROMOTED', 'LOST', 'WENT_BACK')),
  state         text NOT NULL CHECK (state IN ('NORMAL', 'HELD', 'SETTLING')),
  made_at       timestamptz NOT NULL DEFAULT now(),
  -- Processes count on, so that they notice a database that went back in time. It goes on from one incarnation to the next.
  first_beat    bigint NOT NULL,
  beat          bigint NOT NULL,
  beat_at       timestamptz NOT NULL DEFAULT now(),
  -- The last sign of life before this incarnation.
  last_beat_at  timestamptz,
  decision      text CHECK (decision IN ('CONTINUED', 'RESUMED', 'UNKNOWN')),
  decided_at    timestamptz,
  decided_by    text,
  -- From when on nobody knows what was sent.
  since         timestamptz,
  -- How many messages may be sent a second time, or are of unknown fate, by the decision.
  messages      bigint
);

-- The processes of the service. `vouched_for`: the incarnation of which a process knows that it has forgotten nothing.
CREATE TABLE nodes (
  node         text COLLATE "C" PRIMARY KEY,
  host         text NOT NULL,
  pid          integer NOT NULL,
  version      text NOT NULL,
  roles        text[] NOT NULL,
  started_at   timestamptz NOT NULL DEFAULT now(),
  seen_at      timestamptz NOT NULL DEFAULT now(),
  vouched_for  integer
);

-- What waited when the database became another one. Nobody knows whether it was sent meanwhile.
ALTER TABLE batches ADD COLUMN doubtful boolean;
ALTER TABLE unqueued_sends ADD COLUMN doubtful boolean;
CREATE INDEX batches_doubtful ON batches (id) WHERE doubtful;
CREATE INDEX unqueued_sends_doubtful ON unqueued_sends (id) WHERE doubtful;
