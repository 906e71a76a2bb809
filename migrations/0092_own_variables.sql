-- Which words of a text are variables of own fields is decided when a campaign is accepted, so that all of its steps and
-- runs read the text alike. An array of names; null: none.
ALTER TABLE campaigns ADD COLUMN own_variables jsonb;
