-- A language that nobody has chosen yields to the header Accept-Language, and a series can be disabled for a while.
ALTER TABLE companies ADD COLUMN says_language boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN companies.says_language IS 'Whether the language was chosen; else it is the default.';
-- French is the default, so only of English it is known that it was chosen.
UPDATE companies SET says_language = true WHERE language <> 'fr';

ALTER TABLE campaigns ADD COLUMN disabled_at timestamptz;
COMMENT ON COLUMN campaigns.disabled_at IS 'Since when a series skips its occurrences, because the company disabled it.';
