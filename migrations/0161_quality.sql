-- The quality of routes: what each operator accepted and reported, by prefix and hour, and what proves its receipts.

-- Sums lists of counts, place by place. A shorter list counts as if it ended with zeros.
CREATE FUNCTION add_each(one bigint[], other bigint[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE AS $$
  SELECT ARRAY(SELECT coalesce(a, 0) + coalesce(b, 0)
               FROM unnest(one, other) WITH ORDINALITY AS pair (a, b, place) ORDER BY place)
$$;
CREATE AGGREGATE sum_each(bigint[]) (SFUNC = add_each, STYPE = bigint[], INITCOND = '{}');

CREATE TABLE route_quality (
  operator_id        text COLLATE "C" NOT NULL,
  -- The beginning of an hour, or in UTC of a day.
  starts_at          timestamptz NOT NULL,
  prefix             text COLLATE "C" NOT NULL,
  is_day             boolean NOT NULL DEFAULT false,
  accepted           bigint NOT NULL DEFAULT 0,
  delivered          bigint NOT NULL DEFAULT 0,
  undelivered        bigint NOT NULL DEFAULT 0,
  refused_recipient  bigint NOT NULL DEFAULT 0,
  refused_sender     bigint NOT NULL DEFAULT 0,
  refused_operator   bigint NOT NULL DEFAULT 0,
  refused_service    bigint NOT NULL DEFAULT 0,
  -- Delivered messages by the time from acceptance to receipt: the classes are those of `delivery/quality/latencies.ts`.
  latencies          bigint[] NOT NULL DEFAULT '{}',
  codes_sent         bigint NOT NULL DEFAULT 0,
  codes_verified     bigint NOT NULL DEFAULT 0,
  probes_sent        bigint NOT NULL DEFAULT 0,
  probes_confirmed   bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (operator_id, starts_at, prefix, is_day)
);
CREATE INDEX route_quality_by_age ON route_quality (is_day, starts_at);

-- Routes whose messages arrive far less often than their receipts say, with the figures that show it.
CREATE TABLE suspect_routes (
  operator_id       text COLLATE "C" NOT NULL,
  prefix            text COLLATE "C" NOT NULL,
  proof             text NOT NULL CHECK (proof IN ('codes', 'probes')),
  sent              bigint NOT NULL,
  confirmed         bigint NOT NULL,
  -- The same of the other routes that it is compared with; 0: it is compared with none.
  others_sent       bigint NOT NULL,
  others_confirmed  bigint NOT NULL,
  -- The share of its messages that its receipts report as delivered.
  claimed           double precision NOT NULL,
  since             timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (operator_id, prefix, proof)
);

ALTER TABLE operators ADD COLUMN suspect boolean NOT NULL DEFAULT false;

-- Up to when one-time passwords are counted for the routes that took them.
CREATE TABLE otp_routes_counted (
  is_only  boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  up_to    timestamptz NOT NULL
);
INSERT INTO otp_routes_counted (up_to) VALUES (now());

-- Test handsets whose owners agreed to get messages by every route and to confirm them.
CREATE TABLE probes (
  id           text COLLATE "C" PRIMARY KEY,
  phone        text COLLATE "C" NOT NULL UNIQUE,
  name         text NOT NULL,
  -- Who agreed, and when.
  consent      text NOT NULL,
  language     text NOT NULL CHECK (language IN ('fr', 'en')),
  -- Null: messages are sent by hand only.
  every_hours  integer CHECK (every_hours > 0),
  next_at      timestamptz,
  created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX probes_due ON probes (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE probe_sends (
  -- That of the operator test.
  id            text COLLATE "C" PRIMARY KEY,
  probe_id      text COLLATE "C" NOT NULL REFERENCES probes ON DELETE CASCADE,
  operator_id   text COLLATE "C" NOT NULL,
  marker        text COLLATE "C" NOT NULL UNIQUE,
  -- Whether it counts for its route: it is confirmed, or too old to be.
  is_over       boolean NOT NULL DEFAULT false,
  confirmed_at  timestamptz
);
CREATE INDEX probe_sends_of_probe ON probe_sends (probe_id, id);
CREATE INDEX probe_sends_open ON probe_sends (id) WHERE NOT is_over;
