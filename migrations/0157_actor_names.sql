-- The log reads the names of actors by its own statement: PostgreSQL parsed and planned this function again for each entry, which
-- took 200 to 350 us (2 cores, 2026-11-28).
DROP FUNCTION name_of_actor(text, text);
