-- Public submissions: whoever has no account cannot fill the reviewers' list, nor keep a slug without a decision.

-- Past a day's budget a submission is surplus: it is reviewed last, and forgotten unless a person decides.
ALTER TABLE apps ADD COLUMN is_surplus boolean NOT NULL DEFAULT false;
-- False once another application took the slug of one that waited too long.
ALTER TABLE apps ADD COLUMN holds_slug boolean NOT NULL DEFAULT true;
ALTER TABLE apps
  ADD CHECK (NOT is_surplus OR (status = 'PENDING_REVIEW' AND company_id IS NULL)),
  ADD CHECK (holds_slug OR (status IN ('PENDING_REVIEW', 'REJECTED') AND company_id IS NULL));

DROP INDEX apps_by_slug;
CREATE UNIQUE INDEX apps_by_slug ON apps (slug) WHERE status <> 'REJECTED' AND holds_slug;

-- The order of the review, in either direction.
DROP INDEX apps_by_status;
CREATE INDEX apps_by_status ON apps (status, is_surplus, id);
CREATE INDEX apps_by_status_desc ON apps (status, is_surplus, id DESC);
CREATE INDEX apps_in_order ON apps (is_surplus, id);
CREATE INDEX apps_in_order_desc ON apps (is_surplus, id DESC);

CREATE INDEX apps_of_budget ON apps (created_at) WHERE company_id IS NULL AND NOT is_surplus;
CREATE INDEX apps_surplus ON apps (created_at) WHERE is_surplus;
-- Applications are deleted now, and each asks whether it has connections.
CREATE INDEX connections_by_app ON connections (app_id);
