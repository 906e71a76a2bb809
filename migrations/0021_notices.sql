-- Notices: what the service itself tells people, by SMS at its own cost and by mail.

-- The pool of the service pays for notices. It is given what one costs when it has too little.
ALTER TABLE pools DROP CONSTRAINT pools_kind_check;
ALTER TABLE pools ADD CONSTRAINT pools_kind_check CHECK (kind IN ('world', 'company', 'user', 'customer', 'service'));

-- A mail waits here until it is sent or given up, and is remembered a while without what it said.
CREATE TABLE mails (
  id               text COLLATE "C" PRIMARY KEY,
  -- Recipient, subject and text: it may hold a secret link, so it is there only while it is needed.
  sealed           text,
  -- Counted as a try begins, so that a mail which kills its process is not tried for ever.
  attempts         smallint NOT NULL DEFAULT 0,
  -- While a process tries it: when that process must be dead.
  next_attempt_at  timestamptz NOT NULL DEFAULT now(),
  -- A number of the mail server or the name of a failure; never words, which quote addresses.
  last_error       text,
  created_at       timestamptz NOT NULL DEFAULT now(),
  sent_at          timestamptz,
  failed_at        timestamptz,
  CHECK ((sealed IS NULL) = (num_nonnulls(sent_at, failed_at) = 1))
);
CREATE INDEX mails_waiting ON mails (next_attempt_at, id) WHERE sealed IS NOT NULL;
CREATE INDEX mails_by_time ON mails (created_at);
