-- Where processes know what they had submitted when the database went back in time, only that counts as of unknown fate.
ALTER TABLE incarnations
  -- By the decision, what no gateway had submitted is sent.
  ADD submitted_only boolean NOT NULL DEFAULT false;

-- What gateways had submitted since the last sign of life that the database knows, by their files, until it is decided.
CREATE TABLE submitted_messages (
  send_id  text COLLATE "C" NOT NULL,
  -- A digest of the send and the phone.
  phone    text COLLATE "C" NOT NULL,
  PRIMARY KEY (send_id, phone)
);

-- The gateways that lived when the database went back in time, as it or a process knew them.
CREATE TABLE gateway_reports (
  incarnation  integer NOT NULL,
  node         text COLLATE "C" NOT NULL,
  host         text NOT NULL,
  -- Whether its files have all that it had submitted since then; null: nobody has read them yet.
  is_whole     boolean,
  PRIMARY KEY (incarnation, node)
);
