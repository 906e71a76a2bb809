-- A campaign that waits for an administrator is found by its id.
CREATE INDEX first_campaigns_by_campaign ON first_campaigns (campaign_id) WHERE released_at IS NULL;
