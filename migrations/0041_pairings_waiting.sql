-- The codes of an application that wait are counted, and wrong codes are counted for each account alone.
CREATE INDEX pairings_waiting ON pairings (app_id, expires_at) WHERE status = 'PENDING';
DELETE FROM pairing_misses WHERE account_id = '';
ALTER TABLE pairing_misses ADD CHECK (account_id <> '');
