-- What the processes of the service had acknowledged and the database has forgotten when it went back in time.
CREATE TABLE forgotten (
  kind             text COLLATE "C" NOT NULL CHECK (kind IN ('campaign', 'code', 'credits', 'change')),
  -- By what the database would find it: the id of a campaign or of an entry of the audit log, the digest of a code's token,
  -- the key of an entry of the ledger.
  id               text COLLATE "C" NOT NULL,
  -- The incarnation of the database that lacks it.
  incarnation      integer NOT NULL,
  account_id       text COLLATE "C",
  -- People of a campaign, or credits; else 1.
  count            bigint NOT NULL,
  -- The name of a campaign, or the path of a change.
  name             text,
  -- The application that sent a campaign, and for whom: where its events go. Null: no application hears of it.
  app              jsonb,
  acknowledged_at  timestamptz NOT NULL,
  -- When the account was notified; null: not yet. Only campaigns are told of.
  notified_at      timestamptz,
  PRIMARY KEY (kind, id)
);
CREATE INDEX forgotten_by_account ON forgotten (account_id, kind, id);
CREATE INDEX forgotten_to_notify ON forgotten (account_id) WHERE kind = 'campaign' AND notified_at IS NULL;
SELECT keep_apart('forgotten', $$account_id = current_setting('atumpan.account', true)$$);

-- What a process has found in the files of its folder. A later process of the folder says it again.
CREATE TABLE forgotten_reports (
  incarnation   integer NOT NULL,
  host          text COLLATE "C" NOT NULL,
  folder        text COLLATE "C" NOT NULL,
  -- What was acknowledged before that is in no file any more.
  since         timestamptz NOT NULL,
  acknowledged  bigint NOT NULL,
  campaigns     bigint NOT NULL,
  messages      bigint NOT NULL,
  codes         bigint NOT NULL,
  credits       bigint NOT NULL,
  changes       bigint NOT NULL,
  reported_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (incarnation, host, folder)
);
