-- A company may want a second person to approve its campaigns.
ALTER TABLE companies
  ADD COLUMN approval text NOT NULL DEFAULT 'none' CHECK (approval IN ('none', 'campaigns')),
  -- Campaigns to so many people or more.
  ADD COLUMN approval_threshold integer NOT NULL DEFAULT 1 CHECK (approval_threshold > 0),
  -- Whether keys that are limited to scopes count as people.
  ADD COLUMN approval_of_keys boolean NOT NULL DEFAULT false;

-- Campaigns that wait, or waited, for a second person. What is canceled meanwhile stays PENDING here.
CREATE TABLE campaign_approvals (
  company_id   text COLLATE "C" NOT NULL,
  campaign_id  text COLLATE "C" NOT NULL,
  status       text COLLATE "C" NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'APPROVED', 'DECLINED')),
  made_by      text COLLATE "C" NOT NULL,
  made_at      timestamptz NOT NULL DEFAULT now(),
  decided_by   text COLLATE "C",
  decided_at   timestamptz,
  reason       text,
  -- When the others were told of it, and how many of them.
  told_at      timestamptz,
  told         integer NOT NULL DEFAULT 0,
  PRIMARY KEY (company_id, campaign_id),
  CHECK ((status = 'PENDING') = (decided_by IS NULL) AND (decided_by IS NULL) = (decided_at IS NULL)),
  CHECK (decided_by <> made_by)
);
CREATE INDEX campaign_approvals_waiting ON campaign_approvals (company_id, made_at, campaign_id) WHERE status = 'PENDING';
CREATE INDEX campaign_approvals_untold ON campaign_approvals (made_at) WHERE told_at IS NULL;

SELECT keep_apart('campaign_approvals', $$company_id = current_setting('atumpan.account', true)$$);
