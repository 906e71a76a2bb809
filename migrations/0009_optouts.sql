-- Opt-outs: the phones that want no more messages of a company.
CREATE TABLE optouts (
  company_id  text COLLATE "C" NOT NULL,
  phone       text COLLATE "C" NOT NULL,
  -- Who said so: the company through its interface, or the person by a reply.
  source      text NOT NULL CHECK (source IN ('COMPANY', 'HANDSET')),
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (company_id, phone)
);
CREATE INDEX optouts_by_time ON optouts (company_id, created_at, phone);

-- Who wrote to a phone last: asked by the few people who answer STOP, so that every message that is sent must not pay
-- for it. A summary of the phones in each 256 KiB of messages. Compared by settling 200 messages at a time to phones at
-- random, 23 to 27 million messages stored, 20 million phones (2 cores, shared_buffers 256 MB, fsync on; 2026-11-21):
--                                        time a message    WAL a message    size      look-up
--   no index                             14 us             560 B
--   this one                             14 us             560 B            56 MB     15 to 40 ms, 90 ms after a burst
--   a B-tree of (phone, sent_at)         3 to 9 times      1.7 to 4.2 kB    1.1 GB    below 1 ms
--   a table of each phone's last writer  3 to 6 times      1.0 to 3.5 kB    2.6 GB    (not measured)
-- Random pages are what costs: nearly each one is new to its checkpoint, and goes to the WAL whole. The look-up grows
-- with what is stored, to some 100 ms at 100 million messages; replies are heeded one at a time.
CREATE INDEX messages_by_phone ON messages
  USING brin (phone text_bloom_ops (n_distinct_per_range = 2000, false_positive_rate = 0.01))
  WITH (pages_per_range = 32, autosummarize = on);
