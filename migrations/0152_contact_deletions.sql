-- The contacts of a group, of any size, are deleted in batches; this is how far each such deletion is.
CREATE TABLE contact_deletions (
  id          text COLLATE "C" PRIMARY KEY,
  company_id  text COLLATE "C" NOT NULL,
  group_id    text COLLATE "C" NOT NULL,
  status      text NOT NULL DEFAULT 'RUNNING' CHECK (status IN ('RUNNING', 'DONE')),
  -- Contacts that the group had when the deletion was asked for, and those that are deleted.
  total       integer NOT NULL,
  deleted     integer NOT NULL DEFAULT 0,
  -- The last contact that was deleted, and the last one to be deleted, in the order of ids.
  reached     text COLLATE "C" NOT NULL DEFAULT '',
  up_to       text COLLATE "C" NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  touched_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX contact_deletions_of_company ON contact_deletions (company_id, id);
CREATE INDEX contact_deletions_running ON contact_deletions (touched_at) WHERE status = 'RUNNING';
CREATE INDEX contact_deletions_by_age ON contact_deletions (created_at);
SELECT keep_apart('contact_deletions', $$company_id = current_setting('atumpan.account', true)$$);
