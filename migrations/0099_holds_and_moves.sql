-- Commands for who runs the service: an operator that is held sends nothing, and a bind moves to another process.
-- Since when an administrator holds it; null: it is not held. Its binds stay bound.
ALTER TABLE operators ADD COLUMN held_at timestamptz;

-- The process that is to have the bind, and until when that counts before equal shares.
ALTER TABLE operator_binds ADD COLUMN moved_to text COLLATE "C", ADD COLUMN moved_until timestamptz;

-- When a link of the process last committed a turn, as it says with each sign of life.
ALTER TABLE nodes ADD COLUMN turned_at timestamptz;
