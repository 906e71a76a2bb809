-- Operators of kind 'phone': Android phones that fetch their messages from this service.
CREATE TABLE phones (
  operator_id     text COLLATE "C" PRIMARY KEY REFERENCES operators (id) ON DELETE CASCADE,
  -- The digest of the secret with which one phone may pair, until then; null: no pairing is open.
  pairing_digest  text UNIQUE,
  pairing_until   timestamptz,
  -- The digest of the paired phone's token; null: no phone is paired.
  token_digest    text UNIQUE,
  paired_at       timestamptz,
  -- What the phone says of itself: manufacturer and product.
  name            text,
  -- When the phone last called.
  seen_at         timestamptz,
  -- When it last did not fetch a message in time.
  missed_at       timestamptz,
  -- The battery in percent, whether it is charging, and the network, as the phone last told.
  battery         smallint CHECK (battery BETWEEN 0 AND 100),
  charging        boolean,
  network         text CHECK (network IN ('wifi', 'ethernet', '2g', '3g', '4g', '5g', 'cellular', 'none')),
  -- The SMS that were handed over on this day (UTC), for the daily cap.
  day             date,
  sent_on_day     integer NOT NULL DEFAULT 0
);

-- The messages of one phone: to be fetched, and for four days what became of them, so that a repeat is recognized.
CREATE TABLE phone_messages (
  -- The id of the operator and our id of the message.
  id              text COLLATE "C" PRIMARY KEY,
  operator_id     text COLLATE "C" NOT NULL REFERENCES operators (id) ON DELETE CASCADE,
  -- The id that the app gets: another one for each attempt, because the app sends an id only once.
  device_id       text NOT NULL,
  attempt         integer NOT NULL DEFAULT 0,
  -- Phone and text; null once the app has reported a result.
  sealed_message  text,
  parts           integer NOT NULL,
  -- 'queued' can still be withdrawn; 'taken': the app has fetched it.
  state           text NOT NULL CHECK (state IN ('queued', 'withdrawn', 'taken', 'sent', 'failed')),
  error           text,
  -- The day on which it counts.
  day             date NOT NULL,
  handed_at       timestamptz NOT NULL DEFAULT now(),
  -- The app sends nothing after this time.
  expires_at      timestamptz NOT NULL,
  UNIQUE (operator_id, device_id)
);
CREATE INDEX phone_messages_open_idx ON phone_messages (operator_id, handed_at) WHERE state IN ('queued', 'taken');
CREATE INDEX phone_messages_handed_idx ON phone_messages (handed_at);
