-- The operators of ported numbers, which go before those of their prefixes. An operator may be gone: then the prefix counts.
CREATE TABLE ported_numbers (
  phone        bigint PRIMARY KEY,
  operator_id  text COLLATE "C" NOT NULL
);

-- Acceptances read the table, so nobody may wait for long behind a transaction that still reads it, such as a backup.
CREATE FUNCTION forget_ported_numbers() RETURNS void LANGUAGE sql SET lock_timeout = '500ms' AS $$
  TRUNCATE ported_numbers;
$$;
