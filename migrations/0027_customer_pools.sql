-- A customer has its pool from the beginning: the ledger knows by it whom an administrator may grant credits to.
INSERT INTO pools (id, kind) SELECT id, 'customer' FROM customers ON CONFLICT DO NOTHING;
INSERT INTO pool_outcomes (pool_id) SELECT id FROM customers ON CONFLICT DO NOTHING;
