-- Members of a company have roles. Until now every user might do everything, so all who are there are owners.
ALTER TABLE memberships ADD COLUMN role text NOT NULL DEFAULT 'owner'
  CHECK (role IN ('owner', 'editor', 'approver', 'reader'));
-- From now on each role is a decision.
ALTER TABLE memberships ALTER COLUMN role DROP DEFAULT;

-- The keys of a company beside the first key of each user (users.key_digest). A row is deleted when its key is revoked.
CREATE TABLE api_keys (
  id            text COLLATE "C" PRIMARY KEY,
  company_id    text COLLATE "C" NOT NULL,
  -- The key may do no more than the role of this member allows.
  user_id       text COLLATE "C" NOT NULL,
  name          text NOT NULL,
  -- As users.key_digest.
  digest        text COLLATE "C" NOT NULL UNIQUE,
  -- Null: all that the role of the member allows.
  scopes        text[] CHECK (scopes <@ '{send,contacts,otp,read}' AND scopes <> '{}'),
  -- Null: never.
  expires_at    timestamptz,
  -- The ranges of addresses from which it may be used; none: any.
  networks      text[] NOT NULL DEFAULT '{}',
  -- To about a minute.
  last_used_at  timestamptz,
  created_at    timestamptz NOT NULL DEFAULT now(),
  -- The keys of a member die with the membership.
  FOREIGN KEY (company_id, user_id) REFERENCES memberships (company_id, user_id) ON DELETE CASCADE
);
CREATE INDEX api_keys_by_member ON api_keys (company_id, user_id);

SELECT keep_apart('api_keys', $$company_id = current_setting('atumpan.account', true)$$);
