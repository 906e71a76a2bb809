-- The request log of developers: what became of the requests of a company in the last days, without what they said.

-- A refused request has a row; what succeeded, and what is refused beyond a limit, is counted by the hour, under an id that is
-- made of the hour and of what is counted. Ids begin with the time.
CREATE TABLE requests (
  company_id  text COLLATE "C" NOT NULL,
  id          text COLLATE "C" NOT NULL,
  door        text COLLATE "C" NOT NULL,
  outcome     text COLLATE "C" NOT NULL,
  code        text COLLATE "C",
  -- The names of the members that were refused; never a value.
  fields      text[] NOT NULL,
  caller      text COLLATE "C" NOT NULL,
  key_id      text COLLATE "C",
  app_id      text COLLATE "C",
  address     text NOT NULL,
  ms          bigint NOT NULL,
  bytes       bigint NOT NULL,
  count       bigint NOT NULL,
  last_at     timestamptz NOT NULL,
  PRIMARY KEY (company_id, id)
);
CREATE INDEX requests_by_time ON requests (id);

SELECT keep_apart('requests', $$company_id = current_setting('atumpan.account', true)$$);
