-- The log of a company is listed by company and id. An index of ids alone could list it too, over the rows of all companies,
-- and the planner took it where it seemed no dearer. This one serves the deletion of what is old, and a look for one id.
DROP INDEX requests_by_time;
CREATE INDEX requests_by_time ON requests (left(id, 12));
