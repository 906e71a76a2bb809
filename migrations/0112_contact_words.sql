-- Contacts are found by the words of their names, without accents and in any order. Until now a search read the company's whole
-- phone book once for each spelling of what was typed: 210,803 pages at worst (2026-11-26). Now it reads ranges of one index.

-- A text in small letters, without accents and invisible characters. It lists some letters, because a database without a locale
-- knows the small letters of ASCII alone. A change of these functions needs all rows of contact_words anew.
CREATE FUNCTION folded(content text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN lower(replace(replace(replace(translate(
    regexp_replace(normalize(content, NFKD), '[\u0300-\u036f\u200b-\u200f\u2060\ufeff]', '', 'g'),
    'ØøŁłĐđıƁƊƐƏƎŊƆƳ', 'oollddiɓɗɛəǝŋɔƴ'), 'Œ', 'oe'), 'œ', 'oe'), 'Æ', 'ae'));

-- The words of a folded text, eight at most. Whatever is neither a letter nor a digit separates words; so does an emoji.
CREATE FUNCTION words_among(content text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN (array_remove(regexp_split_to_array(content,
    '[^0-9a-zA-Z\u00c0-\u1fff\u2c00-\u2dff\u3040-\ud7ff\uf900-\ufaff\U0001e900-\U0001e95f]+'), ''))[1:8];

-- A folded text with each word that has apostrophes as one: N'Guessan is written as nguessan too.
CREATE FUNCTION joined(content text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN translate(content, '''’ʼ`´', '');

-- The words of a contact's names from each of them on, those before it last: "awa marie kone", "marie kone awa", "kone awa marie".
-- So whichever word somebody types first, one of these begins with it, and of two words typed, one follows the other.
CREATE FUNCTION contact_words_of(phone text, name text, first_name text, last_name text) RETURNS SETOF text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  full_name CONSTANT text := concat_ws(' ', first_name, last_name);
  source text;
  plain text;
  words text[];
  named text[];
BEGIN
  -- A contact without a name has its phone as one.
  FOREACH source IN ARRAY ARRAY[nullif(name, phone), nullif(full_name, name)] LOOP
    CONTINUE WHEN source IS NULL;
    plain := folded(source);
    -- A row costs 20 µs (2 cores, 2026-11-26), and most first and last names only have words of the name.
    CONTINUE WHEN named @> words_among(plain);
    named := words_among(plain);
    FOR spelling IN 1 .. CASE WHEN plain = joined(plain) THEN 1 ELSE 2 END LOOP
      words := words_among(CASE spelling WHEN 1 THEN plain ELSE joined(plain) END);
      FOR i IN 1 .. cardinality(words) LOOP
        RETURN NEXT left(array_to_string(words[i:] || words[:i - 1], ' '), 100);
      END LOOP;
    END LOOP;
  END LOOP;
END $$;

CREATE TABLE contact_words (
  company_id  text COLLATE "C" NOT NULL,
  words       text COLLATE "C" NOT NULL,
  contact_id  text COLLATE "C" NOT NULL,
  PRIMARY KEY (company_id, words, contact_id)
);
SELECT keep_apart('contact_words', $$company_id = current_setting('atumpan.account', true)$$);

-- Triggers keep the words, so that processes of the version before keep them too. Whoever writes the words of a contact holds the
-- lock of the contact.
CREATE FUNCTION add_contact_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Most sends are to phones that are known, or have no name: they cost a look at no row.
  IF EXISTS (SELECT FROM made WHERE name <> phone OR first_name IS NOT NULL OR last_name IS NOT NULL) THEN
    INSERT INTO contact_words (company_id, words, contact_id)
    SELECT company_id, contact_words_of(phone, name, first_name, last_name), id FROM made
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION change_contact_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM made) THEN RETURN NULL; END IF;
  -- The words that a contact no longer has, each by a look-up.
  DELETE FROM contact_words WHERE ctid = ANY(ARRAY(
    SELECT stored.ctid FROM (
      SELECT company_id, id, contact_words_of(phone, name, first_name, last_name) AS words FROM gone
      EXCEPT
      SELECT company_id, id, contact_words_of(phone, name, first_name, last_name) FROM made
    ) AS lost CROSS JOIN LATERAL (
      SELECT ctid FROM contact_words WHERE company_id = lost.company_id AND words = lost.words AND contact_id = lost.id LIMIT 1
    ) AS stored));
  INSERT INTO contact_words (company_id, words, contact_id)
  SELECT company_id, contact_words_of(phone, name, first_name, last_name), id FROM made
  EXCEPT
  SELECT company_id, contact_words_of(phone, name, first_name, last_name), id FROM gone
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION delete_contact_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM contact_words WHERE ctid = ANY(ARRAY(
    SELECT stored.ctid FROM (
      SELECT company_id, id, contact_words_of(phone, name, first_name, last_name) AS words FROM gone
    ) AS lost CROSS JOIN LATERAL (
      SELECT ctid FROM contact_words WHERE company_id = lost.company_id AND words = lost.words AND contact_id = lost.id LIMIT 1
    ) AS stored));
  RETURN NULL;
END $$;

CREATE TRIGGER contacts_have_words AFTER INSERT ON contacts
  REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION add_contact_words();
CREATE TRIGGER contacts_change_words AFTER UPDATE ON contacts
  REFERENCING OLD TABLE AS gone NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION change_contact_words();
CREATE TRIGGER contacts_lose_words AFTER DELETE ON contacts
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_contact_words();

-- How far a job has added the words of the contacts that are there already; no row: it is done.
CREATE TABLE contact_words_marks (
  company_id  text COLLATE "C" NOT NULL,
  contact_id  text COLLATE "C" NOT NULL
);
INSERT INTO contact_words_marks SELECT '', '' WHERE EXISTS (SELECT FROM contacts);

-- Only searches read them.
DROP INDEX contacts_by_name_start;
DROP INDEX contacts_by_last_name_start;
