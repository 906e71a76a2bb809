-- In which order full names are split into first and last names while they are imported; null: they are not split.
ALTER TABLE imports ADD COLUMN name_order text CHECK (name_order IN ('FIRST_LAST', 'LAST_FIRST'));
