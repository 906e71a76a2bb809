-- Pages for people: whoever signs in is found by the phone.
CREATE INDEX users_by_phone ON users (phone) WHERE phone IS NOT NULL;
