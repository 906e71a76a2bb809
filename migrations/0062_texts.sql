-- Texts of campaigns are emptied some time after the last send. No index says which: ids are ordered by time.

-- Up to which campaign of an account the texts are gone. Campaigns of other types than SMS may go on; they stand below.
CREATE TABLE text_marks (
  company_id  text COLLATE "C" PRIMARY KEY,
  until_id    text COLLATE "C" NOT NULL
);

-- Campaigns before the mark that have a text still, since they ran later than they were made, or go on.
CREATE TABLE lasting_texts (
  company_id   text COLLATE "C" NOT NULL,
  campaign_id  text COLLATE "C" NOT NULL,
  PRIMARY KEY (company_id, campaign_id)
);

SELECT keep_apart('text_marks', $$company_id = current_setting('atumpan.account', true)$$);
SELECT keep_apart('lasting_texts', $$company_id = current_setting('atumpan.account', true)$$);
