-- The countries that a company reaches in addition to its own (ISO 3166). Null: the default of the installation; '*': all.
ALTER TABLE companies ADD COLUMN countries text[] COLLATE "C" CHECK (cardinality(countries) <= 300);
