-- Campaigns of every type: groups, times, runs, cancellation, and sends too large to queue at once.
ALTER TABLE campaigns
  ADD COLUMN next_at timestamptz,
  -- Minutes after midnight UTC by weekday, 0 is Sunday.
  ADD COLUMN week jsonb,
  ADD COLUMN canceled_at timestamptz,
  -- Why a scheduled campaign sent nothing: an error code, or 'missed'.
  ADD COLUMN failure text,
  ADD COLUMN blocked_count integer NOT NULL DEFAULT 0;

-- What the clock looks at: only what is still to come.
CREATE INDEX campaigns_due ON campaigns (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX campaigns_by_sender ON campaigns (company_id, sender_id, id);

-- Whom a campaign named itself, kept until its last run.
CREATE TABLE campaign_contacts (
  company_id   text COLLATE "C" NOT NULL,
  campaign_id  text COLLATE "C" NOT NULL,
  number       integer NOT NULL,
  given        text NOT NULL,
  phone        text COLLATE "C" NOT NULL,
  name         text,
  first_name   text,
  last_name    text,
  PRIMARY KEY (company_id, campaign_id, number),
  FOREIGN KEY (company_id, campaign_id) REFERENCES campaigns (company_id, id)
);

CREATE TABLE campaign_groups (
  company_id   text COLLATE "C" NOT NULL,
  campaign_id  text COLLATE "C" NOT NULL,
  group_id     text COLLATE "C" NOT NULL,
  PRIMARY KEY (company_id, campaign_id, group_id),
  FOREIGN KEY (company_id, campaign_id) REFERENCES campaigns (company_id, id)
);

-- One row per occurrence, by constraint: whatever number of processes run or die, none runs twice.
CREATE TABLE campaign_runs (
  company_id    text COLLATE "C" NOT NULL,
  campaign_id   text COLLATE "C" NOT NULL,
  occurrence    timestamptz NOT NULL,
  -- The send of this run, which its messages and its hold carry; none where nothing was sent.
  send_id       text COLLATE "C",
  failure       text,
  contact_count integer NOT NULL DEFAULT 0,
  credit_used   bigint NOT NULL DEFAULT 0,
  created_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (company_id, campaign_id, occurrence),
  FOREIGN KEY (company_id, campaign_id) REFERENCES campaigns (company_id, id)
);

-- A send whose members are put into the queue step by step: its whole price is held, `remaining` of it is not queued yet.
CREATE TABLE unqueued_sends (
  id           text COLLATE "C" PRIMARY KEY,
  account_id   text COLLATE "C" NOT NULL,
  campaign_id  text COLLATE "C" NOT NULL,
  pool_id      text COLLATE "C" NOT NULL,
  remaining    bigint NOT NULL CHECK (remaining >= 0),
  next_number  integer NOT NULL,
  -- Where the next step begins; what it means is known to whoever put the send here.
  cursor       text COLLATE "C" NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now()
);

-- What is left of a canceled send is settled as such, wherever it is found.
ALTER TABLE message_batches ADD COLUMN canceled boolean NOT NULL DEFAULT false;
