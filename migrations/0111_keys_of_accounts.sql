-- Keys that begin with the account, for what an account looks up: with another column first, a look-up that finds nothing reads
-- the rows of other accounts. Both tables have a row for each person who was erased, and are small.

-- Whether a person who was erased had opted out of a company. It serves what the index of the company alone served.
CREATE INDEX erased_optouts_of_company ON erased_optouts (company_id, digest);
DROP INDEX erased_optouts_by_company;

-- Row-level security keeps coalesce(), which may tell of rows, from the index that two erasures of one person meet.
CREATE INDEX erasures_of_company ON erasures (company_id, digest) WHERE done_at IS NULL;
