-- A campaign counts in one row: that of its sender. All of a company are the sum, over as many rows as it has senders.
-- The second row was a tenth of what a message wrote where each company sends a few (2 cores, 2026-11-22).

-- The new name stops a process of the version before: it would count campaigns of a sender twice.
ALTER TABLE campaign_counts RENAME COLUMN campaign_count TO campaigns;

-- An empty sender was all of the company's, and is now: the campaigns without a sender of its own.
UPDATE campaign_counts counted SET campaigns = campaigns - coalesce((
  SELECT sum(campaigns) FROM campaign_counts part WHERE part.company_id = counted.company_id AND part.sender_id <> ''), 0)
WHERE sender_id = '';
