-- Administrators: people with a role and a second factor, their sessions, and keys for machines. The key of the
-- installation is no row: it works before there is any.

CREATE TABLE administrators (
  id            text COLLATE "C" PRIMARY KEY,
  name          text NOT NULL,
  -- A code to sign in with goes there, so it names one person.
  phone         text COLLATE "C" NOT NULL UNIQUE,
  language      text NOT NULL,
  role          text NOT NULL CHECK (role IN ('owner', 'support', 'reviewer', 'finance')),
  created_at    timestamptz NOT NULL DEFAULT now(),
  disabled_at   timestamptz,
  -- The secret of TOTP (RFC 6238), sealed. Until `enrolled_at` it is only offered, and each sign-in offers another one.
  sealed_totp   text,
  enrolled_at   timestamptz,
  -- The last time step whose password was taken: none is taken twice.
  last_step     bigint NOT NULL DEFAULT 0,
  -- Wrong second factors since `tried_from`; each is counted before it is compared.
  tries         integer NOT NULL DEFAULT 0,
  tried_from    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE administrator_recovery_codes (
  administrator_id  text COLLATE "C" NOT NULL REFERENCES administrators ON DELETE CASCADE,
  digest            text COLLATE "C" NOT NULL,
  used_at           timestamptz,
  PRIMARY KEY (administrator_id, digest)
);

CREATE TABLE administrator_sessions (
  id                text COLLATE "C" PRIMARY KEY,
  digest            text COLLATE "C" NOT NULL UNIQUE,
  administrator_id  text COLLATE "C" NOT NULL REFERENCES administrators ON DELETE CASCADE,
  -- Where the person signed in from.
  address           text NOT NULL,
  created_at        timestamptz NOT NULL DEFAULT now(),
  -- By the minute: a session that is used writes once a minute at most.
  last_used_at      timestamptz NOT NULL DEFAULT now(),
  expires_at        timestamptz NOT NULL,
  ended_at          timestamptz
);
CREATE INDEX administrator_sessions_by_person ON administrator_sessions (administrator_id) WHERE ended_at IS NULL;
CREATE INDEX administrator_sessions_by_end ON administrator_sessions (expires_at);

CREATE TABLE administrator_keys (
  id            text COLLATE "C" PRIMARY KEY,
  digest        text COLLATE "C" NOT NULL UNIQUE,
  name          text NOT NULL,
  role          text NOT NULL CHECK (role IN ('owner', 'support', 'reviewer', 'finance')),
  -- From where it may be used, as in `kernel/origins.ts`; empty: from anywhere.
  networks      text[] NOT NULL DEFAULT '{}',
  created_at    timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz,
  revoked_at    timestamptz,
  -- By the minute, as that of a session.
  last_used_at  timestamptz
);

-- Sign-ins that wait for their code, of administrators alone: a stranger's leaves no row.
CREATE TABLE administrator_sign_ins (
  token_digest      text COLLATE "C" PRIMARY KEY,
  administrator_id  text COLLATE "C" NOT NULL REFERENCES administrators ON DELETE CASCADE,
  created_at        timestamptz NOT NULL DEFAULT now(),
  -- The digest of the code that was right, once it was: a second factor may be tried again with it.
  code_digest       text COLLATE "C"
);
CREATE INDEX administrator_sign_ins_by_time ON administrator_sign_ins (created_at);
