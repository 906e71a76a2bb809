-- Drafts: campaigns that somebody is still writing, of which nothing has to be right yet. Templates: texts that are used again.
CREATE TABLE campaign_drafts (
  company_id      text COLLATE "C" NOT NULL,
  id              text COLLATE "C" NOT NULL,
  -- Who saved it last.
  user_id         text COLLATE "C" NOT NULL,
  -- Counts the saves: of two tabs, the one that did not see the other's save is refused.
  revision        integer NOT NULL DEFAULT 1,
  name            text,
  body            text,
  sender_name     text,
  type            text NOT NULL DEFAULT 'SMS' CHECK (type IN ('SMS', 'SCHEDULED', 'RECURRING')),
  -- As it was given: no time yet, maybe.
  scheduled_date  text,
  recurring       jsonb,
  contacts        jsonb NOT NULL DEFAULT '[]',
  -- The phone of each of `contacts`, in the same order, as it would be sent to ('': it is none). Erasures find people by it.
  phones          text[] NOT NULL DEFAULT '{}',
  groups_ids      text[] NOT NULL DEFAULT '{}',
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (company_id, id)
);
CREATE INDEX campaign_drafts_newest ON campaign_drafts (company_id, updated_at, id);
CREATE INDEX campaign_drafts_by_time ON campaign_drafts (updated_at);

CREATE TABLE campaign_templates (
  company_id  text COLLATE "C" NOT NULL,
  id          text COLLATE "C" NOT NULL,
  name        text NOT NULL,
  body        text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (company_id, id),
  UNIQUE (company_id, name)
);

SELECT keep_apart('campaign_drafts', $$company_id = current_setting('atumpan.account', true)$$);
SELECT keep_apart('campaign_templates', $$company_id = current_setting('atumpan.account', true)$$);
