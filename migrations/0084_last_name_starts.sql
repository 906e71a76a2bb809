-- Contacts by the beginning of their last names, by bytes as the beginnings of names (0070): people are looked for by them.
CREATE INDEX contacts_by_last_name_start ON contacts (company_id, last_name COLLATE "C", id);
