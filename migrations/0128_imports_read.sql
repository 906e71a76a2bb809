-- Imports: encodings of older Macintosh programs, lists that begin below a title, and rows that are imported with something left out.
ALTER TABLE imports
  DROP CONSTRAINT imports_encoding_check,
  ADD CONSTRAINT imports_encoding_check
    CHECK (encoding IN ('UTF-8', 'UTF-16LE', 'UTF-16BE', 'WINDOWS-1252', 'MACINTOSH')),
  -- The row of the sheet with the header, or with the first contact: rows above it are not read.
  ADD COLUMN start_row integer NOT NULL DEFAULT 1,
  -- Rows that are imported with something left out, such as an unknown sex.
  ADD COLUMN noted integer NOT NULL DEFAULT 0;

ALTER TABLE import_rejects
  -- Whether the row is imported, and only the cell is not.
  ADD COLUMN is_imported boolean NOT NULL DEFAULT false;
