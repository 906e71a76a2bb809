-- An import can be undone for 24 hours: the contacts that it created, and when it last wrote each of them. A contact whose
-- `updated_at` is another was changed since. No other path writes here, so creating contacts elsewhere costs nothing more.
CREATE TABLE import_contacts (
  import_id   text COLLATE "C" NOT NULL,
  contact_id  text COLLATE "C" NOT NULL,
  company_id  text COLLATE "C" NOT NULL,
  written_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (import_id, contact_id)
);
SELECT keep_apart('import_contacts', $$company_id = current_setting('atumpan.account', true)$$);

ALTER TABLE imports
  -- Whether the import created its group.
  ADD COLUMN made_group boolean NOT NULL DEFAULT false,
  ADD COLUMN undo_status text CHECK (undo_status IN ('RUNNING', 'DONE')),
  ADD COLUMN undo_removed integer NOT NULL DEFAULT 0,
  ADD COLUMN undo_kept integer NOT NULL DEFAULT 0,
  -- The last batch of the undo.
  ADD COLUMN undo_touched_at timestamptz,
  -- Contacts that may be removed are known of imports of this version on.
  ADD COLUMN is_undoable boolean NOT NULL DEFAULT false;
ALTER TABLE imports ALTER COLUMN is_undoable SET DEFAULT true;
CREATE INDEX imports_undoing ON imports (undo_touched_at) WHERE undo_status = 'RUNNING';
