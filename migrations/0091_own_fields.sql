-- Own fields: what a company notes of its contacts beside their names. Texts name them as variables, `@city`.
ALTER TABLE contacts ADD COLUMN fields jsonb NOT NULL DEFAULT '{}';
-- What a campaign that runs later says of those whom it names; null: nothing.
ALTER TABLE campaign_contacts ADD COLUMN fields jsonb;

-- The names of the fields that a company uses, so that no contact has to be read to know what a text means.
CREATE TABLE contact_fields (
  company_id  text COLLATE "C" NOT NULL,
  name        text COLLATE "C" NOT NULL,
  PRIMARY KEY (company_id, name)
);
SELECT keep_apart('contact_fields', $$company_id = current_setting('atumpan.account', true)$$);
