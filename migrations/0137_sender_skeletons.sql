-- What sender names that people take for one another have in common, so that a name like an accepted one of another company
-- is found by an index. The service writes it (`skeletonOf` in src/sms/lookalikes.ts); here it is for the names of GSM-7 that
-- are there already. Null: the name has no letter or digit.
ALTER TABLE senders ADD COLUMN skeleton text COLLATE "C";
UPDATE senders SET skeleton = nullif(replace(replace(translate(name,
  '@$¥èéùìòÇØøÅåΘæßÉ!012345678¡LÄÖÑÜ§abcdefghijklmnopqrstuvwxyzäöñüà|€£_ "#¤%&''()*+,-./:;<=>?¿^{}\[~]',
  'ASYEEUIOCOOAAOÆBEIOIZEASGTBIIAONUSABCDEFGHIJKIMNOPQRSTUVWXYZAONUAIE'),
  'RN', 'M'), 'VV', 'W'), '');
CREATE INDEX senders_by_skeleton ON senders (skeleton, id) WHERE status = 'ACCEPTED';
