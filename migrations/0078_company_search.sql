-- The search of companies: by the beginnings of the words of their names, and of the names and e-mails of people.

-- The words of a text, without accents and in small letters. Signs of ASCII and Latin-1 stand between words.
CREATE FUNCTION words_of(content text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN array_to_tsvector(array_remove(regexp_split_to_array(
    lower(regexp_replace(normalize(content, NFKD), '[\u0300-\u036f]', '', 'g')),
    '[^0-9a-zA-Z\u00c0-\u1fff\u2c00-\uffff]+'), ''));

-- Without a list of pending entries, which each search would read.
CREATE INDEX companies_by_words ON companies USING gin (words_of(name)) WITH (fastupdate = off);
CREATE INDEX users_by_words ON users USING gin (words_of(coalesce(name, '') || ' ' || coalesce(email, '')))
  WITH (fastupdate = off);
