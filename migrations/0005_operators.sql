-- Operators: the mobile operators that we submit to, which numbers they serve, and who holds each bind.
CREATE TABLE operators (
  id               text COLLATE "C" PRIMARY KEY,
  name             text NOT NULL,
  host             text NOT NULL,
  port             integer NOT NULL CHECK (port BETWEEN 1 AND 65535),
  tls              boolean NOT NULL DEFAULT false,
  system_id        text NOT NULL,
  sealed_password  text NOT NULL,
  system_type      text NOT NULL DEFAULT '',
  -- submit_sm without a committed answer at most; the bound on duplicates when a session is lost.
  send_window      integer NOT NULL DEFAULT 100 CHECK (send_window BETWEEN 1 AND 1000),
  tps              integer CHECK (tps BETWEEN 1 AND 100000),
  -- A number is served by the operators with the longest matching prefix, lowest priority value first.
  prefixes         text[] NOT NULL,
  priority         integer NOT NULL DEFAULT 0,
  enabled          boolean NOT NULL DEFAULT true,
  -- How long messages are split: 'udh8', 'udh16', 'sar' or 'payload'.
  concatenation    text NOT NULL DEFAULT 'udh8' CHECK (concatenation IN ('udh8', 'udh16', 'sar', 'payload')),
  -- How message ids of receipts relate to those of submit_sm_resp.
  message_id_form  text NOT NULL DEFAULT 'as-is' CHECK (message_id_form IN ('as-is', 'hex-to-decimal', 'decimal-to-hex')),
  created_at       timestamptz NOT NULL DEFAULT now()
);

-- One row per operator: the session that owns its bind. Owned until `owned_until`, or until the owner's
-- connections to this database are gone, whichever comes first.
CREATE TABLE operator_binds (
  operator_id  text COLLATE "C" PRIMARY KEY REFERENCES operators (id) ON DELETE CASCADE,
  session_id   text COLLATE "C" NOT NULL,
  node         text NOT NULL,
  owned_until  timestamptz NOT NULL,
  state        text NOT NULL DEFAULT 'CONNECTING' CHECK (state IN ('CONNECTING', 'BOUND', 'REFUSED', 'DISCONNECTED')),
  in_flight    integer NOT NULL DEFAULT 0,
  rate         integer NOT NULL DEFAULT 0,
  error        text,
  bound_at     timestamptz
) WITH (fillfactor = 50);
