-- An approval is for a time and a number of people: a campaign that changes afterwards waits for another one.
ALTER TABLE campaign_approvals
  -- Who changed it while it waited: this person does not decide on it either.
  ADD COLUMN changed_by text COLLATE "C",
  -- To how many people it was when it was approved; null: approved before this was recorded.
  ADD COLUMN approved_count integer,
  -- How often the others were told of it since the last day without a notice.
  ADD COLUMN notices integer NOT NULL DEFAULT 0;
CREATE INDEX campaign_approvals_told ON campaign_approvals (company_id, told_at);
